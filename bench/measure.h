#pragma once
#include <functional>
#include <string>
#include <vector>

#include "common/tensor.h"

namespace pagoda::bench {

/// One thing to time: `call(i, stream)` launches the i-th call of a round on its own set of buffers.
struct Candidate {
  std::string name;
  std::function<void(int call, ops::Stream stream)> call;
};

struct Timing {
  double p10_us = 0, median_us = 0, p90_us = 0;  ///< a call, from rounds of `calls` in one CUDA graph
  double host_us = 0;                            ///< what a call costs the launching thread
};

/// Captures each candidate's round of `calls` into a CUDA graph and replays the graphs in turns, the order
/// reversed every second time, `replays` times each.
std::vector<Timing> measure(const std::vector<Candidate>& candidates, int calls, int replays);

}  // namespace pagoda::bench
