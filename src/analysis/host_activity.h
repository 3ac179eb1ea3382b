#pragma once
#include <vector>

#include "core/intervals.h"
#include "trace/trace.h"

namespace pagoda {

/// What each host thread was doing, as sets of intervals: the raw material for the causes of GPU idleness.
class HostActivity {
 public:
  explicit HostActivity(const Trace& trace);

  /// Inside a synchronise call, a blocking copy, or an op that reads a value back (aten::item,
  /// aten::nonzero).
  const IntervalSet& waiting(std::uint32_t thread) const { return of(waiting_, thread); }
  /// Inside any op or runtime call.
  const IntervalSet& working(std::uint32_t thread) const { return of(working_, thread); }
  /// Inside a data loader.
  const IntervalSet& loading(std::uint32_t thread) const { return of(loading_, thread); }

  /// What the thread waited in at that moment: "cudaStreamSynchronize in aten::item".
  std::string waiting_name(std::uint32_t thread, Nanos at_ns) const;

 private:
  static const IntervalSet& of(const std::vector<IntervalSet>& sets, std::uint32_t thread);
  const Trace& trace_;
  std::vector<IntervalSet> waiting_, working_, loading_;
};

/// The parts of `set` inside [start_ns, end_ns), by binary search and a walk.
IntervalSet clip(const IntervalSet& set, Interval to);

}  // namespace pagoda
