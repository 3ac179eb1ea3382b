#include "advice/checklist.h"

#include <array>
#include <cstdio>

namespace pagoda {
namespace {

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

const Message kNotGiven = {"check.evidence_unknown", {}};

}  // namespace

std::vector<ChecklistItem> checklist_of(const Candidate& candidate, double share_fraction,
                                        const Policy& policy, const Project& project) {
  std::vector<ChecklistItem> items;
  if (!candidate.is_operator()) return items;  // nobody writes a kernel against idle time
  const auto add = [&](Tier tier, const char* criterion, std::optional<bool> met, Message evidence) {
    items.push_back({tier,
                     {criterion, {{"threshold_fraction", number(policy.cuda.above_fraction)}}},
                     met,
                     std::move(evidence)});
  };
  const Message share = {"check.evidence_share", {{"share_fraction", number(share_fraction)}}};
  const Message gap = {
      "check.evidence_gap",
      {{"time_ns", std::to_string(candidate.time_now_ns)}, {"floor_ns", std::to_string(candidate.floor_ns)}}};
  const Message kernels = {"check.evidence_kernels",
                           {{"count", std::to_string(candidate.gpu_events_per_step)}}};
  const double triton = policy.efficiency_of(candidate.operator_name, Tier::triton).likely;
  const double cuda = policy.efficiency_of(candidate.operator_name, Tier::cuda).likely;
  const Message efficiency = {"check.evidence_efficiency",
                              {{"triton_fraction", number(triton)}, {"cuda_fraction", number(cuda)}}};
  const auto [low, high] = policy.days_of(candidate.operator_name, Tier::triton);
  const Message deadline =
      project.deadline_days
          ? Message{"check.evidence_deadline",
                    {{"days", number(*project.deadline_days)}, {"low", number(low)}, {"high", number(high)}}}
          : kNotGiven;
  std::string skills;
  for (const std::string& skill : project.skills) skills += (skills.empty() ? "" : ", ") + skill;
  const Message team = skills.empty() ? kNotGiven : Message{"check.evidence_team", {{"skills", skills}}};
  const auto has = [&](const char* skill) -> std::optional<bool> {
    return project.skills.empty() ? std::nullopt : std::optional(project.has_skill(skill));
  };

  add(Tier::pytorch, "check.pytorch_validation", std::nullopt, kNotGiven);
  add(Tier::pytorch, "check.pytorch_suffices", share_fraction < policy.keep_below_fraction, share);
  add(Tier::pytorch, "check.pytorch_iteration", std::nullopt, kNotGiven);

  const bool memory = candidate.bound == Bound::memory || candidate.bound == Bound::latency;
  add(Tier::triton, "check.triton_memory", memory,
      {"check.evidence_bound", {{"bound", "@bound." + std::string(bound_name(candidate.bound))}}});
  add(Tier::triton, "check.triton_fusion", candidate.gpu_events_per_step >= 2, kernels);
  add(Tier::triton, "check.triton_deadline",
      project.deadline_days ? std::optional(*project.deadline_days < 7) : std::nullopt, deadline);
  add(Tier::triton, "check.triton_team", has("python"), team);

  add(Tier::cuda, "check.cuda_share", share_fraction > policy.cuda.above_fraction, share);
  add(Tier::cuda, "check.cuda_triton_short", triton < 0.9 && cuda > triton + 0.02, efficiency);
  add(Tier::cuda, "check.cuda_control",
      candidate.operator_name == "attention" || candidate.operator_name == "gemm", gap);
  add(Tier::cuda, "check.cuda_team", has("cuda"), team);
  add(Tier::cuda, "check.cuda_long_lived",
      project.horizon_months ? std::optional(*project.horizon_months >= 12) : std::nullopt,
      project.horizon_months
          ? Message{"check.evidence_horizon", {{"months", number(*project.horizon_months)}}}
          : kNotGiven);
  return items;
}

}  // namespace pagoda
