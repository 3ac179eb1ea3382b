#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/account.h"
#include "analysis/patterns.h"
#include "core/intervals.h"
#include "hardware/hardware.h"
#include "trace/trace.h"

namespace pagoda {

struct Attribution;  // analysis/attribution.h

/// How a bound is known, best first.
enum class KnownBy : std::uint8_t {
  counters,  ///< Nsight Compute counters of the same kernel
  modelled,  ///< FLOP and bytes from shapes, held against a known GPU
  name,      ///< the kernel's or op's family only
  none
};
std::string_view known_by_name(KnownBy how);

/// Operators of equal kind, phase and shapes, over the whole profile (not per step).
struct OperatorGroup {
  OperatorKind kind = OperatorKind::other;
  Phase phase = Phase::unknown;
  RecognisedBy how = RecognisedBy::none;  ///< the weakest of its instances
  float confidence_fraction = 0;          ///< time-weighted mean of its instances
  std::string shapes;  ///< "[1,2048,4096]": of the instance's first modelled tensors; empty when not recorded
  std::string dtype;   ///< "bfloat16": of the data (not of fp32 intermediates); empty when not recorded
  std::string top_op;  ///< op with the most time in it ("aten::mm"); kernel name where no op is known
  std::vector<std::string> kernels;      ///< distinct kernel names by time, longest first, at most 8
  std::vector<std::uint32_t> instances;  ///< rows of Explanation::instances in time order
  std::int64_t instance_count = 0;
  std::int64_t gpu_events = 0;
  Nanos time_ns = 0;          ///< sum of durations of its GPU events
  double share_fraction = 0;  ///< of the durations of all GPU events in the window

  double flops = -1;        ///< done now; -1 unknown
  double bytes = -1;        ///< DRAM bytes moved now; -1 unknown
  double l2_bytes = 0;      ///< bytes served by L2 on top of that
  double floor_flops = -1;  ///< of one fused kernel per instance; -1 unknown
  double floor_bytes = -1;
  Nanos floor_ns = -1;  ///< time of one fused kernel per instance at the attainable ceilings, no less than
                        ///< the shortest kernel (kShortestKernelNs) each; -1: shapes or GPU unknown
  Nanos kernel_floor_ns =
      -1;  ///< same for the kernels as they are now (their own FLOP and bytes); -1 unknown

  Bound bound = Bound::unknown;
  KnownBy known_by = KnownBy::none;
  std::string math_type;             ///< "bf16", "fp32": what its FLOP are held against; empty: no FLOP
  double arithmetic_intensity = -1;  ///< flops / bytes; -1 unknown
  double ridge_point = -1;           ///< roof FLOP/s over roof bytes/s; -1: GPU unknown
  double achieved_flops_per_s = -1;
  double achieved_bytes_per_s = -1;  ///< DRAM
  double sol_fraction = -1;  ///< time at the roofs over time now, of the kernels as they are; -1 unknown
  double fused_sol_fraction = -1;   ///< floor_ns / time_ns: what fusion could reach; -1 unknown
  bool model_error = false;         ///< above 105 % of a roof: the model is wrong here, and it is said
  std::array<Nanos, 5> bound_ns{};  ///< split of time_ns by Bound of each GPU event
  bool fp32_matmul =
      false;  ///< fp32 inputs multiplied without tensor cores (TF32 off) on a GPU that has them
};

/// Part of the GPU time (sum of durations of GPU events in the window) about which something is known.
struct Coverage {
  double classified_fraction = 0;  ///< operator kind other than `other`
  double modelled_fraction =
      0;  ///< FLOP and bytes from shapes or counters (time of kernels, transfers included)
  double bound_fraction = 0;  ///< Bound other than unknown
  double l2_fraction = 0;     ///< bytes found in L2 over all modelled bytes
};

/// Chains of adjacent memory-bound kernels that hand tensors on, whatever their name. May span operators, and
/// so overlap them in time; operators are what a plan is made of, chains tell what else could be fused.
struct FusionChain {
  std::vector<std::uint32_t> gpu_events;  ///< rows of Trace::gpu_events in time order
  std::vector<std::uint32_t> instances;   ///< operators it runs through
  Nanos time_ns = 0;
  double bytes = 0;        ///< now
  double floor_bytes = 0;  ///< without the tensors handed on
  Phase phase = Phase::unknown;
};

/// Answer to "why does each kernel take its time, and what is it part of".
struct Explanation {
  // One entry per row of Trace::gpu_events.
  std::vector<Bound> bounds;  ///< what classifies the account's buckets
  std::vector<KnownBy> known_by;
  std::vector<std::uint32_t> instance_of_event;  ///< row of instances, kNone outside the window

  std::vector<OperatorInstance>
      instances;  ///< by first GPU event; every event in the window is in exactly one
  std::vector<std::uint32_t> instance_events;  ///< rows of Trace::gpu_events, sliced by instances
  std::vector<OperatorGroup> groups;           ///< by time, longest first; nothing is dropped
  std::vector<FusionChain> chains;             ///< by bytes saved, most first
  Coverage coverage;
  std::optional<GpuSpec> gpu;       ///< what it was held against; nullopt: unknown GPU
  Nanos gpu_time_ns = 0;            ///< sum of durations of GPU events in the window
  std::int64_t suspect_shapes = 0;  ///< kernels whose recorded shapes are not trusted (Triton views)
};

/// Shortest useful kernel on any of the GPUs: launch, one wave, drain. No floor is below it.
inline constexpr Nanos kShortestKernelNs = 2'000;
/// A share of a roof above this is a model error.
inline constexpr double kModelErrorFraction = 1.05;

struct ExplainOptions {
  std::optional<Interval> window;  ///< only GPU events that start in it; default: all
  /// Nsight Compute counters of the same workload and, per row of trace.gpu_events, the row of
  /// `counters->counters` or kNone (join_counters). They replace the model where given.
  const Trace* counters = nullptr;
  const std::vector<std::uint32_t>* counter_of_event = nullptr;
};

/// `attributions` has one entry per row of trace.gpu_events. `gpu` null: unknown GPU, nothing is held against
/// a roof and bounds come from names. Linear in events; deterministic.
Explanation explain(const Trace& trace, const std::vector<Attribution>& attributions, const GpuSpec* gpu,
                    const ExplainOptions& options = {});

}  // namespace pagoda
