#pragma once
#include <string>

#include "advice/plan.h"
#include "trace/trace.h"

namespace pagoda {

/// The profile's GPU and host tracks as Chrome trace JSON that Perfetto UI opens, with two tracks of Pagoda's
/// per device: the bucket of every stretch of time, and the action that would replace each kernel. Kernels
/// that overlap on one stream (legal) go to spill lanes, because a viewer would drop them.
std::string perfetto_json(const Trace& trace, const Plan& plan);

}  // namespace pagoda
