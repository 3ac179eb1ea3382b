// Softmax forward and backward, CUDA C++. The row stays in registers (or in those of a cluster); the maximum
// and the sum come from one pass, so a row costs one reduction. Two exponentials an element keep the register
// count low and fit the special function units twice over at full bandwidth.
#include "common/row_dispatch.cuh"
#include "softmax/op.h"

namespace pagoda::ops::cuda {
namespace {

template <class T>
struct Params {
  const T* a;  ///< x, or dy
  const T* b;  ///< y (backward)
  T* out;
  std::int64_t rows, a_stride, b_stride, out_stride;
  int cols;
};

template <class P>
__device__ __forceinline__ MaxSum packet_max_sum(const P& packet, MaxSum running) {
  float v[P::kCount];
  packet.unpack(v);
  float m = running.maximum;
#pragma unroll
  for (int j = 0; j < P::kCount; ++j) m = fmaxf(m, v[j]);
  float sum = running.sum * exp_below(running.maximum, m);
#pragma unroll
  for (int j = 0; j < P::kCount; ++j) sum += exp_below(v[j], m);
  return {m, sum};
}

template <class P>
__device__ __forceinline__ void normalise(P& packet, MaxSum total) {
  const float scale = 1.f / total.sum;
  float v[P::kCount];
  packet.unpack(v);
#pragma unroll
  for (int j = 0; j < P::kCount; ++j) v[j] = exp_below(v[j], total.maximum) * scale;
  packet.pack(v);
}

template <class T, class Shape, bool kCluster>
__global__ void __launch_bounds__(Shape::kBlock, Shape::kResident) forward_in_registers(const Params<T> p) {
  using P = Packet<T, true>;
  __shared__ RowScratch<Online> scratch;
  const Place<kCluster> place;
  const std::int64_t row = place.group * Shape::kRows + threadIdx.x / Shape::kThreads;
  const auto [first, packets] = span_of<Shape>(place, row < p.rows ? p.cols / P::kCount : 0);
  P x[Shape::kVectors];
#pragma unroll
  for (int i = 0; i < Shape::kVectors; ++i) {
    const int at = first + i * Shape::kThreads;
    if (at < packets) x[i].load(p.a + row * p.a_stride + at * P::kCount);
  }
  MaxSum total = Online::identity();
#pragma unroll
  for (int i = 0; i < Shape::kVectors; ++i) {
    if (first + i * Shape::kThreads < packets) {
      x[i].forget_until(total.sum);
      total = packet_max_sum(x[i], total);
    }
  }
  forget(x);
  total = reduce_row<Online, Shape::kThreads, kCluster>(total, scratch, 0);
#pragma unroll
  for (int i = 0; i < Shape::kVectors; ++i) {
    const int at = first + i * Shape::kThreads;
    if (at < packets) {
      normalise(x[i], total);
      x[i].store(p.out + row * p.out_stride + at * P::kCount);
    }
  }
}

template <class T, bool kWide>
__global__ void __launch_bounds__(kLoopThreads) forward_two_passes(const Params<T> p) {
  using P = Packet<T, kWide>;
  __shared__ RowScratch<Online> scratch;
  const T* x = p.a + blockIdx.x * p.a_stride;
  T* y = p.out + blockIdx.x * p.out_stride;
  const int packets = p.cols / P::kCount;
  MaxSum total = Online::identity();
#pragma unroll 4
  for (int at = threadIdx.x; at < packets; at += kLoopThreads) {
    P packet;
    packet.load(x + at * P::kCount);
    total = packet_max_sum(packet, total);
  }
  total = reduce_row<Online, kLoopThreads, false>(total, scratch, 0);
  for (int at = threadIdx.x; at < packets; at += kLoopThreads) {
    P packet;
    packet.load(x + at * P::kCount);
    normalise(packet, total);
    packet.store(y + at * P::kCount);
  }
}

template <class P>
__device__ __forceinline__ float dot(const P& a, const P& b) {
  float x[P::kCount], y[P::kCount];
  a.unpack(x);
  b.unpack(y);
  float sum = 0.f;
#pragma unroll
  for (int j = 0; j < P::kCount; ++j) sum += x[j] * y[j];
  return sum;
}

template <class P>
__device__ __forceinline__ void gradient(P& dy, const P& y, float sum) {
  float d[P::kCount], v[P::kCount];
  dy.unpack(d);
  y.unpack(v);
#pragma unroll
  for (int j = 0; j < P::kCount; ++j) d[j] = v[j] * (d[j] - sum);
  dy.pack(d);
}

template <class T, class Shape, bool kCluster>
__global__ void __launch_bounds__(Shape::kBlock) backward_in_registers(const Params<T> p) {
  using P = Packet<T, true>;
  __shared__ RowScratch<Sum> scratch;
  const Place<kCluster> place;
  const std::int64_t row = place.group * Shape::kRows + threadIdx.x / Shape::kThreads;
  const auto [first, packets] = span_of<Shape>(place, row < p.rows ? p.cols / P::kCount : 0);
  P dy[Shape::kVectors], y[Shape::kVectors];
#pragma unroll
  for (int i = 0; i < Shape::kVectors; ++i) {
    const int at = first + i * Shape::kThreads;
    if (at < packets) {
      dy[i].load(p.a + row * p.a_stride + at * P::kCount);
      y[i].load(p.b + row * p.b_stride + at * P::kCount);
    }
  }
  float sum = 0.f;
#pragma unroll
  for (int i = 0; i < Shape::kVectors; ++i) {
    if (first + i * Shape::kThreads < packets) sum += dot(dy[i], y[i]);
  }
  forget(dy);
  forget(y);
  sum = reduce_row<Sum, Shape::kThreads, kCluster>(sum, scratch, 0);
#pragma unroll
  for (int i = 0; i < Shape::kVectors; ++i) {
    const int at = first + i * Shape::kThreads;
    if (at < packets) {
      gradient(dy[i], y[i], sum);
      dy[i].store(p.out + row * p.out_stride + at * P::kCount);
    }
  }
}

template <class T, bool kWide>
__global__ void __launch_bounds__(kLoopThreads) backward_two_passes(const Params<T> p) {
  using P = Packet<T, kWide>;
  __shared__ RowScratch<Sum> scratch;
  const T* dy = p.a + blockIdx.x * p.a_stride;
  const T* y = p.b + blockIdx.x * p.b_stride;
  T* dx = p.out + blockIdx.x * p.out_stride;
  const int packets = p.cols / P::kCount;
  float sum = 0.f;
#pragma unroll 4
  for (int at = threadIdx.x; at < packets; at += kLoopThreads) {
    P a, b;
    a.load(dy + at * P::kCount);
    b.load(y + at * P::kCount);
    sum += dot(a, b);
  }
  sum = reduce_row<Sum, kLoopThreads, false>(sum, scratch, 0);
  for (int at = threadIdx.x; at < packets; at += kLoopThreads) {
    P a, b;
    a.load(dy + at * P::kCount);
    b.load(y + at * P::kCount);
    gradient(a, b, sum);
    a.store(dx + at * P::kCount);
  }
}

template <class T, bool kBackward>
void run(const Params<T>& p, bool wide, Stream stream) {
  const auto in_registers = [&](auto shape, auto cluster, int ctas) {
    using Shape = decltype(shape);
    const std::int64_t groups = (p.rows + Shape::kRows - 1) / Shape::kRows;
    const auto kernel = kBackward ? backward_in_registers<T, Shape, cluster.value>
                                  : forward_in_registers<T, Shape, cluster.value>;
    launch(kernel, grid_size(groups * ctas, "softmax"), Shape::kBlock, 0, ctas, stream, p);
  };
  const std::int64_t packets = std::int64_t{p.cols} * sizeof(T) / 16;
  if (wide && (kBackward ? with_pair_shape(packets, in_registers) : with_row_shape(packets, in_registers)))
    return;
  with_bool(wide, [&](auto is_wide) {
    const auto kernel =
        kBackward ? backward_two_passes<T, is_wide.value> : forward_two_passes<T, is_wide.value>;
    launch(kernel, grid_size(p.rows, "softmax"), kLoopThreads, 0, 1, stream, p);
  });
}

}  // namespace

void softmax_forward(const SoftmaxForward& a, Stream stream) {
  with_float_type(a.x.dtype, [&](auto t) {
    using T = decltype(t);
    const Params<T> p{static_cast<const T*>(a.x.data),
                      nullptr,
                      static_cast<T*>(a.y.data),
                      a.x.rows,
                      a.x.row_stride,
                      0,
                      a.y.row_stride,
                      static_cast<int>(a.x.cols)};
    run<T, false>(p, is_packed(a.x) && is_packed(a.y), stream);
  });
}

void softmax_backward(const SoftmaxBackward& a, Stream stream) {
  with_float_type(a.y.dtype, [&](auto t) {
    using T = decltype(t);
    const Params<T> p{static_cast<const T*>(a.dy.data),
                      static_cast<const T*>(a.y.data),
                      static_cast<T*>(a.dx.data),
                      a.y.rows,
                      a.dy.row_stride,
                      a.y.row_stride,
                      a.dx.row_stride,
                      static_cast<int>(a.y.cols)};
    run<T, true>(p, is_packed(a.dy) && is_packed(a.y) && is_packed(a.dx), stream);
  });
}

}  // namespace pagoda::ops::cuda
