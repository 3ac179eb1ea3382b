#pragma once
#include <optional>
#include <string>

#include "advice/plan.h"
#include "advice/policy.h"
#include "advice/replay.h"
#include "analysis/roofline.h"

namespace pagoda {

/// Low: everything goes well, the shortest time. High: the longest.
enum class Quantile : std::uint8_t { low, likely, high };
inline constexpr std::array kQuantiles = {Quantile::low, Quantile::likely, Quantile::high};

/// Changes chosen so far, for one quantile.
struct Fixes {
  Replay::Change change;
};

/// One step of a workload and what becomes of it when things change.
class Workload {
 public:
  /// `account` is the device that the plan is about, and `device` its row in the trace. `step_time_ns`: an
  /// unprofiled step.
  Workload(const Trace& trace, std::uint32_t device, const DeviceAccount& account, std::int64_t steps,
           std::optional<Nanos> step_time_ns);

  Nanos profiled_step_ns() const { return profiled_step_ns_; }
  Nanos step_ns() const { return step_ns_; }
  bool corrected() const { return corrected_; }
  /// The given step is longer than the profiled one.
  bool longer_than_profiled() const { return longer_than_profiled_; }
  std::int64_t steps() const { return steps_; }
  /// Buckets of one step, corrected; sums to step_ns().
  const std::array<Nanos, kBucketCount>& buckets_ns() const { return buckets_ns_; }
  Nanos idle_ns() const;
  /// What the replay of no change gives for a profiled step: its error.
  Nanos replayed_step_ns() const { return replayed_step_ns_; }

  Fixes no_fixes() const;
  Nanos step_after(const Fixes& fixes) const;
  const Replay& replay() const { return replay_; }

 private:
  void share_out_buckets(const DeviceAccount& account);

  std::int64_t steps_;
  Nanos profiled_step_ns_ = 0;
  Nanos step_ns_ = 0;
  bool corrected_ = false;
  bool longer_than_profiled_ = false;
  std::array<Nanos, kBucketCount> buckets_ns_{};
  Replay replay_;
  double record_ns_ = 0;    // the profiler's cost of one record
  double calibration_ = 1;  // step_ns over the replayed step
  Nanos replayed_step_ns_ = 0;
};

}  // namespace pagoda
