// Quantisation by row, CUDA C++: the row stays in registers between the maximum and the conversion.
#include <cuda_fp8.h>

#include "common/row_dispatch.cuh"
#include "quantize/op.h"

namespace pagoda::ops::cuda {
namespace {

template <class T>
struct Params {
  const T* x;
  std::uint8_t* q;
  float* scales;
  std::int64_t rows, x_stride, q_stride;
  int cols;
};

template <bool kFp8>
constexpr float kLimit = kFp8 ? 448.f : 127.f;

template <class P>
__device__ __forceinline__ float largest(const P& packet, float m) {
  float v[P::kCount];
  packet.unpack(v);
#pragma unroll
  for (int j = 0; j < P::kCount; ++j) m = fmaxf(m, fabsf(v[j]));
  return m;
}

// Two fp8 values in the low half; sm_89 upwards has an instruction for the pair, which saturates.
__device__ __forceinline__ std::uint32_t fp8_pair(float low, float high) {
  return __nv_cvt_float2_to_fp8x2(make_float2(low, high), __NV_SATFINITE, __NV_E4M3);
}

// |v| * inverse is at most the limit up to rounding, so int8 needs no clamp; NaN converts to 0.
template <bool kFp8, int kCount>
__device__ __forceinline__ void convert(const float (&v)[kCount], float inverse, std::uint8_t* out) {
  if constexpr (kCount == 1) {
    if constexpr (kFp8) {
      *out = static_cast<std::uint8_t>(fp8_pair(v[0] * inverse, 0.f));
    } else {
      *out = static_cast<std::uint8_t>(__float2int_rn(v[0] * inverse));
    }
  } else {
    std::uint32_t words[kCount / 4];
#pragma unroll
    for (int w = 0; w < kCount / 4; ++w) {
      const float* p = v + 4 * w;
      if constexpr (kFp8) {
        words[w] = fp8_pair(p[0] * inverse, p[1] * inverse) | fp8_pair(p[2] * inverse, p[3] * inverse) << 16;
      } else {
        words[w] = 0;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          words[w] |=
              (static_cast<std::uint32_t>(__float2int_rn(p[j] * inverse)) & 255u)
              << (8 * j);
        }
      }
    }
    if constexpr (kCount == 8) {
      __stcs(reinterpret_cast<uint2*>(out), make_uint2(words[0], words[1]));
    } else {
      __stcs(reinterpret_cast<std::uint32_t*>(out), words[0]);
    }
  }
}

// The factor that takes x to q. A row of zeros quantises to zeros; so does a maximum whose reciprocal
// overflows, which only fp32 input can have.
template <bool kFp8>
__device__ __forceinline__ float inverse_scale(float maximum) {
  const float inverse = kLimit<kFp8> / maximum;
  return maximum > 0.f && inverse <= 3.4e38f ? inverse : 0.f;
}

template <class T, bool kFp8, class Shape, bool kCluster>
__global__ void __launch_bounds__(Shape::kBlock, Shape::kResident) in_registers(const Params<T> p) {
  using P = Packet<T, true>;
  __shared__ RowScratch<Max> scratch;
  const Place<kCluster> place;
  const std::int64_t row = place.group * Shape::kRows + threadIdx.x / Shape::kThreads;
  const bool live = row < p.rows;
  const auto [first, packets] = span_of<Shape>(place, live ? p.cols / P::kCount : 0);
  P x[Shape::kVectors];
#pragma unroll
  for (int i = 0; i < Shape::kVectors; ++i) {
    const int at = first + i * Shape::kThreads;
    x[i].clear();
    if (at < packets) x[i].load(p.x + row * p.x_stride + at * P::kCount);
  }
  float maximum = 0.f;
#pragma unroll
  for (int i = 0; i < Shape::kVectors; ++i) maximum = largest(x[i], maximum);
  forget(x);
  maximum = reduce_row<Max, Shape::kThreads, kCluster>(maximum, scratch, 0);
  if (live && first == 0) p.scales[row] = maximum * (1.f / kLimit<kFp8>);
  const float inverse = inverse_scale<kFp8>(maximum);
#pragma unroll
  for (int i = 0; i < Shape::kVectors; ++i) {
    const int at = first + i * Shape::kThreads;
    if (at < packets) {
      float v[P::kCount];
      x[i].unpack(v);
      convert<kFp8>(v, inverse, p.q + row * p.q_stride + at * P::kCount);
    }
  }
}

template <class T, bool kFp8, bool kWide>
__global__ void __launch_bounds__(kLoopThreads) two_passes(const Params<T> p) {
  using P = Packet<T, kWide>;
  __shared__ RowScratch<Max> scratch;
  const std::int64_t row = blockIdx.x;
  const int packets = p.cols / P::kCount;
  float maximum = 0.f;
#pragma unroll 4
  for (int at = threadIdx.x; at < packets; at += kLoopThreads) {
    P packet;
    packet.load(p.x + row * p.x_stride + at * P::kCount);
    maximum = largest(packet, maximum);
  }
  maximum = reduce_row<Max, kLoopThreads, false>(maximum, scratch, 0);
  if (threadIdx.x == 0) p.scales[row] = maximum * (1.f / kLimit<kFp8>);
  const float inverse = inverse_scale<kFp8>(maximum);
  for (int at = threadIdx.x; at < packets; at += kLoopThreads) {
    P packet;
    packet.load(p.x + row * p.x_stride + at * P::kCount);
    float v[P::kCount];
    packet.unpack(v);
    convert<kFp8>(v, inverse, p.q + row * p.q_stride + at * P::kCount);
  }
}

template <class T, bool kFp8>
void run(const Quantize& a, Stream stream) {
  const Params<T> p{static_cast<const T*>(a.x.data),
                    static_cast<std::uint8_t*>(a.q.data),
                    a.scales,
                    a.x.rows,
                    a.x.row_stride,
                    a.q.row_stride,
                    static_cast<int>(a.x.cols)};
  constexpr std::int64_t kCount = 16 / sizeof(T);  // bytes that a packet of x becomes
  const bool wide = is_packed(a.x) && reinterpret_cast<std::uintptr_t>(a.q.data) % kCount == 0 &&
                    (a.q.rows <= 1 || a.q.row_stride % kCount == 0);
  if (wide && with_row_shape(p.cols / kCount, [&](auto shape, auto cluster, int ctas) {
        using Shape = decltype(shape);
        const std::int64_t groups = (p.rows + Shape::kRows - 1) / Shape::kRows;
        launch(in_registers<T, kFp8, Shape, cluster.value>, grid_size(groups * ctas, "quantize"),
               Shape::kBlock, 0, ctas, stream, p);
      })) {
    return;
  }
  with_bool(wide, [&](auto is_wide) {
    launch(two_passes<T, kFp8, is_wide.value>, grid_size(p.rows, "quantize"), kLoopThreads, 0, 1, stream, p);
  });
}

}  // namespace

void quantize(const Quantize& args, Stream stream) {
  with_float_type(args.x.dtype, [&](auto t) {
    using T = decltype(t);
    args.q.dtype == Dtype::e4m3 ? run<T, true>(args, stream) : run<T, false>(args, stream);
  });
}

}  // namespace pagoda::ops::cuda
