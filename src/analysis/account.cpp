#include "analysis/account.h"

#include <numeric>

namespace pagoda {

std::string_view bucket_name(Bucket bucket) {
  constexpr std::array<std::string_view, kBucketCount> kNames = {
      "compute_bound", "memory_bound", "latency_bound", "unclassified", "exposed_communication",
      "exposed_copy",  "idle_launch",  "idle_sync",     "idle_host",    "idle_unknown"};
  return kNames[static_cast<std::size_t>(bucket)];
}

std::string_view bound_name(Bound bound) {
  constexpr std::array<std::string_view, 5> kNames = {"compute", "memory", "latency", "communication",
                                                      "unknown"};
  return kNames[static_cast<std::size_t>(bound)];
}

std::string_view phase_name(Phase phase) {
  constexpr std::array<std::string_view, 5> kNames = {"forward", "backward", "optimizer", "communication",
                                                      "unknown"};
  return kNames[static_cast<std::size_t>(phase)];
}

std::string_view attributed_name(Attributed how) {
  constexpr std::array<std::string_view, 6> kNames = {"correlation", "external_id",    "graph",
                                                      "launch_only", "before_capture", "none"};
  return kNames[static_cast<std::size_t>(how)];
}

Nanos DeviceAccount::window_minus_buckets_ns() const {
  return window_ns - std::accumulate(buckets_ns.begin(), buckets_ns.end(), Nanos{0});
}

Nanos DeviceAccount::busy_minus_buckets_ns() const {
  return busy_ns - std::accumulate(buckets_ns.begin(), buckets_ns.begin() + kBusyBuckets, Nanos{0});
}

}  // namespace pagoda
