#include "advice/workload.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pagoda {

Workload::Workload(const Trace& trace, std::uint32_t device, const DeviceAccount& account, std::int64_t steps,
                   std::optional<Nanos> step_time_ns)
    : steps_(std::max<std::int64_t>(steps, 1)),
      profiled_step_ns_(account.window_ns / steps_),
      step_ns_(step_time_ns.value_or(profiled_step_ns_)),
      corrected_(step_time_ns.has_value()),
      longer_than_profiled_(step_ns_ > profiled_step_ns_),
      replay_(trace, device, {account.start_ns, account.start_ns + account.window_ns}) {
  // The replay may hold only the front of a long profile: what it says is scaled to one step.
  const Nanos part_ns = std::max<Nanos>(replay_.profiled_ns(), 1);
  const double profiled_steps =
      static_cast<double>(part_ns) / static_cast<double>(std::max<Nanos>(profiled_step_ns_, 1));
  const Nanos replayed_ns = replay_.play({});
  replayed_step_ns_ = static_cast<Nanos>(static_cast<double>(replayed_ns) / std::max(profiled_steps, 1e-9));
  if (corrected_ && !longer_than_profiled_) {
    const double target = static_cast<double>(replayed_ns) * static_cast<double>(step_ns_) /
                          static_cast<double>(std::max<Nanos>(profiled_step_ns_, 1));
    record_ns_ = replay_.fit_record_ns(static_cast<Nanos>(target));
  }
  const Nanos now_ns = replay_.play(no_fixes().change);
  calibration_ = now_ns > 0 ? static_cast<double>(step_ns_) / static_cast<double>(now_ns) : 0;
  share_out_buckets(account);
}

Fixes Workload::no_fixes() const {
  Fixes fixes;
  fixes.change.record_ns = record_ns_;
  return fixes;
}

Nanos Workload::step_after(const Fixes& fixes) const {
  const double played = static_cast<double>(replay_.play(fixes.change)) * calibration_;
  return std::clamp<Nanos>(std::llround(played), 0, step_ns_);
}

Nanos Workload::idle_ns() const {
  return std::accumulate(buckets_ns_.begin() + kBusyBuckets, buckets_ns_.end(), Nanos{0});
}

/// Kernels take as long without a profiler: a correction shortens idle time. Only a step shorter than the
/// busy time scales all.
void Workload::share_out_buckets(const DeviceAccount& account) {
  const auto& total = account.buckets_ns;
  const double busy = static_cast<double>(account.busy_ns) / static_cast<double>(steps_);
  const double idle = static_cast<double>(account.idle_ns) / static_cast<double>(steps_);
  const double step = static_cast<double>(step_ns_);
  const double busy_scale = busy > step && busy > 0 ? step / busy : 1;
  const double idle_scale = idle > 0 ? std::max(0.0, step - busy * busy_scale) / idle : 0;
  Nanos sum_ns = 0;
  for (std::size_t i = 0; i < kBucketCount; ++i) {
    const double scale = i < kBusyBuckets ? busy_scale : idle_scale;
    buckets_ns_[i] = static_cast<Nanos>(static_cast<double>(total[i]) / static_cast<double>(steps_) * scale);
    sum_ns += buckets_ns_[i];
  }
  // What rounding (or a step without idle time) left over goes to the largest bucket of its kind.
  const auto from = idle > 0 ? buckets_ns_.begin() + kBusyBuckets : buckets_ns_.begin();
  *std::max_element(from, buckets_ns_.end()) += step_ns_ - sum_ns;
}

}  // namespace pagoda
