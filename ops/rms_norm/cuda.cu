// RMSNorm forward, CUDA C++. The row stays in registers between its one read and its one write; rows beyond
// a CTA's registers are split over a cluster (Hopper), and what fits neither is read a second time from L2.
#include "common/row_dispatch.cuh"
#include "rms_norm/op.h"

namespace pagoda::ops::cuda {
namespace {

template <class T, class W>
struct Params {
  const T* x;
  const T* residual;
  const W* weight;
  T* y;
  T* residual_out;
  float* rstd;
  std::int64_t rows, x_stride, residual_stride, y_stride, residual_out_stride;
  int cols;
  float eps, weight_offset;
  bool round_first;
};

template <class T, class W, int kCount>
__device__ __forceinline__ void scale_packet(float (&v)[kCount], const float (&w)[kCount], float rstd,
                                             const Params<T, W>& p) {
#pragma unroll
  for (int j = 0; j < kCount; ++j) {
    float normalised = v[j] * rstd;
    if (p.round_first) normalised = rounded<T>(normalised);
    v[j] = normalised * (w[j] + p.weight_offset);
  }
}

// Adds the residual to `packet`, writes the sum, and leaves in `packet` what was written.
template <class T, class P>
__device__ __forceinline__ void add_residual(P& packet, const P& other, T* out) {
  float a[P::kCount], b[P::kCount];
  packet.unpack(a);
  other.unpack(b);
#pragma unroll
  for (int j = 0; j < P::kCount; ++j) a[j] += b[j];
  packet.pack(a);
  packet.store(out);
}

template <class P>
__device__ __forceinline__ float square_sum(const P& packet) {
  float v[P::kCount];
  packet.unpack(v);
  float sum = 0.f;
#pragma unroll
  for (int j = 0; j < P::kCount; ++j) sum += v[j] * v[j];
  return sum;
}

template <class T, class W, class Shape, bool kAdd, bool kCluster>
__global__ void __launch_bounds__(Shape::kBlock, kAdd ? 1 : Shape::kResident) in_registers(const Params<T, W> p) {
  using P = Packet<T, true>;
  __shared__ RowScratch<Sum> scratch;
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
  if constexpr (kAdd) {
    P residual[Shape::kVectors];
#pragma unroll
    for (int i = 0; i < Shape::kVectors; ++i) {
      const int at = first + i * Shape::kThreads;
      if (at < packets) residual[i].load(p.residual + row * p.residual_stride + at * P::kCount);
    }
#pragma unroll
    for (int i = 0; i < Shape::kVectors; ++i) {
      const int at = first + i * Shape::kThreads;
      if (at < packets) {
        add_residual<T>(x[i], residual[i], p.residual_out + row * p.residual_out_stride + at * P::kCount);
      }
    }
  }

  // A weight that fits the registers is on its way before the reduction: short launches are all latency.
  constexpr bool kEarlyWeight = Shape::kVectors <= 4 && std::is_same_v<T, W>;
  P weight[Shape::kVectors];
  if constexpr (kEarlyWeight) {
#pragma unroll
    for (int i = 0; i < Shape::kVectors; ++i) {
      const int at = first + i * Shape::kThreads;
      if (at < packets) weight[i].load_shared_by_rows(p.weight + at * P::kCount);
    }
  }

  float sum = 0.f;
#pragma unroll
  for (int i = 0; i < Shape::kVectors; ++i) sum += square_sum(x[i]);
  forget(x);
  sum = reduce_row<Sum, Shape::kThreads, kCluster>(sum, scratch, 0);
  const float rstd = rsqrtf(sum / p.cols + p.eps);
  if (p.rstd != nullptr && live && first == 0) p.rstd[row] = rstd;

#pragma unroll
  for (int i = 0; i < Shape::kVectors; ++i) {
    const int at = first + i * Shape::kThreads;
    if (at < packets) {
      float v[P::kCount], w[P::kCount];
      x[i].unpack(v);
      if constexpr (kEarlyWeight) {
        weight[i].unpack(w);
      } else {
        load_weight(p.weight + at * P::kCount, w);
      }
      scale_packet<T, W>(v, w, rstd, p);
      x[i].pack(v);
      x[i].store(p.y + row * p.y_stride + at * P::kCount);
    }
  }
}

// Any length, stride and alignment: one CTA a row, two passes; the second finds the row in L2.
template <class T, class W, bool kWide, bool kAdd>
__global__ void __launch_bounds__(kLoopThreads) two_passes(const Params<T, W> p) {
  using P = Packet<T, kWide>;
  __shared__ RowScratch<Sum> scratch;
  const std::int64_t row = blockIdx.x;
  const T* x = p.x + row * p.x_stride;
  const int packets = p.cols / P::kCount;
  float sum = 0.f;
  for (int at = threadIdx.x; at < packets; at += kLoopThreads) {
    P packet;
    packet.load(x + std::int64_t{at} * P::kCount);
    if constexpr (kAdd) {
      P residual;
      residual.load(p.residual + row * p.residual_stride + std::int64_t{at} * P::kCount);
      add_residual<T>(packet, residual, p.residual_out + row * p.residual_out_stride + at * P::kCount);
    }
    sum += square_sum(packet);
  }
  sum = reduce_row<Sum, kLoopThreads, false>(sum, scratch, 0);
  const float rstd = rsqrtf(sum / p.cols + p.eps);
  if (p.rstd != nullptr && threadIdx.x == 0) p.rstd[row] = rstd;

  const T* again = kAdd ? p.residual_out + row * p.residual_out_stride : x;
  for (int at = threadIdx.x; at < packets; at += kLoopThreads) {
    P packet;
    packet.load(again + std::int64_t{at} * P::kCount);
    float v[P::kCount], w[P::kCount];
    packet.unpack(v);
    load_weight(p.weight + at * P::kCount, w);
    scale_packet<T, W>(v, w, rstd, p);
    packet.pack(v);
    packet.store(p.y + row * p.y_stride + std::int64_t{at} * P::kCount);
  }
}

template <class T, class W, bool kAdd>
void forward(const RmsNormForward& a, Stream stream) {
  const Params<T, W> p{static_cast<const T*>(a.x.data),
                       static_cast<const T*>(a.residual.data),
                       static_cast<const W*>(a.weight.data),
                       static_cast<T*>(a.y.data),
                       static_cast<T*>(a.residual_out.data),
                       a.rstd,
                       a.x.rows,
                       a.x.row_stride,
                       a.residual.row_stride,
                       a.y.row_stride,
                       a.residual_out.row_stride,
                       static_cast<int>(a.x.cols),
                       a.eps,
                       a.mode == CastingMode::gemma ? 1.f : 0.f,
                       a.mode == CastingMode::llama};
  const bool wide = is_packed(a.x) && is_packed(a.y) && is_packed(a.weight) &&
                    (!kAdd || (is_packed(a.residual) && is_packed(a.residual_out)));
  const bool launched = wide && with_row_shape(a.x.cols * sizeof(T) / 16, [&](auto shape, auto cluster, int ctas) {
    using Shape = decltype(shape);
    const std::int64_t groups = (p.rows + Shape::kRows - 1) / Shape::kRows;
    launch(in_registers<T, W, Shape, kAdd, cluster.value>, grid_size(groups * ctas, "rms_norm"), Shape::kBlock,
           0, ctas, stream, p);
  });
  if (launched) return;
  with_bool(wide, [&](auto is_wide) {
    launch(two_passes<T, W, is_wide.value, kAdd>, grid_size(p.rows, "rms_norm"), kLoopThreads, 0, 1, stream, p);
  });
}

}  // namespace

void rms_norm_forward(const RmsNormForward& args, Stream stream) {
  with_float_type(args.x.dtype, [&](auto t) {
    using T = decltype(t);
    with_bool(bool(args.residual), [&](auto add) {
      if (args.weight.dtype == args.x.dtype) {
        forward<T, T, add.value>(args, stream);
      } else {
        forward<T, float, add.value>(args, stream);
      }
    });
  });
}

}  // namespace pagoda::ops::cuda
