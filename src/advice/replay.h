#pragma once
#include <cstdint>
#include <vector>

#include "core/intervals.h"
#include "trace/trace.h"

namespace pagoda {

/// The run of a profile as a set of dependencies, so that "what if this kernel were faster, gone, or launched
/// by a graph" can be answered by playing it again: Amdahl's law on whatever resource is then critical.
///
/// Model. The host issues GPU work in the order of the profile; between two calls it takes the time that it
/// took there. A GPU event starts when its stream is free, its call has begun and reached the device, and the
/// events that it waited for in the profile (other streams) have ended. A call that waited for the GPU
/// (synchronise, blocking copy) returns when what it waited for is done. What the profile does not tell is
/// not modelled: contention between streams, clocks, caches.
class Replay {
 public:
  /// One GPU event in a replay.
  struct Step {
    Nanos duration_ns = 0;
    Nanos host_ns = 0;     ///< host time from the previous call's end to this one's, waiting taken off
    Nanos latency_ns = 0;  ///< from the call's end to the earliest start on the device
    Nanos gap_ns = 0;      ///< device time between the predecessor's end and its start when already queued
    std::uint32_t records =
        0;                     ///< host events that the profiler recorded in host_ns, each of which it slowed
    std::uint32_t event = 0;   ///< row of Trace::gpu_events
    std::uint32_t stream = 0;  ///< dense number
    std::uint32_t waits_for = kNone;    ///< step on another stream that must have ended
    std::uint32_t same_launch = kNone;  ///< earlier step that the same call launched (graph replay)
    bool host_waits_before = false;     ///< the host waits for the GPU before it issues this
  };

  /// The events of `device` that start in `window`, at most `most_events` of them (whole from the front).
  Replay(const Trace& trace, std::uint32_t device, Interval window, std::size_t most_events = 400'000);

  const std::vector<Step>& steps() const { return steps_; }
  std::size_t size() const { return steps_.size(); }
  /// Row of steps() for a row of Trace::gpu_events; kNone where it is not part.
  std::uint32_t step_of(std::uint32_t event) const;
  /// Extent of the modelled part in the profile: what play() of no change should give.
  Nanos profiled_ns() const { return profiled_ns_; }

  /// A change to the run. Empty vectors: nothing changed.
  struct Change {
    std::vector<Nanos> duration_ns;     ///< per step; kRemoved: the step is gone
    std::vector<double> host_extra_ns;  ///< per step: added to its host time; kHostGone: the step takes none
    bool no_waits = false;              ///< the host never waits for the GPU
    bool graph = false;  ///< launched by graphs: only what the host does elsewhere still takes its time
    double elsewhere_fraction = 1;  ///< part that stays of the host's time elsewhere (beyond kElsewhereNs)
    double record_ns = 0;           ///< what the profiler took for each record: not there in the true run
    Nanos graph_gap_ns = 0;         ///< between two kernels of a graph
  };
  static constexpr Nanos kRemoved = -1;
  /// Between two calls, more than this is no launching: input, python, another process.
  static constexpr Nanos kElsewhereNs = 500'000;
  static constexpr double kHostGone = -1e18;

  /// First start to last end of the GPU work after the change, with the host's lead before the first.
  Nanos play(const Change& change) const;
  /// Time of the GPU work alone (union) after the change: the step's lower limit.
  Nanos busy_ns(const Change& change) const;
  /// The record_ns at which play() gives `target_ns`; 0 when even the profiled host is faster, the largest
  /// that makes sense when no overhead explains so short a step.
  double fit_record_ns(Nanos target_ns) const;

 private:
  static double host_ns(const Step& step, const Change& change, std::size_t i);

  std::vector<Step> steps_;  // in the order of issue
  std::vector<std::uint32_t> step_of_;
  std::uint32_t streams_ = 0;
  Nanos profiled_ns_ = 0;
};

}  // namespace pagoda
