#pragma once
// 16-byte packets: how every kernel moves memory, and the conversions between storage and fp32 arithmetic.
#include <cmath>
#include <cstdint>
#include <type_traits>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace pagoda::ops {

__device__ __forceinline__ float to_float(float x) { return x; }
__device__ __forceinline__ float to_float(__half x) { return __half2float(x); }
__device__ __forceinline__ float to_float(__nv_bfloat16 x) { return __bfloat162float(x); }

template <class T>
__device__ __forceinline__ T from_float(float x);
template <>
__device__ __forceinline__ float from_float<float>(float x) {
  return x;
}
template <>
__device__ __forceinline__ __half from_float<__half>(float x) {
  return __float2half_rn(x);
}
template <>
__device__ __forceinline__ __nv_bfloat16 from_float<__nv_bfloat16>(float x) {
  return __float2bfloat16_rn(x);
}

/// The value after a round trip through storage: what a reader of the stored tensor will see.
template <class T>
__device__ __forceinline__ float rounded(float x) {
  return to_float(from_float<T>(x));
}

/// kCount elements of T that travel as one access: 16 bytes, or one element on the generic path.
template <class T, bool kWide>
struct Packet;

template <class T>
struct Packet<T, true> {
  static constexpr int kCount = 16 / sizeof(T);
  uint4 raw;

  // Streaming hints: each byte is used once, so it should leave L2 first.
  __device__ __forceinline__ void load(const T* p) { raw = __ldcs(reinterpret_cast<const uint4*>(p)); }
  __device__ __forceinline__ void load_again(const T* p) { raw = *reinterpret_cast<const uint4*>(p); }
  __device__ __forceinline__ void load_shared_by_rows(const T* p) {
    raw = __ldg(reinterpret_cast<const uint4*>(p));
  }
  __device__ __forceinline__ void store(T* p) const { __stcs(reinterpret_cast<uint4*>(p), raw); }
  __device__ __forceinline__ void clear() { raw = make_uint4(0, 0, 0, 0); }
  /// Makes the compiler unpack again on next use. Otherwise it keeps the unpacked floats, twice the registers, from
  /// one pass over a row to the next: half as many CTAs fit an SM, or they spill.
  /// The same, and not before `after` is known: packets are then worked on one after the other.
  __device__ __forceinline__ void forget_until(float& after) {
    asm volatile("" : "+r"(raw.x), "+r"(raw.y), "+r"(raw.z), "+r"(raw.w), "+f"(after));
  }
  __device__ __forceinline__ void forget() { asm volatile("" : "+r"(raw.x), "+r"(raw.y), "+r"(raw.z), "+r"(raw.w)); }
  __device__ __forceinline__ void clear_to_minus_infinity() {
    constexpr std::uint32_t kWord = sizeof(T) == 4                           ? 0xff800000u
                                    : std::is_same_v<T, __nv_bfloat16> ? 0xff80ff80u
                                                                             : 0xfc00fc00u;
    raw = make_uint4(kWord, kWord, kWord, kWord);
  }

  __device__ __forceinline__ void unpack(float (&out)[kCount]) const {
    const std::uint32_t words[4] = {raw.x, raw.y, raw.z, raw.w};
#pragma unroll
    for (int i = 0; i < 4; ++i) unpack_word(words[i], out + i * (kCount / 4));
  }
  __device__ __forceinline__ void pack(const float (&in)[kCount]) {
    raw = make_uint4(pack_word(in), pack_word(in + kCount / 4), pack_word(in + 2 * (kCount / 4)),
                     pack_word(in + 3 * (kCount / 4)));
  }

 private:
  static __device__ __forceinline__ void unpack_word(std::uint32_t word, float* out) {
    if constexpr (sizeof(T) == 4) {
      out[0] = __uint_as_float(word);
    } else if constexpr (std::is_same_v<T, __nv_bfloat16>) {
      out[0] = __uint_as_float(word << 16);
      out[1] = __uint_as_float(word & 0xffff0000u);
    } else {
      const __half2 pair = *reinterpret_cast<const __half2*>(&word);
      out[0] = __low2float(pair);
      out[1] = __high2float(pair);
    }
  }
  static __device__ __forceinline__ std::uint32_t pack_word(const float* in) {
    if constexpr (sizeof(T) == 4) {
      return __float_as_uint(in[0]);
    } else if constexpr (std::is_same_v<T, __nv_bfloat16>) {
      const __nv_bfloat162 pair = __floats2bfloat162_rn(in[0], in[1]);
      return *reinterpret_cast<const std::uint32_t*>(&pair);
    } else {
      const __half2 pair = __floats2half2_rn(in[0], in[1]);
      return *reinterpret_cast<const std::uint32_t*>(&pair);
    }
  }
};

/// Forgets every packet of a row.
template <class P, int kPackets>
__device__ __forceinline__ void forget(P (&packets)[kPackets]) {
#pragma unroll
  for (int i = 0; i < kPackets; ++i) packets[i].forget();
}

template <class T>
struct Packet<T, false> {
  static constexpr int kCount = 1;
  T raw;

  __device__ __forceinline__ void load(const T* p) { raw = *p; }
  __device__ __forceinline__ void load_again(const T* p) { raw = *p; }
  __device__ __forceinline__ void load_shared_by_rows(const T* p) { raw = __ldg(p); }
  __device__ __forceinline__ void store(T* p) const { *p = raw; }
  __device__ __forceinline__ void clear() { raw = from_float<T>(0.f); }
  __device__ __forceinline__ void forget() {}
  __device__ __forceinline__ void forget_until(float&) {}
  __device__ __forceinline__ void clear_to_minus_infinity() { raw = from_float<T>(-INFINITY); }
  __device__ __forceinline__ void unpack(float (&out)[1]) const { out[0] = to_float(raw); }
  __device__ __forceinline__ void pack(const float (&in)[1]) { raw = from_float<T>(in[0]); }
};

/// kCount elements of W (a weight, whose dtype may differ from the activations') as fp32.
template <int kCount, class W>
__device__ __forceinline__ void load_weight(const W* p, float (&out)[kCount]) {
  constexpr int kBytes = kCount * sizeof(W);
  if constexpr (kBytes % 16 == 0) {
    constexpr int kPer = 16 / sizeof(W);
#pragma unroll
    for (int i = 0; i < kCount / kPer; ++i) {
      Packet<W, true> packet;
      packet.load_shared_by_rows(p + i * kPer);
      float part[kPer];
      packet.unpack(part);
#pragma unroll
      for (int j = 0; j < kPer; ++j) out[i * kPer + j] = part[j];
    }
  } else {
#pragma unroll
    for (int i = 0; i < kCount; ++i) out[i] = to_float(__ldg(p + i));
  }
}

}  // namespace pagoda::ops
