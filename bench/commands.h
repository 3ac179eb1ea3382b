#pragma once
#include <string>
#include <vector>

namespace pagoda::bench {

/// What the command line of pagoda-gpu says; each command reads what concerns it.
struct Options {
  std::vector<std::string> ops;  ///< empty: all
  std::vector<std::string> tiers{"cuda", "triton"};
  std::string dtype;  ///< empty: all
  std::string save;   ///< JSON lines appended here
  std::string commit = "unknown";
  std::string date = "unknown";
  int replays = 20;
  bool quick = false;  ///< test: fewer shapes (for compute-sanitizer)
};

/// Ceilings of memory measured in this process, bytes read plus bytes written per second.
struct Ceilings {
  double copy_per_s = 0;
  double read_per_s = 0;
  double write_per_s = 0;
  double empty_kernel_us = 0;  ///< a node of a CUDA graph that does nothing
  double empty_launch_host_us = 0;
};
Ceilings measure_ceilings(int replays);

int run_device(const Options& options);
int run_bench(const Options& options);
int run_test(const Options& options);

}  // namespace pagoda::bench
