#pragma once
#include <string>
#include <vector>

#include "analysis/attribution.h"
#include "core/intervals.h"
#include "trace/trace.h"

namespace pagoda {

/// Which part of the profile is accounted for.
struct WindowChoice {
  enum class Kind : std::uint8_t { all, step, annotation };
  Kind kind = Kind::all;
  std::string annotation;  ///< for Kind::annotation

  /// "all", "step" or "annotation:NAME". Throws Error for anything else.
  static WindowChoice parse(std::string_view text);
  std::string label() const;
};

/// The step annotation of a profile: ProfilerStep#N where present, else the outermost annotation with the
/// most time that occurs most often. Occurrences are host intervals in time order; numbers after '#' do not
/// tell names apart.
struct Steps {
  std::string name;
  std::vector<Interval> host;
};
/// Empty `host` when the profile has no annotation that could be a step.
Steps find_steps(const Trace& trace);

/// The window of each device, by row of trace.devices; empty for a device without GPU events in it.
/// - all: first start to last end of the device's GPU events.
/// - step: first start to last end of the GPU events launched between the first and the last step's host
/// interval.
/// - annotation: the union, over its occurrences, of first start to last end of the GPU events launched
/// inside it. Throws Error (naming what there is) when the profile has no such annotation.
std::vector<IntervalSet> device_windows(const Trace& trace, const WindowChoice& choice);

}  // namespace pagoda
