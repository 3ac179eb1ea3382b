// pagoda-gpu device: the ceilings that fractions are of.
#include <cstdio>

#include <cuda_runtime_api.h>

#include "buffers.h"
#include "commands.h"
#include "common/check.h"
#include "measure.h"

namespace pagoda::bench {

Ceilings measure_ceilings(int replays) {
  constexpr std::size_t kBytes = std::size_t{1} << 29;  // far beyond any L2
  constexpr int kSets = 4;
  DeviceBuffer from(kBytes * kSets), to(kBytes * kSets);
  fill_random(from.data(), Dtype::f32, 1, static_cast<std::int64_t>(kBytes * kSets / 4), 0, Fill::normal, 1,
              1, nullptr);
  fill_random(to.data(), Dtype::f32, 1, static_cast<std::int64_t>(kBytes * kSets / 4), 0, Fill::normal, 1, 2,
              nullptr);
  const auto place = [&](int call) { return static_cast<std::size_t>(call % kSets) * kBytes; };
  std::vector<Candidate> candidates;
  for (int kind = 0; kind < 3; ++kind) {
    candidates.push_back({"memory", [&, kind](int call, Stream stream) {
                            launch_memory_kernel(kind, from.data() + place(call), to.data() + place(call),
                                                 kBytes, stream);
                          }});
  }
  candidates.push_back({"memcpy", [&](int call, Stream stream) {
                          ops::check_cuda(cudaMemcpyAsync(to.data() + place(call), from.data() + place(call),
                                                          kBytes, cudaMemcpyDeviceToDevice, stream),
                                          "memcpy");
                        }});
  const std::vector<Timing> t = measure(candidates, 8, replays);
  const auto empty =
      measure({{"empty", [](int, Stream stream) { launch_empty_kernel(stream); }}}, 200, replays);
  const double bytes = static_cast<double>(kBytes);
  Ceilings c;
  // The better of our kernel and the driver's: a ceiling is what is possible.
  c.copy_per_s = 2 * bytes / std::min(t[0].median_us, t[3].median_us) * 1e6;
  c.read_per_s = bytes / t[1].median_us * 1e6;
  c.write_per_s = bytes / t[2].median_us * 1e6;
  c.empty_kernel_us = empty[0].median_us;
  c.empty_launch_host_us = empty[0].host_us;
  return c;
}

int run_device(const Options& options) {
  cudaDeviceProp properties{};
  ops::check_cuda(cudaGetDeviceProperties(&properties, 0), "device");
  int driver = 0, runtime = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  const Ceilings c = measure_ceilings(options.replays);
  std::printf("%s, %d SMs, L2 %.0f MB, CUDA %d.%d, driver API %d.%d\n", properties.name,
              properties.multiProcessorCount, properties.l2CacheSize / 1e6, runtime / 1000,
              runtime % 1000 / 10, driver / 1000, driver % 1000 / 10);
  std::printf("copy  %7.1f GB/s (read + written)\nread  %7.1f GB/s\nwrite %7.1f GB/s\n", c.copy_per_s / 1e9,
              c.read_per_s / 1e9, c.write_per_s / 1e9);
  std::printf("empty kernel in a graph %.2f us, its launch costs the host %.2f us\n", c.empty_kernel_us,
              c.empty_launch_host_us);
  if (options.save.empty()) return 0;
  std::FILE* file = std::fopen(options.save.c_str(), "a");
  if (file == nullptr) return 2;
  std::fprintf(
      file,
      "{\"kind\":\"ceilings\",\"device\":\"%s\",\"copy_gb_per_s\":%.1f,\"read_gb_per_s\":%.1f,"
      "\"write_gb_per_s\":%.1f,\"empty_kernel_us\":%.3f,\"empty_launch_host_us\":%.3f,\"date\":\"%s\","
      "\"commit\":\"%s\"}\n",
      properties.name, c.copy_per_s / 1e9, c.read_per_s / 1e9, c.write_per_s / 1e9, c.empty_kernel_us,
      c.empty_launch_host_us, options.date.c_str(), options.commit.c_str());
  std::fclose(file);
  return 0;
}

}  // namespace pagoda::bench
