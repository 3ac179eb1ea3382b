#include "advice/decision_tree.h"

#include <algorithm>
#include <cstdio>

namespace pagoda {
namespace {

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

class Walk {
 public:
  Walk(const Candidate& candidate, const TierOutlook& outlook, const Workload& workload, const Policy& policy,
       const Project& project)
      : candidate_(candidate), outlook_(outlook), workload_(workload), policy_(policy), project_(project) {
    share_ = static_cast<double>(candidate.time_now_ns) /
             static_cast<double>(std::max<Nanos>(outlook.step_now_ns, 1));
  }

  Verdict walk() {
    step("question.bottleneck", {"answer.yes_bottleneck", {{"share_fraction", number(share_)}}});
    if (!candidate_.is_operator()) return idle();
    const double idle_fraction = static_cast<double>(workload_.idle_ns()) /
                                 static_cast<double>(std::max<Nanos>(workload_.step_ns(), 1));
    step("question.gpu_idle", {idle_fraction > policy_.idle_fraction ? "answer.idle" : "answer.not_idle",
                               {{"idle_fraction", number(idle_fraction)}}});
    if (candidate_.floor_ns < 0)
      return keep({"declined.unknown_floor", {{"share_fraction", number(share_)}}});
    if (candidate_.kind == ActionKind::precision) return precision();
    // Attention, and chains that are latency-bound, are fused for the same reason: traffic and launches.
    step("question.memory_bound",
         candidate_.bound == Bound::compute
             ? Message{"answer.not_memory_bound", {{"bound", "@bound.compute"}}}
             : Message{"answer.memory_bound", {{"bound_fraction", number(candidate_.bound_fraction)}}});
    return by_share();
  }

 private:
  Verdict idle() {
    const Nanos idle_ns = std::max<Nanos>(workload_.idle_ns(), 1);
    if (candidate_.kind == ActionKind::overlap) {
      step("question.cause", {"answer.yes_bottleneck", {{"share_fraction", number(share_)}}});
    } else {
      step("question.cause", {"answer.idle_cause",
                              {{"cause", "@bucket." + std::string(bucket_name(candidate_.idle_cause))},
                               {"share_fraction", number(static_cast<double>(candidate_.time_now_ns) /
                                                         static_cast<double>(idle_ns))}}});
    }
    if (share_ < policy_.keep_below_fraction) return keep_small();
    return act(Tier::existing);
  }

  Verdict precision() {
    if (candidate_.id == "tensor_cores_fp32") {
      step("question.tensor_cores", {"answer.no_tensor_cores", {}});
      return act(Tier::existing);
    }
    if (share_ < policy_.keep_below_fraction) return keep_small();
    step("question.memory_bound",
         candidate_.bound == Bound::memory
             ? Message{"answer.memory_bound", {{"bound_fraction", number(candidate_.bound_fraction)}}}
             : Message{"answer.not_memory_bound",
                       {{"bound", "@bound." + std::string(bound_name(candidate_.bound))}}});
    step("question.numerics",
         {project_.changes_numerics_allowed ? "answer.numerics_allowed" : "answer.numerics_kept", {}});
    const TierEstimate* existing = outlook_.find(Tier::existing);
    const Nanos saving = existing ? outlook_.step_now_ns - existing->step_after_alone_ns.likely : 0;
    if (!project_.changes_numerics_allowed)
      return keep({"declined.numerics", {{"saving_ns", std::to_string(saving)}}});
    return act(Tier::existing);
  }

  Verdict by_share() {
    if (share_ < policy_.keep_below_fraction) return keep_small();
    if (share_ < policy_.cuda.above_fraction) {
      step("question.share", {"answer.share_triton", {{"share_fraction", number(share_)}}});
      return act(triton_or_existing());
    }
    step("question.share",
         {"answer.share_cuda",
          {{"share_fraction", number(share_)}, {"threshold_fraction", number(policy_.cuda.above_fraction)}}});
    if (!candidate_.implementations.empty()) {
      step("question.open_source",
           {"answer.open_source", {{"name", candidate_.implementations.front().name}}});
      return act(Tier::existing);
    }
    step("question.open_source", {"answer.no_open_source", {}});
    if (policy_.cuda.only_when_triton_falls_short && triton_reaches()) return act(Tier::triton);
    return by_roi();
  }

  /// Operators that are switched on rather than written (fused optimizers, a static cache) have no Triton
  /// tier.
  Tier triton_or_existing() const {
    const bool switched = candidate_.kind == ActionKind::layout || candidate_.operator_name == "optimizer";
    return switched || !outlook_.find(Tier::triton) ? Tier::existing : Tier::triton;
  }

  bool triton_reaches() {
    const double eff = policy_.efficiency_of(candidate_.operator_name, Tier::triton).likely;
    constexpr double kTarget = 0.9;
    step("question.triton_reaches",
         {eff >= kTarget ? "answer.triton_reaches" : "answer.triton_short", {{"eff_fraction", number(eff)}}});
    return eff >= kTarget;
  }

  /// CUDA pays when what it gains over Triton is worth the days that it costs more.
  Verdict by_roi() {
    const TierEstimate* triton = outlook_.find(Tier::triton);
    const TierEstimate* cuda = outlook_.find(Tier::cuda);
    if (!triton || !cuda) return act(Tier::existing);
    const double extra =
        static_cast<double>(triton->step_after_alone_ns.likely - cuda->step_after_alone_ns.likely) /
        static_cast<double>(std::max<Nanos>(outlook_.step_now_ns, 1));
    const double days =
        (cuda->dev_days.low + cuda->dev_days.high - triton->dev_days.low - triton->dev_days.high) / 2;
    bool worth = extra >= 0.03;
    if (project_.gpu_hour_cost && project_.day_cost) {
      const double per_month = extra * project_.gpus * *project_.gpu_hour_cost * policy_.hours_per_month;
      worth = per_month * project_.horizon_months.value_or(12) > days * *project_.day_cost;
    }
    step("question.roi", {worth ? "answer.cuda_worth" : "answer.cuda_extra_small",
                          {{"extra_fraction", number(extra)}, {"days", number(std::max(days, 0.0))}}});
    return act(worth ? Tier::cuda : Tier::triton);
  }

  Verdict act(Tier tier) { return {true, tier, std::move(path_), std::nullopt}; }
  Verdict keep(Message why) { return {false, Tier::pytorch, std::move(path_), std::move(why)}; }
  Verdict keep_small() {
    const std::vector<std::pair<std::string, std::string>> args = {
        {"share_fraction", number(share_)}, {"threshold_fraction", number(policy_.keep_below_fraction)}};
    step("question.share", {"answer.share_keep", args});
    return keep({"declined.share", args});
  }
  void step(std::string question, Message answer) {
    path_.push_back({{std::move(question), {}}, std::move(answer)});
  }

  const Candidate& candidate_;
  const TierOutlook& outlook_;
  const Workload& workload_;
  const Policy& policy_;
  const Project& project_;
  double share_ = 0;
  std::vector<PathStep> path_;
};

}  // namespace

const TierEstimate* TierOutlook::find(Tier tier) const {
  const auto found =
      std::find_if(tiers.begin(), tiers.end(), [&](const TierEstimate& row) { return row.tier == tier; });
  return found == tiers.end() ? nullptr : &*found;
}

Verdict decide(const Candidate& candidate, const TierOutlook& outlook, const Workload& workload,
               const Policy& policy, const Project& project) {
  return Walk(candidate, outlook, workload, policy, project).walk();
}

}  // namespace pagoda
