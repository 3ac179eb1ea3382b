#include "advice/make_plan.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

#include "advice/checklist.h"
#include "advice/decision_tree.h"

namespace pagoda {
namespace {

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

double fraction(double part, double whole) { return whole > 0 ? part / whole : 0; }

class Planner {
 public:
  Planner(PlanInput input, const PlanOptions& options)
      : trace_(input.trace), explanation_(input.explanation), options_(options), policy_(options.policy) {
    plan_.analysis = std::move(input.analysis);
    plan_.step_label = input.step_label;
    plan_.policy_preset = policy_.preset;
    plan_.event_bounds = explanation_.bounds;
  }

  Plan make() {
    const DeviceAccount* account = device_of_trace();
    if (!account) return std::move(plan_);
    const std::int64_t steps = plan_.analysis.steps > 0 ? plan_.analysis.steps : 1;
    workload_.emplace(trace_, device_row_, *account, steps, options_.step_time_ns);
    if (options_.evidence)
      policy_ = with_evidence(policy_, *options_.evidence, explanation_, account->name, measured_);
    describe_hardware(*account);
    describe_step(*account);
    describe_operators();
    candidates_ = find_candidates(trace_, explanation_, *workload_, policy_, options_.catalogue);
    choose();
    decline_the_rest();
    say_headline();
    say_doubts(*account);
    return std::move(plan_);
  }

 private:
  /// The device of this trace with the most GPU time.
  const DeviceAccount* device_of_trace() {
    const DeviceAccount* best = nullptr;
    for (const DeviceAccount& account : plan_.analysis.devices) {
      if (account.file != trace_.path) continue;
      if (!best || account.busy_ns > best->busy_ns) best = &account;
    }
    if (!best) return nullptr;
    for (std::uint32_t row = 0; row < trace_.devices.size(); ++row) {
      if (trace_.devices[row].id == best->device) device_row_ = row;
    }
    return best;
  }

  void describe_hardware(const DeviceAccount& account) {
    plan_.device_name = account.name;
    plan_.hardware_known = explanation_.gpu.has_value();
    if (!explanation_.gpu) return;
    const GpuSpec& gpu = *explanation_.gpu;
    plan_.device_name = gpu.name;
    plan_.hardware_source = gpu.source;
    plan_.dram_bytes_per_s = gpu.dram_bytes_per_s;
    plan_.peak_dtype = "bf16";
    plan_.peak_flops = gpu.roof_flops_per_s(MathType::bf16, true);
    if (plan_.peak_flops <= 0) {
      plan_.peak_dtype = "fp16";
      plan_.peak_flops = gpu.roof_flops_per_s(MathType::fp16, true);
    }
    plan_.ceilings_measured = gpu.measured_copy_bytes_per_s.has_value();
  }

  void describe_step(const DeviceAccount& account) {
    plan_.steps = workload_->steps();
    plan_.profiled_step_ns = workload_->profiled_step_ns();
    plan_.step_ns = workload_->step_ns();
    plan_.corrected = workload_->corrected();
    plan_.gpu_busy_per_step_ns = account.busy_ns / plan_.steps;
    plan_.launch_count_per_step = (account.counts.compute + account.counts.communication) / plan_.steps;
    for (std::size_t i = 0; i < kBucketCount; ++i) {
      plan_.step_buckets_ns.emplace_back(static_cast<Bucket>(i), workload_->buckets_ns()[i]);
    }
    plan_.classified_fraction = explanation_.coverage.classified_fraction;
    plan_.modelled_fraction = explanation_.coverage.modelled_fraction;
  }

  void describe_operators() {
    for (const OperatorGroup& group : explanation_.groups) {
      PlanOperator row;
      row.operator_name = operator_kind_name(group.kind);
      row.phase = phase_name(group.phase);
      row.time_ns = group.time_ns / plan_.steps;
      row.share_fraction = group.share_fraction;
      row.bound = group.bound;
      row.known_by = known_by_name(group.known_by);
      const auto per_step = [&](double total) {
        return total < 0 ? -1 : total / static_cast<double>(plan_.steps);
      };
      row.flops = per_step(group.flops);
      row.bytes = per_step(group.bytes);
      row.sol_fraction = group.sol_fraction;
      row.arithmetic_intensity = group.arithmetic_intensity;
      row.achieved_flops_per_s = group.achieved_flops_per_s;
      row.achieved_bytes_per_s = group.achieved_bytes_per_s;
      row.model_error = group.model_error;
      row.instances = group.instance_count / plan_.steps;
      row.gpu_events = group.gpu_events / plan_.steps;
      row.shapes = group.shapes;
      plan_.operators.push_back(std::move(row));
    }
  }

  using ByQuantile = std::array<Fixes, 3>;

  NanosRange steps_after(const ByQuantile& fixes) const {
    std::array<Nanos, 3> after{};
    for (std::size_t q = 0; q < 3; ++q) after[q] = workload_->step_after(fixes[q]);
    std::sort(after.begin(), after.end());
    return {after[0], after[1], after[2]};
  }

  ByQuantile with(const ByQuantile& fixes, const Candidate& candidate, Tier tier) const {
    ByQuantile more = fixes;
    for (std::size_t q = 0; q < 3; ++q) {
      apply(candidate, tier, kQuantiles[q], explanation_, *workload_, policy_, more[q]);
    }
    return more;
  }

  Evidence evidence_of(const Candidate& candidate, Tier tier) const {
    if (!candidate.is_operator()) return {"model", {"evidence.replay", {}}};
    if (!candidate.removed_events.empty()) return layout_evidence();
    const Prior prior = policy_.efficiency_of(candidate.priced_as(), tier);
    const auto row = measured_.find({candidate.priced_as(), std::string(tier_name(tier))});
    if (row != measured_.end()) {
      return {"measured",
              {"evidence.measured",
               {{"operator", "@operator." + candidate.operator_name},
                {"tier", row->second.implementation},
                {"eff_fraction", number(prior.likely)},
                {"shape", row->second.shape},
                {"device", row->second.device},
                {"date", row->second.date}}}};
    }
    return {"prior",
            {"evidence.prior",
             {{"operator", "@operator." + candidate.operator_name},
              {"tier", "@tier." + std::string(tier_name(tier))},
              {"low_fraction", number(prior.low)},
              {"likely_fraction", number(prior.likely)},
              {"high_fraction", number(prior.high)}}}};
  }

  Evidence layout_evidence() const {
    const Prior& remains = policy_.layout_remains;
    return {"prior",
            {"evidence.layout",
             {{"low_fraction", number(remains.low)},
              {"likely_fraction", number(remains.likely)},
              {"high_fraction", number(remains.high)}}}};
  }

  NanosRange operator_time(const Candidate& candidate, Tier tier) const {
    if (!candidate.removed_events.empty()) {
      const auto stays = [&](double part) {
        return static_cast<Nanos>(static_cast<double>(candidate.time_now_ns) * part);
      };
      const Prior& remains = policy_.layout_remains;
      return {stays(remains.low), stays(remains.likely), stays(remains.high)};
    }
    if (!candidate.is_operator() || candidate.floor_ns < 0 || tier == Tier::pytorch)
      return {candidate.time_now_ns, candidate.time_now_ns, candidate.time_now_ns};
    const Prior eff = policy_.efficiency_of(candidate.priced_as(), tier);
    const auto at = [&](double e) {
      return std::min(candidate.time_now_ns,
                      static_cast<Nanos>(static_cast<double>(candidate.floor_ns) / std::max(e, 0.01)));
    };
    return {at(eff.high), at(eff.likely), at(eff.low)};
  }

  TierOutlook outlook(const Candidate& candidate, const ByQuantile& fixes, Nanos step_now_ns) const {
    TierOutlook result;
    result.step_now_ns = step_now_ns;
    std::vector<Tier> tiers;
    const bool written = candidate.is_operator() && candidate.kind != ActionKind::precision &&
                         candidate.kind != ActionKind::layout && candidate.operator_name != "optimizer";
    if (written) tiers = {Tier::pytorch, Tier::triton, Tier::cuda};
    if (!candidate.implementations.empty() || !written) tiers.push_back(Tier::existing);
    for (Tier tier : tiers) {
      TierEstimate row;
      row.tier = tier;
      row.operator_time_ns = operator_time(candidate, tier);
      row.step_after_alone_ns = tier == Tier::pytorch ? NanosRange{step_now_ns, step_now_ns, step_now_ns}
                                                      : steps_after(with(fixes, candidate, tier));
      const auto [low, high] =
          tier == Tier::pytorch ? std::pair(0.0, 0.0) : policy_.days_of(candidate.operator_name, tier);
      row.dev_days = {low, (low + high) / 2, high};
      row.evidence = evidence_of(candidate, tier);
      result.tiers.push_back(row);
    }
    return result;
  }

  struct Choice {
    const Candidate* candidate = nullptr;
    Verdict verdict;
    NanosRange after;
    ByQuantile fixes;
    double gain_per_day = 0;
    std::vector<TierEstimate> tiers;
  };

  /// Greedy: the candidate with the most gain per day, on top of what is chosen; then again with the rest,
  /// because every choice moves the bottleneck.
  void choose() {
    ByQuantile fixes = {workload_->no_fixes(), workload_->no_fixes(), workload_->no_fixes()};
    NanosRange step = {plan_.step_ns, plan_.step_ns, plan_.step_ns};
    plan_.ladder.push_back(ladder_step("", {"title.now", {}}, step));
    std::vector<const Candidate*> open;
    for (const Candidate& candidate : candidates_) open.push_back(&candidate);
    while (true) {
      Choice best;
      verdicts_.clear();
      for (const Candidate* candidate : open) {
        // What the tree keeps for its share alone needs no replay.
        const bool small = fraction(static_cast<double>(candidate->time_now_ns),
                                    static_cast<double>(step.likely)) < policy_.keep_below_fraction;
        const TierOutlook now =
            small ? TierOutlook{step.likely, {}} : outlook(*candidate, fixes, step.likely);
        Verdict verdict = decide(*candidate, now, *workload_, policy_, options_.project);
        if (!verdict.act) {
          verdicts_[candidate] = std::move(verdict);
          continue;
        }
        Choice choice;
        choice.candidate = candidate;
        choice.fixes = with(fixes, *candidate, verdict.tier);
        choice.after = no_longer_than(steps_after(choice.fixes), step);
        const double gain = fraction(static_cast<double>(step.likely - choice.after.likely),
                                     static_cast<double>(plan_.step_ns));
        // Idle time that a fix of its cause does not touch has another cause than it seems.
        const double least =
            candidate->is_operator() ? policy_.least_gain_fraction : policy_.keep_below_fraction;
        if (gain < least) {
          verdict.declined = Message{"declined.small_gain", {{"gain_fraction", number(gain)}}};
          verdicts_[candidate] = std::move(verdict);
          continue;
        }
        const auto [low, high] = policy_.days_of(candidate->operator_name, verdict.tier);
        choice.gain_per_day = gain / std::max((low + high) / 2, 0.1);
        choice.verdict = std::move(verdict);
        choice.tiers = now.tiers;
        if (!best.candidate || choice.gain_per_day > best.gain_per_day) best = std::move(choice);
      }
      if (!best.candidate) break;
      open.erase(std::find(open.begin(), open.end(), best.candidate));
      fixes = best.fixes;
      add_action(best, step);
      step = best.after;
    }
  }

  static NanosRange no_longer_than(NanosRange after, const NanosRange& before) {
    return {std::min(after.low, before.low), std::min(after.likely, before.likely),
            std::min(after.high, before.high)};
  }

  Message title_of(const Candidate& candidate, Tier tier) const {
    const std::string op = "@operator." + candidate.operator_name;
    switch (candidate.kind) {
      case ActionKind::graph: return {"title.graph", {}};
      case ActionKind::sync: return {"title.sync", {}};
      case ActionKind::input: return {"title.input", {}};
      case ActionKind::overlap: return {"title.overlap", {}};
      case ActionKind::layout:
        return {candidate.id == "channels_last" ? "title.channels_last" : "title.kv_cache", {}};
      case ActionKind::precision:
        return {candidate.id == "tensor_cores_fp32" ? "title.tf32"
                : candidate.id == "fp8_gemm"        ? "title.fp8_gemm"
                                                    : "title.weights",
                {}};
      default: break;
    }
    if (candidate.operator_name == "optimizer") return {"title.optimizer", {}};
    if (tier == Tier::existing && !candidate.implementations.empty())
      return {"title.replace", {{"operator", op}, {"name", candidate.implementations.front().name}}};
    if (tier == Tier::cuda) return {"title.write_cuda", {{"operator", op}}};
    // A GEMV is one kernel already: there is nothing to fuse, only a better kernel to write.
    return {candidate.operator_name == "gemv" ? "title.write_triton" : "title.fuse", {{"operator", op}}};
  }

  void add_action(const Choice& choice, const NanosRange& before) {
    const Candidate& candidate = *choice.candidate;
    Action action;
    action.id = candidate.id;
    action.rank = static_cast<int>(plan_.actions.size()) + 1;
    action.kind = candidate.kind;
    action.operator_name = candidate.operator_name;
    action.tier = choice.verdict.tier;
    action.title = title_of(candidate, action.tier);
    action.reason_path = choice.verdict.path;
    action.share_fraction =
        fraction(static_cast<double>(candidate.time_now_ns), static_cast<double>(plan_.step_ns));
    action.time_now_ns = candidate.time_now_ns;
    action.floor_ns = std::max<Nanos>(candidate.floor_ns, 0);
    const ByQuantile none = {workload_->no_fixes(), workload_->no_fixes(), workload_->no_fixes()};
    action.step_after_alone_ns = steps_after(with(none, candidate, action.tier));
    action.step_after_cumulative_ns = choice.after;
    const auto speedup = [&](Nanos after) {
      return fraction(static_cast<double>(plan_.step_ns), static_cast<double>(after));
    };
    action.speedup_end_to_end = {speedup(action.step_after_alone_ns.high),
                                 speedup(action.step_after_alone_ns.likely),
                                 speedup(action.step_after_alone_ns.low)};
    const auto [low, high] = policy_.days_of(candidate.operator_name, action.tier);
    action.dev_days_low = low;
    action.dev_days_high = high;
    price(action, before.likely - choice.after.likely);
    action.roi_band = policy_.band(action.share_fraction);
    action.changes_numerics = candidate.changes_numerics;
    action.confidence_fraction = candidate.confidence_fraction;
    action.implementations = candidate.implementations;
    action.tiers = choice.tiers;
    action.checklist = checklist_of(candidate, action.share_fraction, policy_, options_.project);
    action.gpu_events_per_step = candidate.gpu_events_per_step;
    say_evidence(candidate, action);
    say_risks(candidate, action);
    list_kernels(candidate, action);
    plan_.ladder.push_back(ladder_step(action.id, action.title, choice.after));
    plan_.actions.push_back(std::move(action));
  }

  /// The fleet does the same work in less time; what that frees is worth its price.
  void price(Action& action, Nanos saved_ns) const {
    const Project& project = options_.project;
    if (!project.gpu_hour_cost) return;
    const double part = fraction(static_cast<double>(saved_ns), static_cast<double>(plan_.step_ns));
    action.saving_per_month = part * project.gpus * *project.gpu_hour_cost * policy_.hours_per_month;
    if (!project.day_cost || *action.saving_per_month <= 0) return;
    const double cost = (action.dev_days_low + action.dev_days_high) / 2 * *project.day_cost;
    constexpr double kDaysPerMonth = 365.0 / 12;
    action.payback_days = cost / *action.saving_per_month * kDaysPerMonth;
  }

  void say_evidence(const Candidate& candidate, Action& action) const {
    action.evidence.push_back({"trace",
                               {"evidence.trace",
                                {{"time_ns", std::to_string(candidate.time_now_ns)},
                                 {"events", std::to_string(candidate.gpu_events_per_step)}}}});
    if (candidate.is_operator() && candidate.floor_ns > 0 && explanation_.gpu) {
      double bytes = 0;
      double flops = 0;
      for (const OperatorGroup* group : candidate.groups) {
        bytes += std::max(group->floor_bytes, 0.0);
        flops += std::max(group->floor_flops, 0.0);
      }
      const auto per_step = static_cast<double>(plan_.steps);
      action.evidence.push_back({"model",
                                 {"evidence.roofline",
                                  {{"floor_ns", std::to_string(candidate.floor_ns)},
                                   {"bytes", number(bytes / per_step)},
                                   {"flops", number(flops / per_step)},
                                   {"device", explanation_.gpu->name}}}});
    }
    action.evidence.push_back(evidence_of(candidate, action.tier));
    if (candidate.is_operator()) action.evidence.push_back({"model", {"evidence.replay", {}}});
  }

  void say_risks(const Candidate& candidate, Action& action) const {
    if (candidate.kind == ActionKind::graph) action.risks.push_back({"risk.graph", {}});
    if (candidate.kind == ActionKind::sync) action.risks.push_back({"risk.sync", {}});
    if (candidate.operator_name == "attention") action.risks.push_back({"risk.mask", {}});
    if (candidate.changes_numerics) action.risks.push_back({"risk.numerics", {}});
    const bool backward =
        std::any_of(candidate.groups.begin(), candidate.groups.end(),
                    [](const OperatorGroup* group) { return group->phase == Phase::backward; });
    if (backward && (action.tier == Tier::triton || action.tier == Tier::cuda))
      action.risks.push_back({"risk.autograd", {}});
  }

  void list_kernels(const Candidate& candidate, Action& action) const {
    constexpr std::size_t kMost = 12;
    for (const OperatorGroup* group : candidate.groups) {
      for (const std::string& kernel : group->kernels) {
        const bool known =
            std::find(action.kernels.begin(), action.kernels.end(), kernel) != action.kernels.end();
        if (!known && action.kernels.size() < kMost) action.kernels.push_back(kernel);
      }
      if (!group->shapes.empty() && action.shapes.size() < kMost &&
          std::find(action.shapes.begin(), action.shapes.end(), group->shapes) == action.shapes.end())
        action.shapes.push_back(group->shapes);
      if (!candidate.removed_events.empty()) continue;
      for (std::uint32_t instance : group->instances) {
        const OperatorInstance& row = explanation_.instances[instance];
        for (std::uint32_t i = 0; i < row.event_count; ++i)
          action.gpu_events.push_back(explanation_.instance_events[row.first_event + i]);
      }
    }
    action.gpu_events.insert(action.gpu_events.end(), candidate.removed_events.begin(),
                             candidate.removed_events.end());
  }

  static LadderStep ladder_step(std::string id, Message title, NanosRange step) {
    const auto rate = [](Nanos step_ns) { return step_ns > 0 ? 1e9 / static_cast<double>(step_ns) : 0; };
    return {std::move(id), std::move(title), step, {rate(step.high), rate(step.likely), rate(step.low)}};
  }

  /// Everything looked at and not proposed, largest first, so that a reader sees it was not forgotten.
  void decline_the_rest() {
    for (auto& [candidate, verdict] : verdicts_) {
      const double share =
          fraction(static_cast<double>(candidate->time_now_ns), static_cast<double>(plan_.step_ns));
      if (!verdict.declined || (!candidate->is_operator() && share < policy_.least_gain_fraction)) continue;
      Declined row{candidate->operator_name, *verdict.declined, std::move(verdict.path), share};
      if (candidate->floor_ns < 0 && !candidate->groups.empty() && candidate->operator_name == "optimizer")
        row.why = {"declined.fused_already", {{"name", candidate->groups.front()->top_op}}};
      plan_.declined.push_back(std::move(row));
    }
    for (const OperatorKind kind : {OperatorKind::gemm, OperatorKind::convolution}) decline_at_the_roof(kind);
    std::sort(plan_.declined.begin(), plan_.declined.end(), [](const Declined& a, const Declined& b) {
      return std::tuple(-a.share_fraction, a.operator_name, a.why.id) <
             std::tuple(-b.share_fraction, b.operator_name, b.why.id);
    });
  }

  void decline_at_the_roof(OperatorKind kind) {
    Nanos time_ns = 0;
    double at_roof_ns = 0;
    for (const OperatorGroup& group : explanation_.groups) {
      if (group.kind != kind || group.fp32_matmul || group.sol_fraction < 0) continue;
      time_ns += group.time_ns;
      at_roof_ns += group.sol_fraction * static_cast<double>(group.time_ns);
    }
    const double share =
        fraction(static_cast<double>(time_ns / plan_.steps), static_cast<double>(plan_.step_ns));
    if (share < policy_.keep_below_fraction) return;
    const double sol = fraction(at_roof_ns, static_cast<double>(time_ns));
    Declined row;
    row.operator_name = operator_kind_name(kind);
    row.share_fraction = share;
    row.reason_path = {
        {{"question.bottleneck", {}}, {"answer.yes_bottleneck", {{"share_fraction", number(share)}}}},
        {{"question.memory_bound", {}}, {"answer.not_memory_bound", {{"bound", "@bound.compute"}}}}};
    row.why = {sol >= policy_.at_roof_fraction ? "declined.at_the_roof" : "declined.below_the_roof",
               {{"sol_fraction", number(sol)}}};
    plan_.declined.push_back(std::move(row));
  }

  void say_headline() {
    const double step = static_cast<double>(plan_.step_ns);
    Nanos busy_ns = 0;
    for (std::size_t i = 0; i < kBusyBuckets; ++i) busy_ns += workload_->buckets_ns()[i];
    const std::string busy = number(fraction(static_cast<double>(busy_ns), step));
    const auto args = [&](const NanosRange& after) {
      return std::vector<std::pair<std::string, std::string>>{{"now_ns", std::to_string(plan_.step_ns)},
                                                              {"after_ns", std::to_string(after.likely)},
                                                              {"low_ns", std::to_string(after.low)},
                                                              {"high_ns", std::to_string(after.high)}};
    };
    if (plan_.actions.empty()) {
      plan_.headline = {"headline.balanced", {{"least_fraction", number(policy_.least_gain_fraction)}}};
      return;
    }
    const Action& first = plan_.actions.front();
    if (first.kind == ActionKind::graph) {
      plan_.headline = {"headline.launch_bound",
                        {{"busy_fraction", busy}, {"launches", std::to_string(plan_.launch_count_per_step)}}};
      plan_.summary.push_back({"summary.launch_first", args(first.step_after_cumulative_ns)});
    } else if (first.kind == ActionKind::sync || first.kind == ActionKind::input) {
      const Bucket cause = first.kind == ActionKind::sync ? Bucket::idle_sync : Bucket::idle_host;
      plan_.headline = {"headline.other_idle",
                        {{"busy_fraction", busy}, {"cause", "@bucket." + std::string(bucket_name(cause))}}};
    } else if (first.kind == ActionKind::overlap) {
      plan_.headline = {"headline.communication", {{"share_fraction", number(first.share_fraction)}}};
    } else {
      plan_.headline = {"headline.gpu_bound",
                        {{"busy_fraction", busy},
                         {"title", first.title.id.empty() ? "" : "@" + first.title.id},
                         {"now_ns", std::to_string(plan_.step_ns)},
                         {"after_ns", std::to_string(first.step_after_cumulative_ns.likely)}}};
      for (const auto& arg : first.title.args) plan_.headline.args.push_back(arg);
    }
    if (plan_.actions.size() < 2) return;
    const NanosRange& last = plan_.actions.back().step_after_cumulative_ns;
    Message all = {"summary.actions", args(last)};
    all.args.emplace_back("count", std::to_string(plan_.actions.size()));
    all.args.emplace_back("speedup", number(fraction(step, static_cast<double>(last.likely))).substr(0, 4));
    plan_.summary.push_back(std::move(all));
  }

  void say_doubts(const DeviceAccount& account) {
    const double step = static_cast<double>(plan_.step_ns);
    if (!plan_.hardware_known) plan_.doubts.push_back({"doubt.unknown_gpu", {{"name", plan_.device_name}}});
    if (!plan_.corrected && fraction(static_cast<double>(workload_->idle_ns()), step) > 0.05)
      plan_.doubts.push_back({"doubt.idle_overstated", {}});
    if (workload_->longer_than_profiled()) plan_.doubts.push_back({"doubt.unprofiled_scale", {}});
    if (account.idle_unreliable) plan_.doubts.push_back({"doubt.graph_idle", {}});
    if (plan_.modelled_fraction < 0.97)
      plan_.doubts.push_back({"doubt.unmodelled", {{"fraction", number(1 - plan_.modelled_fraction)}}});
    const auto errors = std::count_if(plan_.operators.begin(), plan_.operators.end(),
                                      [](const PlanOperator& row) { return row.model_error; });
    if (errors > 0) plan_.doubts.push_back({"doubt.model_errors", {{"count", std::to_string(errors)}}});
    const double replayed = fraction(static_cast<double>(workload_->replayed_step_ns()),
                                     static_cast<double>(plan_.profiled_step_ns));
    if (replayed < 0.95 || replayed > 1.05)
      plan_.doubts.push_back({"doubt.replay",
                              {{"replay_ns", std::to_string(workload_->replayed_step_ns())},
                               {"profiled_ns", std::to_string(plan_.profiled_step_ns)}}});
    const bool truncated = std::any_of(plan_.analysis.files.begin(), plan_.analysis.files.end(),
                                       [](const FileSummary& file) { return file.truncated; });
    if (truncated) plan_.doubts.push_back({"doubt.truncated", {}});
  }

  const Trace& trace_;
  const Explanation& explanation_;
  const PlanOptions& options_;
  Policy policy_;  // with measured efficiencies where there are any
  MeasuredEfficiencies measured_;
  Plan plan_;
  std::uint32_t device_row_ = 0;
  std::optional<Workload> workload_;
  std::vector<Candidate> candidates_;
  std::map<const Candidate*, Verdict> verdicts_;  // of the last round; order is by address: sorted when used
};

}  // namespace

std::string_view action_kind_name(ActionKind kind) {
  constexpr std::array<std::string_view, 9> kNames = {"graph",   "sync",      "input",  "overlap",  "fuse",
                                                      "replace", "precision", "layout", "algorithm"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view tier_name(Tier tier) {
  constexpr std::array<std::string_view, 4> kNames = {"pytorch", "triton", "cuda", "existing"};
  return kNames[static_cast<std::size_t>(tier)];
}

Plan make_plan(PlanInput input, const PlanOptions& options) {
  return Planner(std::move(input), options).make();
}

}  // namespace pagoda
