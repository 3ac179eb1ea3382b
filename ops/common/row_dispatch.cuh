#pragma once
#include <cstdlib>
#include <type_traits>

#include "common/row.cuh"

namespace pagoda::ops {

/// Threads of the CTA that walks a row of any length.
constexpr int kLoopThreads = 512;

/// Largest number of CTAs that share a row: the portable cluster size.
constexpr int kMaxCluster = 8;

/// CTAs of `slice` packets that a row needs, when a cluster of that many is portable; else 0.
inline int cluster_size(std::int64_t packets, int slice) {
  const std::int64_t ctas = (packets + slice - 1) / slice;
  return ctas <= kMaxCluster && device_facts().compute_capability >= 90 ? static_cast<int>(ctas) : 0;
}

inline int tuning() {
  static const int kValue = std::getenv("PAGODA_TUNE") != nullptr ? std::atoi(std::getenv("PAGODA_TUNE")) : 0;
  return kValue;
}

/// Calls f(shape, cluster flag, CTAs a row) with the register layout for a row of `packets` 16-byte packets;
/// false when no layout holds the row (then it is walked in a loop). A function of the row length alone.
/// At most 8 packets a thread: two to four CTAs fit an SM, so that one loads while another stores.
template <class F>
bool with_row_shape(std::int64_t packets, F&& f) {
  constexpr std::false_type kAlone;
  constexpr std::true_type kCluster;
  if (packets <= 16) return f(RowShape<8, 2>{}, kAlone, 1), true;
  if (packets <= 32) return f(RowShape<8, 4>{}, kAlone, 1), true;
  if (packets <= 64) return f(RowShape<16, 4>{}, kAlone, 1), true;
  if (packets <= 128) return f(RowShape<32, 4>{}, kAlone, 1), true;
  if (packets <= 512) return f(RowShape<128, 4>{}, kAlone, 1), true;
  if (packets <= 1024) return f(RowShape<256, 4>{}, kAlone, 1), true;
  if (packets <= 2048) return f(RowShape<256, 8>{}, kAlone, 1), true;
  if (tuning() == 1 || tuning() == 3) {
    if (const int ctas = cluster_size(packets, 1024)) return f(RowShape<256, 4>{}, kCluster, ctas), true;
  }
  if (tuning() == 2) {
    if (const int ctas = cluster_size(packets, 2048)) return f(RowShape<512, 4>{}, kCluster, ctas), true;
  }
  if (tuning() == 3 || tuning() == 4) {
    if (const int ctas = cluster_size(packets, 2048)) return f(RowShape<256, 8>{}, kCluster, ctas), true;
  }
  if (packets <= 4096) return f(RowShape<512, 8>{}, kAlone, 1), true;
  if (const int ctas = cluster_size(packets, 4096)) return f(RowShape<512, 8>{}, kCluster, ctas), true;
  return false;
}

/// The same for kernels that hold two rows at once in registers.
template <class F>
bool with_pair_shape(std::int64_t packets, F&& f) {
  constexpr std::false_type kAlone;
  constexpr std::true_type kCluster;
  if (packets <= 16) return f(RowShape<8, 2>{}, kAlone, 1), true;
  if (packets <= 64) return f(RowShape<32, 2>{}, kAlone, 1), true;
  if (packets <= 128) return f(RowShape<32, 4>{}, kAlone, 1), true;
  if (packets <= 512) return f(RowShape<128, 4>{}, kAlone, 1), true;
  if (packets <= 1024) return f(RowShape<256, 4>{}, kAlone, 1), true;
  if (packets <= 2048) return f(RowShape<512, 4>{}, kAlone, 1), true;
  if (const int ctas = cluster_size(packets, 2048)) return f(RowShape<512, 4>{}, kCluster, ctas), true;
  if (const int ctas = cluster_size(packets, 4096)) return f(RowShape<512, 8>{}, kCluster, ctas), true;
  return false;
}

/// The same for persistent kernels that keep two stages of two rows in shared memory.
template <class F>
bool with_staged_shape(std::int64_t packets, F&& f) {
  constexpr std::false_type kAlone;
  constexpr std::true_type kCluster;
  if (packets <= 16) return f(RowShape<8, 2>{}, kAlone, 1), true;
  if (packets <= 64) return f(RowShape<32, 2>{}, kAlone, 1), true;
  if (packets <= 128) return f(RowShape<32, 4>{}, kAlone, 1), true;
  if (packets <= 512) return f(RowShape<128, 4>{}, kAlone, 1), true;
  if (packets <= 1024) return f(RowShape<256, 4>{}, kAlone, 1), true;
  // Double-buffered in shared memory these take 128 KiB, which sm_86 and sm_89 do not have.
  if (device_facts().shared_bytes < 131072) return false;
  if (tuning() == 1) {
    if (const int ctas = cluster_size(packets, 1024)) return f(RowShape<256, 4>{}, kCluster, ctas), true;
  }
  if (packets <= 2048) return f(RowShape<512, 4>{}, kAlone, 1), true;
  if (tuning() == 2) {
    if (const int ctas = cluster_size(packets, 1024)) return f(RowShape<256, 4>{}, kCluster, ctas), true;
  }
  if (const int ctas = cluster_size(packets, 2048)) return f(RowShape<512, 4>{}, kCluster, ctas), true;
  return false;
}

/// Whether a vector can be read in 16-byte packets beside rows that are.
inline bool is_packed(const ConstVector& vector) {
  return reinterpret_cast<std::uintptr_t>(vector.data) % 16 == 0;
}

}  // namespace pagoda::ops
