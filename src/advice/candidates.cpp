#include "advice/candidates.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>

namespace pagoda {
namespace {

/// Operators that one kernel can do: what fusing, or replacing by a known kernel, is about.
bool is_fusible(OperatorKind kind) {
  switch (kind) {
    case OperatorKind::rms_norm:
    case OperatorKind::add_rms_norm:
    case OperatorKind::layer_norm:
    case OperatorKind::group_norm:
    case OperatorKind::swiglu:
    case OperatorKind::geglu:
    case OperatorKind::activation:
    case OperatorKind::rope:
    case OperatorKind::attention:
    case OperatorKind::repeat_kv:
    case OperatorKind::softmax:
    case OperatorKind::cross_entropy:
    case OperatorKind::loss:
    case OperatorKind::optimizer:
    case OperatorKind::quantize:
    case OperatorKind::kv_cache:
    case OperatorKind::elementwise:
    case OperatorKind::gemv: return true;
    default: return false;
  }
}

/// AdamW as a loop of ops reads and writes about 20 tensors where a fused step needs 7 (parameter, gradient
/// and two moments read; parameter and moments written).
Nanos fused_floor_ns(const OperatorGroup& group) {
  if (group.kind != OperatorKind::optimizer || group.top_op.find("_fused_") != std::string::npos)
    return group.floor_ns;
  return group.floor_ns * 7 / 20;
}

double pick(const Prior& prior, Quantile quantile) {
  return quantile == Quantile::low ? prior.low : quantile == Quantile::likely ? prior.likely : prior.high;
}

/// The best efficiency gives the shortest time.
double efficiency(const Policy& policy, const std::string& operator_name, Tier tier, Quantile quantile) {
  const Prior prior = policy.efficiency_of(operator_name, tier);
  return quantile == Quantile::low ? prior.high : quantile == Quantile::likely ? prior.likely : prior.low;
}

Nanos per_step(Nanos total_ns, const Workload& workload) { return total_ns / workload.steps(); }

std::string id_of(OperatorKind kind) {
  const std::string name(operator_kind_name(kind));
  if (kind == OperatorKind::attention) return "attention";
  if (kind == OperatorKind::optimizer) return "fused_optimizer";
  if (kind == OperatorKind::kv_cache) return "static_kv_cache";
  return "fuse_" + name;
}

std::vector<Candidate> operator_candidates(const Explanation& explanation, const Workload& workload,
                                           const Catalogue& catalogue) {
  std::map<OperatorKind, Candidate> by_kind;
  std::map<OperatorKind, std::array<Nanos, 5>> bounds;
  for (const OperatorGroup& group : explanation.groups) {
    if (!is_fusible(group.kind)) continue;
    Candidate& candidate = by_kind[group.kind];
    candidate.groups.push_back(&group);
    candidate.time_now_ns += group.time_ns;
    candidate.gpu_events_per_step += group.gpu_events;
    // One group without a floor: its time counts as it is, nothing is promised for it.
    candidate.floor_ns +=
        group.floor_ns >= 0 ? std::min(fused_floor_ns(group), group.time_ns) : group.time_ns;
    candidate.confidence_fraction = std::min(candidate.confidence_fraction, group.confidence_fraction);
    for (std::size_t i = 0; i < 5; ++i) bounds[group.kind][i] += group.bound_ns[i];
  }
  std::vector<Candidate> candidates;
  const std::string arch = explanation.gpu ? explanation.gpu->arch : "";
  for (auto& [kind, candidate] : by_kind) {
    candidate.id = id_of(kind);
    candidate.operator_name = operator_kind_name(kind);
    candidate.kind = kind == OperatorKind::attention  ? ActionKind::replace
                     : kind == OperatorKind::kv_cache ? ActionKind::layout
                                                      : ActionKind::fuse;
    // torch names them aten::_fused_adamw_: nothing is left to switch on.
    Nanos fused_ns = 0;
    for (const OperatorGroup* group : candidate.groups) {
      if (group->top_op.find("_fused_") != std::string::npos) fused_ns += group->time_ns;
    }
    const bool fused_already = kind == OperatorKind::optimizer && fused_ns * 2 > candidate.time_now_ns;
    const bool unknown =
        fused_already || std::all_of(candidate.groups.begin(), candidate.groups.end(),
                                     [](const OperatorGroup* group) { return group->floor_ns < 0; });
    const auto& split = bounds[kind];
    const auto most = static_cast<std::size_t>(std::max_element(split.begin(), split.end()) - split.begin());
    candidate.bound = static_cast<Bound>(most);
    candidate.bound_fraction = candidate.time_now_ns > 0 ? static_cast<double>(split[most]) /
                                                               static_cast<double>(candidate.time_now_ns)
                                                         : 0;
    candidate.time_now_ns = per_step(candidate.time_now_ns, workload);
    candidate.floor_ns = unknown ? -1 : per_step(candidate.floor_ns, workload);
    candidate.gpu_events_per_step /= workload.steps();
    candidate.implementations =
        catalogue.find(candidate.operator_name, arch, candidate.groups.front()->dtype);
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

Candidate idle_candidate(std::string id, ActionKind kind, std::string operator_name, Bucket cause,
                         const Workload& workload) {
  Candidate candidate;
  candidate.id = std::move(id);
  candidate.kind = kind;
  candidate.operator_name = std::move(operator_name);
  candidate.idle_cause = cause;
  candidate.time_now_ns = workload.buckets_ns()[static_cast<std::size_t>(cause)];
  return candidate;
}

/// fp32 matmuls beside idle Tensor Cores.
std::optional<Candidate> tf32_candidate(const Explanation& explanation, const Workload& workload) {
  Candidate candidate;
  for (const OperatorGroup& group : explanation.groups) {
    if (!group.fp32_matmul || group.flops <= 0) continue;
    candidate.groups.push_back(&group);
    candidate.time_now_ns += group.time_ns;
    candidate.gpu_events_per_step += group.gpu_events;
  }
  if (candidate.groups.empty() || !explanation.gpu) return std::nullopt;
  const double peak = explanation.gpu->attainable_flops_per_s(MathType::tf32, true);
  double floor_ns = 0;
  for (const OperatorGroup* group : candidate.groups) floor_ns += peak > 0 ? group->flops / peak * 1e9 : 0;
  candidate.id = "tensor_cores_fp32";
  candidate.efficiency_name = "default";
  candidate.kind = ActionKind::precision;
  candidate.operator_name = "gemm";
  candidate.bound = Bound::compute;
  candidate.bound_fraction = 1;
  candidate.changes_numerics = true;
  candidate.time_now_ns = per_step(candidate.time_now_ns, workload);
  candidate.floor_ns = per_step(std::llround(floor_ns), workload);
  candidate.gpu_events_per_step /= workload.steps();
  return candidate;
}

/// Weights of half the bytes, for matmuls that only wait for them.
std::optional<Candidate> weights_candidate(const Explanation& explanation, const Workload& workload) {
  Candidate candidate;
  for (const OperatorGroup& group : explanation.groups) {
    if (group.kind != OperatorKind::gemv || group.bound != Bound::memory || group.dtype != "bfloat16")
      continue;
    candidate.groups.push_back(&group);
    candidate.time_now_ns += group.time_ns;
    candidate.floor_ns += group.floor_ns >= 0 ? group.floor_ns / 2 : group.time_ns;
    candidate.gpu_events_per_step += group.gpu_events;
  }
  if (candidate.groups.empty()) return std::nullopt;
  candidate.id = "fp8_weights";
  candidate.efficiency_name = "default";
  candidate.kind = ActionKind::precision;
  candidate.operator_name = "gemv";
  candidate.bound = Bound::memory;
  candidate.bound_fraction = 1;
  candidate.changes_numerics = true;
  candidate.time_now_ns = per_step(candidate.time_now_ns, workload);
  candidate.floor_ns = per_step(candidate.floor_ns, workload);
  candidate.gpu_events_per_step /= workload.steps();
  return candidate;
}

/// Matmuls that wait for the Tensor Cores, on a GPU that multiplies fp8 faster. Operands halve as well, but
/// the output does not: the bytes of now are an upper bound.
std::optional<Candidate> fp8_gemm_candidate(const Explanation& explanation, const Workload& workload) {
  if (!explanation.gpu) return std::nullopt;
  // A GPU without the format does its FLOP in another: only its own peak tells.
  if (explanation.gpu->matrix_flops_per_s[static_cast<std::size_t>(MathType::fp8)] <= 0) return std::nullopt;
  const double peak = explanation.gpu->attainable_flops_per_s(MathType::fp8, true);
  Candidate candidate;
  double floor_ns = 0;
  for (const OperatorGroup& group : explanation.groups) {
    const bool half = group.dtype == "bfloat16" || group.dtype == "float16";
    if (group.kind != OperatorKind::gemm || group.bound != Bound::compute || !half || group.flops <= 0)
      continue;
    const double bytes = std::max(group.floor_bytes, 0.0);
    const double bytes_per_s = explanation.gpu->attainable_bytes_per_s(bytes, 0);
    floor_ns += std::max(group.flops / peak, bytes_per_s > 0 ? bytes / bytes_per_s : 0.0) * 1e9;
    candidate.groups.push_back(&group);
    candidate.time_now_ns += group.time_ns;
    candidate.gpu_events_per_step += group.gpu_events;
  }
  if (candidate.groups.empty()) return std::nullopt;
  candidate.id = "fp8_gemm";
  candidate.kind = ActionKind::precision;
  candidate.operator_name = "gemm";
  candidate.efficiency_name = "gemm_fp8";
  candidate.bound = Bound::compute;
  candidate.bound_fraction = 1;
  candidate.changes_numerics = true;
  candidate.time_now_ns = per_step(candidate.time_now_ns, workload);
  candidate.floor_ns = per_step(std::llround(floor_ns), workload);
  candidate.gpu_events_per_step /= workload.steps();
  return candidate;
}

bool converts_layout(std::string_view kernel) {
  std::string lower(kernel);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower.find("nchwtonhwc") != std::string::npos || lower.find("nhwctonchw") != std::string::npos ||
         lower.find("batched_transpose_") != std::string::npos;
}

/// Convolutions on Tensor Cores want channels last: in a channels-first model the library converts in front
/// of each and behind it, in kernels of its own.
std::optional<Candidate> channels_last_candidate(const Trace& trace, const Explanation& explanation,
                                                 const Workload& workload) {
  Candidate candidate;
  for (const OperatorGroup& group : explanation.groups) {
    if (group.kind != OperatorKind::convolution) continue;
    const std::size_t before = candidate.removed_events.size();
    for (std::uint32_t row : group.instances) {
      const OperatorInstance& instance = explanation.instances[row];
      for (std::uint32_t i = 0; i < instance.event_count; ++i) {
        const std::uint32_t event = explanation.instance_events[instance.first_event + i];
        if (!converts_layout(trace.text(trace.gpu_events[event].name))) continue;
        candidate.removed_events.push_back(event);
        candidate.time_now_ns += trace.gpu_events[event].duration_ns;
      }
    }
    if (candidate.removed_events.size() > before) candidate.groups.push_back(&group);
  }
  if (candidate.groups.empty()) return std::nullopt;
  candidate.id = "channels_last";
  candidate.kind = ActionKind::layout;
  candidate.operator_name = "convolution";
  candidate.bound = Bound::memory;
  candidate.bound_fraction = 1;
  candidate.time_now_ns = per_step(candidate.time_now_ns, workload);
  candidate.gpu_events_per_step =
      static_cast<std::int64_t>(candidate.removed_events.size()) / workload.steps();
  return candidate;
}

/// Events that go, but for what stays of each.
void remove_events(const Candidate& candidate, double stays, const Workload& workload,
                   Replay::Change& change) {
  for (std::uint32_t event : candidate.removed_events) {
    const auto step = workload.replay().step_of(event);
    // Another time than the profile's: a replacement took its place, and what the conversion cost is saved.
    if (step == kNone || change.duration_ns[step] != workload.replay().steps()[step].duration_ns) continue;
    if (stays > 0) {
      change.duration_ns[step] = std::llround(static_cast<double>(change.duration_ns[step]) * stays);
    } else {
      change.duration_ns[step] = Replay::kRemoved;
      change.host_extra_ns[step] = Replay::kHostGone;
    }
  }
}

/// What a fused kernel does to one instance: the first kernel's place takes its time, the others go.
struct Replacement {
  Nanos new_ns = 0;
  double realised_fraction = 1;  // of the saving
  double host_extra_ns = 0;
};

void replace_instance(const OperatorInstance& instance, const Replacement& with,
                      const Explanation& explanation, const Workload& workload, Replay::Change& change) {
  std::vector<std::uint32_t> steps;
  Nanos old_ns = 0;
  for (std::uint32_t i = 0; i < instance.event_count; ++i) {
    const auto step = workload.replay().step_of(explanation.instance_events[instance.first_event + i]);
    if (step == kNone || change.duration_ns[step] == Replay::kRemoved) continue;
    steps.push_back(step);
    old_ns += change.duration_ns[step];
  }
  // Nobody adopts a kernel that is slower than what is there.
  const auto saving = static_cast<double>(std::max<Nanos>(old_ns - with.new_ns, 0)) * with.realised_fraction;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    change.duration_ns[steps[i]] =
        i == 0 ? std::max<Nanos>(old_ns - std::llround(saving), 1000) : Replay::kRemoved;
    if (i > 0)
      change.host_extra_ns[steps[i]] = Replay::kHostGone;
    else if (steps.size() > 1)
      change.host_extra_ns[steps[i]] += with.host_extra_ns;
  }
}

}  // namespace

std::vector<Candidate> find_candidates(const Trace& trace, const Explanation& explanation,
                                       const Workload& workload, const Policy& policy,
                                       const Catalogue& catalogue) {
  std::vector<Candidate> candidates = operator_candidates(explanation, workload, catalogue);
  const std::string arch = explanation.gpu ? explanation.gpu->arch : "";
  const auto add = [&](Candidate candidate, std::string_view catalogue_name) {
    candidate.implementations = catalogue.find(catalogue_name, arch, "");
    candidates.push_back(std::move(candidate));
  };
  add(idle_candidate("cuda_graph", ActionKind::graph, "launches", Bucket::idle_launch, workload), "launches");
  candidates.back().gpu_events_per_step =
      static_cast<std::int64_t>(workload.replay().size()) / workload.steps();
  add(idle_candidate("remove_syncs", ActionKind::sync, "host_sync", Bucket::idle_sync, workload),
      "host_sync");
  add(idle_candidate("feed_the_gpu", ActionKind::input, "host_input", Bucket::idle_host, workload),
      "host_input");
  add(idle_candidate("overlap_communication", ActionKind::overlap, "collective",
                     Bucket::exposed_communication, workload),
      "collective");
  for (const OperatorGroup& group : explanation.groups) {
    if (group.kind != OperatorKind::collective) continue;
    for (std::uint32_t instance : group.instances) {
      const OperatorInstance& row = explanation.instances[instance];
      const auto* events = explanation.instance_events.data() + row.first_event;
      candidates.back().collectives.insert(candidates.back().collectives.end(), events,
                                           events + row.event_count);
    }
    candidates.back().exposed_fraction += static_cast<double>(group.time_ns);
  }
  if (candidates.back().exposed_fraction > 0) {
    const double exposed_ns = static_cast<double>(candidates.back().time_now_ns * workload.steps());
    candidates.back().exposed_fraction = std::min(1.0, exposed_ns / candidates.back().exposed_fraction);
  }
  if (auto tf32 = tf32_candidate(explanation, workload)) add(std::move(*tf32), "gemm_fp32");
  if (auto weights = weights_candidate(explanation, workload)) add(std::move(*weights), "weights_fp8");
  if (auto fp8 = fp8_gemm_candidate(explanation, workload)) add(std::move(*fp8), "gemm_fp8");
  if (auto layout = channels_last_candidate(trace, explanation, workload))
    add(std::move(*layout), "convolution");
  std::erase_if(candidates, [&](const Candidate& candidate) {
    const double share = static_cast<double>(candidate.time_now_ns) /
                         static_cast<double>(std::max<Nanos>(workload.step_ns(), 1));
    return share < policy.least_gain_fraction && candidate.kind != ActionKind::graph;
  });
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate& a, const Candidate& b) { return a.id < b.id; });
  return candidates;
}

void apply(const Candidate& candidate, Tier tier, Quantile quantile, const Explanation& explanation,
           const Workload& workload, const Policy& policy, Fixes& fixes) {
  switch (candidate.kind) {
    case ActionKind::graph:
      fixes.change.graph = true;
      fixes.change.graph_gap_ns = std::llround(pick(policy.graph_gap_ns, quantile));
      return;
    case ActionKind::sync: fixes.change.no_waits = true; return;
    case ActionKind::input: fixes.change.elsewhere_fraction = pick(policy.input_remains, quantile); return;
    default: break;
  }
  Replay::Change& change = fixes.change;
  if (change.duration_ns.empty()) {
    for (const Replay::Step& step : workload.replay().steps()) change.duration_ns.push_back(step.duration_ns);
    change.host_extra_ns.assign(change.duration_ns.size(), 0);
  }
  if (candidate.kind == ActionKind::overlap) {
    const double stays = 1 - candidate.exposed_fraction * (1 - pick(policy.overlap_remains, quantile));
    for (std::uint32_t event : candidate.collectives) {
      const auto step = workload.replay().step_of(event);
      if (step == kNone || change.duration_ns[step] == Replay::kRemoved) continue;
      change.duration_ns[step] = std::llround(static_cast<double>(change.duration_ns[step]) * stays);
    }
    return;
  }
  if (!candidate.removed_events.empty()) {
    remove_events(candidate, pick(policy.layout_remains, quantile), workload, change);
    return;
  }
  const double eff = efficiency(policy, candidate.priced_as(), tier, quantile);
  for (const OperatorGroup* group : candidate.groups) {
    auto floor_ns = static_cast<double>(fused_floor_ns(*group));
    if (candidate.kind == ActionKind::precision && group->time_ns > 0)
      floor_ns = static_cast<double>(candidate.floor_ns) * static_cast<double>(group->time_ns) /
                 static_cast<double>(std::max<Nanos>(candidate.time_now_ns, 1));
    if (floor_ns < 0 || group->instance_count == 0) continue;
    const double each_ns = floor_ns / static_cast<double>(group->instance_count) / std::max(eff, 0.01);
    const Replacement with{std::llround(std::max(each_ns, 1000.0)),
                           quantile == Quantile::low      ? policy.realised_saving.high
                           : quantile == Quantile::likely ? policy.realised_saving.likely
                                                          : policy.realised_saving.low,
                           pick(policy.host_extra_of(candidate.operator_name, tier), quantile)};
    for (std::uint32_t instance : group->instances)
      replace_instance(explanation.instances[instance], with, explanation, workload, change);
  }
}

}  // namespace pagoda
