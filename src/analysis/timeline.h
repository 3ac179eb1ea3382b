#pragma once
#include <span>
#include <vector>

#include "analysis/account.h"
#include "analysis/attribution.h"
#include "analysis/host_activity.h"
#include "core/intervals.h"
#include "trace/trace.h"

namespace pagoda {

/// A stretch in which the device does nothing, and the event (row of trace.gpu_events) that ends it.
struct Gap {
  Interval when;
  std::uint32_t next_event = kNone;      ///< kNone: the window ends in it
  std::uint32_t previous_event = kNone;  ///< the event that ended last before it
};

/// One device's events laid out in time, cut to its window.
struct Timeline {
  IntervalSet window;
  IntervalSet compute;        ///< union of kernels that are not collectives
  IntervalSet communication;  ///< union of collectives
  IntervalSet copies;         ///< union of memcpy and memset
  std::vector<Gap> gaps;
  std::array<Nanos, 5>
      compute_by_bound_ns{};  ///< of `compute`: each instant belongs to the kernel that started first
};

/// `rows` is the device's range of trace.gpu_events (sorted by start). `bounds` is parallel to
/// trace.gpu_events, or empty: then every kernel's bound is unknown.
Timeline lay_out(const Trace& trace, std::span<const GpuEvent> events, std::uint32_t first_row,
                 IntervalSet window, std::span<const Bound> bounds, class EventClassifier& classes);

}  // namespace pagoda
