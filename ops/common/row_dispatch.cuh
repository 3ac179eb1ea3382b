#pragma once
#include <type_traits>

#include "common/row.cuh"

namespace pagoda::ops {

/// Threads of the CTA that walks a row of any length.
constexpr int kLoopThreads = 512;

/// Largest number of CTAs that share a row: the portable cluster size.
constexpr int kMaxCluster = 8;

/// Calls f(shape, cluster flag, CTAs a row) with the register layout for a row of `packets` 16-byte packets;
/// false when no layout holds the row (then it is walked in a loop). A function of the row length alone.
/// At most 8 packets a thread: two to four CTAs fit an SM, so that one loads while another stores.
template <class F>
bool with_row_shape(std::int64_t packets, F&& f) {
  constexpr std::false_type kAlone;
  if (packets <= 16) return f(RowShape<8, 2>{}, kAlone, 1), true;
  if (packets <= 64) return f(RowShape<32, 2>{}, kAlone, 1), true;
  if (packets <= 128) return f(RowShape<32, 4>{}, kAlone, 1), true;
  if (packets <= 512) return f(RowShape<128, 4>{}, kAlone, 1), true;
  if (packets <= 1024) return f(RowShape<256, 4>{}, kAlone, 1), true;
  if (packets <= 2048) return f(RowShape<256, 8>{}, kAlone, 1), true;
  if (packets <= 4096) return f(RowShape<512, 8>{}, kAlone, 1), true;
  if (packets <= kMaxCluster * 4096 && device_facts().compute_capability >= 90) {
    int ctas = 2;
    while (ctas * 4096 < packets) ctas *= 2;
    return f(RowShape<512, 8>{}, std::true_type{}, ctas), true;
  }
  return false;
}

/// The same for kernels that hold two rows at once: at most 4 packets a thread of each.
template <class F>
bool with_pair_shape(std::int64_t packets, F&& f) {
  constexpr std::false_type kAlone;
  if (packets <= 16) return f(RowShape<8, 2>{}, kAlone, 1), true;
  if (packets <= 64) return f(RowShape<32, 2>{}, kAlone, 1), true;
  if (packets <= 128) return f(RowShape<32, 4>{}, kAlone, 1), true;
  if (packets <= 512) return f(RowShape<128, 4>{}, kAlone, 1), true;
  if (packets <= 1024) return f(RowShape<256, 4>{}, kAlone, 1), true;
  // Double-buffered in shared memory these take 128 KiB, which sm_86 and sm_89 do not have.
  if (device_facts().shared_bytes < 131072) return false;
  if (packets <= 2048) return f(RowShape<512, 4>{}, kAlone, 1), true;
  if (packets <= kMaxCluster * 2048 && device_facts().compute_capability >= 90) {
    int ctas = 2;
    while (ctas * 2048 < packets) ctas *= 2;
    return f(RowShape<512, 4>{}, std::true_type{}, ctas), true;
  }
  return false;
}

/// Whether a vector can be read in 16-byte packets beside rows that are.
inline bool is_packed(const ConstVector& vector) {
  return reinterpret_cast<std::uintptr_t>(vector.data) % 16 == 0;
}

}  // namespace pagoda::ops
