#include "measure.h"

#include <algorithm>
#include <chrono>
#include <memory>

#include <cuda_runtime_api.h>

#include "common/check.h"

namespace pagoda::bench {
namespace {

using ops::check_cuda;

class Round {
 public:
  Round(const Candidate& candidate, int calls, cudaStream_t stream) : calls_(calls), stream_(stream) {
    for (int i = 0; i < calls; ++i) candidate.call(i, stream);  // loads modules, fills caches
    check_cuda(cudaStreamSynchronize(stream), candidate.name + " warm-up");
    host_us_ = host_cost(candidate);
    cudaGraph_t graph = nullptr;
    check_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture");
    for (int i = 0; i < calls; ++i) candidate.call(i, stream);
    check_cuda(cudaStreamEndCapture(stream, &graph), candidate.name + " capture");
    check_cuda(cudaGraphInstantiate(&executable_, graph, 0), "graph");
    check_cuda(cudaGraphDestroy(graph), "graph");
    check_cuda(cudaEventCreate(&start_), "event");
    check_cuda(cudaEventCreate(&stop_), "event");
  }
  Round(const Round&) = delete;
  Round& operator=(const Round&) = delete;
  ~Round() {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
    cudaGraphExecDestroy(executable_);
  }

  double host_us() const { return host_us_; }

  double replay_us() {
    check_cuda(cudaEventRecord(start_, stream_), "event");
    check_cuda(cudaGraphLaunch(executable_, stream_), "replay");
    check_cuda(cudaEventRecord(stop_, stream_), "event");
    check_cuda(cudaEventSynchronize(stop_), "replay");
    float ms = 0;
    check_cuda(cudaEventElapsedTime(&ms, start_, stop_), "event");
    return 1e3 * ms / calls_;
  }

 private:
  // Few enough launches that the queue never fills: the launching thread does not wait for the device.
  double host_cost(const Candidate& candidate) const {
    std::vector<double> costs;
    const int launches = std::min(calls_, 100);
    for (int repeat = 0; repeat < 5; ++repeat) {
      const auto begin = std::chrono::steady_clock::now();
      for (int i = 0; i < launches; ++i) candidate.call(i, stream_);
      const std::chrono::duration<double, std::micro> cost = std::chrono::steady_clock::now() - begin;
      check_cuda(cudaStreamSynchronize(stream_), "host cost");
      costs.push_back(cost.count() / launches);
    }
    std::sort(costs.begin(), costs.end());
    return costs[2];
  }

  int calls_;
  cudaStream_t stream_;
  cudaGraphExec_t executable_ = nullptr;
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
  double host_us_ = 0;
};

}  // namespace

std::vector<Timing> measure(const std::vector<Candidate>& candidates, int calls, int replays) {
  cudaStream_t stream = nullptr;
  check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
  std::vector<std::unique_ptr<Round>> rounds;
  for (const Candidate& c : candidates) rounds.push_back(std::make_unique<Round>(c, calls, stream));
  std::vector<std::vector<double>> samples(candidates.size());
  for (int turn = -2; turn < replays; ++turn) {  // two turns of warm-up
    for (std::size_t k = 0; k < rounds.size(); ++k) {
      const std::size_t which = turn % 2 == 0 ? k : rounds.size() - 1 - k;
      const double us = rounds[which]->replay_us();
      if (turn >= 0) samples[which].push_back(us);
    }
  }
  std::vector<Timing> timings;
  for (std::size_t k = 0; k < rounds.size(); ++k) {
    auto& s = samples[k];
    std::sort(s.begin(), s.end());
    const auto at = [&](double q) { return s[static_cast<std::size_t>(q * (s.size() - 1) + 0.5)]; };
    timings.push_back({at(0.1), at(0.5), at(0.9), rounds[k]->host_us()});
  }
  rounds.clear();
  cudaStreamDestroy(stream);
  return timings;
}

}  // namespace pagoda::bench
