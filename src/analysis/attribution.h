#pragma once
#include <vector>

#include "analysis/account.h"
#include "trace/trace.h"

namespace pagoda {

/// Where a GPU event came from. Indices are rows of Trace::scopes, kNone where nothing is known.
struct Attribution {
  std::uint32_t op = kNone;          ///< innermost op around the launch call
  std::uint32_t module = kNone;      ///< nearest nn.Module; of the forward op when the event is a backward's
  std::uint32_t python = kNone;      ///< nearest python frame that is no module
  std::uint32_t annotation = kNone;  ///< nearest user annotation
  Phase phase = Phase::unknown;
  Attributed how = Attributed::none;
};

/// One entry per row of trace.gpu_events. Correlation first; an external id counts only where it names an op
/// that was running when the launch call began. Linear in events times the depth of their call stacks.
std::vector<Attribution> attribute(const Trace& trace);

}  // namespace pagoda
