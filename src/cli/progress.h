#pragma once
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace pagoda {

/// A bar on standard error for reads that last: it appears after half a second and is wiped out at the end.
/// Any thread may report.
class Progress {
 public:
  Progress(bool shown, std::vector<std::uint64_t> file_bytes);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void report(std::size_t file, std::uint64_t done_bytes, std::uint64_t total_bytes);

 private:
  using Clock = std::chrono::steady_clock;
  void draw(double seconds);

  const bool shown_;
  const Clock::time_point start_ = Clock::now();
  std::mutex mutex_;  // guards all below
  Clock::time_point last_ = start_;
  std::vector<std::uint64_t> done_bytes_;
  std::vector<std::uint64_t> total_bytes_;
  bool drawn_ = false;
};

}  // namespace pagoda
