// Cross-entropy, CUDA C++. Forward alone reads the row once in a loop with a running maximum. With the
// gradient the row stays in registers (of a cluster for large vocabularies) between its read and its write,
// so dlogits may overwrite the logits.
#include "common/row_dispatch.cuh"
#include "cross_entropy/op.h"

namespace pagoda::ops::cuda {
namespace {

// Several rows share an SM, so that the ends of one hide behind the middles of others.
constexpr int kRowThreads = 256;

template <class T>
struct Params {
  const T* logits;
  const std::int64_t* targets;
  float* losses;
  float* lse;
  T* dlogits;
  const float* scale;  ///< 1 / valid rows for the mean, else null
  std::int64_t rows, stride, dstride, ignore_index;
  int cols;
  float smoothing, z_loss, grad_scale;
};

// Statistics of a row, the target class left out of `exp`: its gradient needs the sum of the others exactly.
struct Stats {
  MaxSum exp;
  float sum;  ///< of the logits, for label smoothing
};
struct Combine {
  using Value = Stats;
  static __device__ __forceinline__ Stats identity() { return {Online::identity(), 0.f}; }
  static __device__ __forceinline__ Stats combine(Stats a, Stats b) {
    return {Online::combine(a.exp, b.exp), a.sum + b.sum};
  }
  static __device__ __forceinline__ Stats shuffle(Stats v, int mask) {
    return {Online::shuffle(v.exp, mask), __shfl_xor_sync(0xffffffffu, v.sum, mask)};
  }
};

// sum of 2^(v * log2(e) - offset) over a packet: one multiply-add and one special function an element.
template <class P>
__device__ __forceinline__ float exp_sum(const P& packet, float offset) {
  float v[P::kCount];
  packet.unpack(v);
  float sum = 0.f;
#pragma unroll
  for (int j = 0; j < P::kCount; ++j) sum += fast_exp2(fmaf(v[j], kLog2e, -offset));
  return sum;
}

// The same without element `skip`: only the one packet with the target takes this branch.
template <class P>
__device__ __noinline__ float exp_sum_without(P packet, float offset, int skip) {
  float v[P::kCount];
  packet.unpack(v);
  float sum = 0.f;
#pragma unroll
  for (int j = 0; j < P::kCount; ++j) sum += j == skip ? 0.f : fast_exp2(fmaf(v[j], kLog2e, -offset));
  return sum;
}

template <class P>
__device__ __forceinline__ float plain_sum(const P& packet) {
  float v[P::kCount];
  packet.unpack(v);
  float sum = 0.f;
#pragma unroll
  for (int j = 0; j < P::kCount; ++j) sum += v[j];
  return sum;
}

// The exponent's offset for a maximum. Its rounding makes every term of a sum too small by the same factor.
struct Offset {
  float value, excess;
  __device__ __forceinline__ explicit Offset(float maximum) {
    const float m = maximum == -INFINITY ? 0.f : maximum;
    value = m * kLog2e;
    excess = -fmaf(m, kLog2e, -value);
  }
  __device__ __forceinline__ float correction() const { return fast_exp2(excess); }
};

// Adds kPackets packets at once, with one rescaling of the running sum. Packets beyond the row are -inf.
template <bool kSmooth, class P, int kPackets>
__device__ __forceinline__ void accumulate(Stats& stats, P (&packets)[kPackets], int first, int step,
                                           int limit, int target) {
  float m = stats.exp.maximum;
#pragma unroll
  for (int i = 0; i < kPackets; ++i) {
    if constexpr (kSmooth) {
      if (first + i * step < limit) stats.sum += plain_sum(packets[i]);
    }
    packets[i].forget_until(m);
    m = packet_max(packets[i], m);
  }
  // The target may be the largest: it only sets the scale then.
  const Offset offset(m);
  float sum = 0.f;
#pragma unroll
  for (int i = 0; i < kPackets; ++i) {
    packets[i].forget_until(sum);
    const int skip = target - (first + i * step) * P::kCount;
    if (skip >= 0 && skip < P::kCount) {
      sum += exp_sum_without(packets[i], offset.value, skip);
    } else {
      sum += exp_sum(packets[i], offset.value);
    }
  }
  stats.exp = {m, stats.exp.sum * exp_below(stats.exp.maximum, m) + sum * offset.correction()};
}

struct RowResult {
  float maximum, inverse_sum, lse, loss, others_fraction;
};

template <class T>
__device__ __forceinline__ RowResult finish(const Params<T>& p, const Stats& stats, float target_logit) {
  RowResult r;
  r.maximum = fmaxf(stats.exp.maximum, target_logit);
  const float others = stats.exp.sum * exp_below(stats.exp.maximum, r.maximum);
  const float target = expf(target_logit - (r.maximum == -INFINITY ? 0.f : r.maximum));
  r.inverse_sum = 1.f / (others + target);
  r.others_fraction = others * r.inverse_sum;
  r.lse = r.maximum + logf(others + target);
  // log1p keeps the loss of a confident row, which lse - x[target] would cancel away.
  const float nll = target >= others ? log1pf(others / target) : r.lse - target_logit;
  r.loss = (1.f - p.smoothing) * nll + p.z_loss * r.lse * r.lse;
  if (p.smoothing > 0.f) r.loss += p.smoothing * (r.lse - stats.sum / p.cols);
  return r;
}

template <class T>
__device__ __forceinline__ void write_row(const Params<T>& p, std::int64_t row, const RowResult& r,
                                          bool ignored, bool legal) {
  p.losses[row] = ignored ? 0.f : legal ? r.loss : NAN;
  if (p.lse != nullptr) p.lse[row] = r.lse;
}

// Gradient factors of a row, so that each element costs one exponential and one multiply-add.
struct Factors {
  float probability, constant, target, offset;
};
template <class T>
__device__ __forceinline__ Factors factors(const Params<T>& p, const RowResult& r, bool ignored, bool legal) {
  if (ignored) return {0.f, 0.f, 0.f, 0.f};
  if (!legal) return {NAN, NAN, NAN, 0.f};
  const float upstream = p.grad_scale * (p.scale != nullptr ? *p.scale : 1.f);
  const float z = 2.f * p.z_loss * r.lse;
  const float smooth = p.smoothing / p.cols;
  const float p_target = 1.f - r.others_fraction;
  const Offset offset(r.maximum);
  return {upstream * (1.f + z) * r.inverse_sum * offset.correction(), -upstream * smooth,
          upstream * (-r.others_fraction + p.smoothing + z * p_target - smooth), offset.value};
}

template <class P>
__device__ __forceinline__ void gradient(P& packet, const Factors& f) {
  float v[P::kCount];
  packet.unpack(v);
#pragma unroll
  for (int j = 0; j < P::kCount; ++j) {
    v[j] = fmaf(fast_exp2(fmaf(v[j], kLog2e, -f.offset)), f.probability, f.constant);
  }
  packet.pack(v);
}

// An ignored row writes zeros even where its logits are not finite.
template <class P>
__device__ __forceinline__ void gradient_or_zero(P& packet, const Factors& f, bool ignored) {
  if (ignored) {
    packet.clear();
  } else {
    gradient(packet, f);
  }
}

template <class T>
struct Target {
  bool ignored, legal;
  int index;
  float logit;
  __device__ __forceinline__ Target(const Params<T>& p, std::int64_t row) {
    const std::int64_t t = p.targets[row];
    ignored = t == p.ignore_index;
    legal = t >= 0 && t < p.cols;
    index = legal ? static_cast<int>(t) : -1000;  // in no packet
    logit = legal ? to_float(p.logits[row * p.stride + index]) : -INFINITY;
  }
  __device__ __forceinline__ bool is_in(int packet, int count) const {
    return index >= packet * count && index < (packet + 1) * count;
  }
};

// By the thread that just stored the packet around it, so the order of the two stores is the program's.
template <class T>
__device__ __forceinline__ void write_target(const Params<T>& p, std::int64_t row, const Target<T>& target,
                                             const Factors& f) {
  p.dlogits[row * p.dstride + target.index] = from_float<T>(f.target);
}

template <class T, class Shape, bool kCluster, bool kSmooth>
__global__ void __launch_bounds__(Shape::kBlock, Shape::kResident) with_gradient(const Params<T> p) {
  using P = Packet<T, true>;
  __shared__ RowScratch<Combine> scratch;
  const Place<kCluster> place;
  const std::int64_t row = place.group * Shape::kRows + threadIdx.x / Shape::kThreads;
  const bool live = row < p.rows;
  const auto [first, limit] = span_of<Shape>(place, live ? p.cols / P::kCount : 0);
  P x[Shape::kVectors];
#pragma unroll
  for (int i = 0; i < Shape::kVectors; ++i) {
    const int at = first + i * Shape::kThreads;
    x[i].clear_to_minus_infinity();
    if (at < limit) x[i].load(p.logits + row * p.stride + at * P::kCount);
  }
  const Target<T> target(p, live ? row : 0);
  Stats stats = Combine::identity();
  accumulate<kSmooth>(stats, x, first, Shape::kThreads, limit, target.index);
  // Every thread has read the target's logit before this barrier, so that it may be overwritten after it.
  forget(x);
  stats = reduce_row<Combine, Shape::kThreads, kCluster>(stats, scratch, 0);
  if (Shape::kThreads <= 32) __syncwarp();
  const RowResult r = finish(p, stats, target.logit);
  if (live && first == 0) write_row(p, row, r, target.ignored, target.legal);
  const Factors f = factors(p, r, target.ignored, target.legal);
#pragma unroll
  for (int i = 0; i < Shape::kVectors; ++i) {
    const int at = first + i * Shape::kThreads;
    if (at < limit) {
      x[i].forget();
      gradient_or_zero(x[i], f, target.ignored);
      x[i].store(p.dlogits + row * p.dstride + at * P::kCount);
      if (target.is_in(at, P::kCount)) write_target(p, row, target, f);
    }
  }
}

// Forward alone, and the gradient of rows that no register layout holds (a second read, from L2). The next
// packets are on their way while the present ones are summed.
template <class T, bool kWide, bool kGradient, bool kSmooth>
__global__ void __launch_bounds__(kRowThreads) in_a_loop(const Params<T> p) {
  using P = Packet<T, kWide>;
  constexpr int kUnroll = 4;
  __shared__ RowScratch<Combine> scratch;
  const std::int64_t row = blockIdx.x;
  const T* x = p.logits + row * p.stride;
  const int packets = p.cols / P::kCount;
  const auto load = [&](P(&packet)[kUnroll], int base) {
#pragma unroll
    for (int i = 0; i < kUnroll; ++i) {
      const int at = base + i * kRowThreads;
      packet[i].clear_to_minus_infinity();
      if (at < packets) packet[i].load(x + at * P::kCount);
    }
  };
  P next[kUnroll];
  load(next, threadIdx.x);
  const Target<T> target(p, row);
  Stats stats = Combine::identity();
  for (int base = threadIdx.x; base < packets; base += kUnroll * kRowThreads) {
    P now[kUnroll];
#pragma unroll
    for (int i = 0; i < kUnroll; ++i) now[i] = next[i];
    load(next, base + kUnroll * kRowThreads);
    accumulate<kSmooth>(stats, now, base, kRowThreads, packets, target.index);
  }
  stats = reduce_row<Combine, kRowThreads, false>(stats, scratch, 0);
  const RowResult r = finish(p, stats, target.logit);
  if (threadIdx.x == 0) write_row(p, row, r, target.ignored, target.legal);
  if constexpr (kGradient) {
    const Factors f = factors(p, r, target.ignored, target.legal);
#pragma unroll 4
    for (int at = threadIdx.x; at < packets; at += kRowThreads) {
      P packet;
      packet.load(x + at * P::kCount);
      gradient_or_zero(packet, f, target.ignored);
      packet.store(p.dlogits + row * p.dstride + at * P::kCount);
      if (target.is_in(at, P::kCount)) write_target(p, row, target, f);
    }
  }
}

__global__ void __launch_bounds__(1024)
    count_kernel(const std::int64_t* targets, std::int64_t rows, std::int64_t ignore_index, float* scale) {
  __shared__ RowScratch<Sum> scratch;
  int mine = 0;
#pragma unroll 8
  for (std::int64_t i = threadIdx.x; i < rows; i += 1024) mine += targets[i] != ignore_index;
  // Counts of a thread are below 2^24 for any tensor that fits a GPU, so fp32 partial sums stay near exact.
  const float count = reduce_row<Sum, 1024, false>(static_cast<float>(mine), scratch, 0);
  if (threadIdx.x == 0) *scale = 1.f / count;
}

__global__ void __launch_bounds__(1024)
    total_kernel(const float* losses, std::int64_t rows, const float* scale, float* total) {
  __shared__ RowScratch<Sum> scratch;
  float sum = 0.f;
#pragma unroll 8
  for (std::int64_t i = threadIdx.x; i < rows; i += 1024) sum += losses[i];
  sum = reduce_row<Sum, 1024, false>(sum, scratch, 0);
  if (threadIdx.x == 0) *total = scale != nullptr ? sum * *scale : sum;
}

template <class T, bool kSmooth>
void rows(const Params<T>& p, bool wide, Stream stream) {
  const bool gradient = p.dlogits != nullptr;
  if (wide && gradient) {
    const std::int64_t packets = std::int64_t{p.cols} * sizeof(T) / 16;
    if (with_row_shape(packets, [&](auto shape, auto cluster, int ctas) {
          using Shape = decltype(shape);
          const std::int64_t groups = (p.rows + Shape::kRows - 1) / Shape::kRows;
          launch(with_gradient<T, Shape, cluster.value, kSmooth>, grid_size(groups * ctas, "cross_entropy"),
                 Shape::kBlock, 0, ctas, stream, p);
        })) {
      return;
    }
  }
  with_bool(wide, [&](auto is_wide) {
    with_bool(gradient, [&](auto with) {
      launch(in_a_loop<T, is_wide.value, with.value, kSmooth>, grid_size(p.rows, "cross_entropy"),
             kRowThreads, 0, 1, stream, p);
    });
  });
}

}  // namespace

void count_targets(const CrossEntropy& a, float* scale, Stream stream) {
  launch(count_kernel, 1, 1024, 0, 1, stream, a.targets, a.logits.rows, a.ignore_index, scale);
}

void reduce_losses(const CrossEntropy& a, const float* scale, Stream stream) {
  launch(total_kernel, 1, 1024, 0, 1, stream, a.losses, a.logits.rows, scale, a.total);
}

void cross_entropy(const CrossEntropy& a, Stream stream) {
  auto* scale = a.reduction == Reduction::mean ? static_cast<float*>(a.workspace) : nullptr;
  if (scale != nullptr) count_targets(a, scale, stream);
  with_float_type(a.logits.dtype, [&](auto t) {
    using T = decltype(t);
    Params<T> p{static_cast<const T*>(a.logits.data),
                a.targets,
                a.losses,
                a.lse,
                static_cast<T*>(a.dlogits.data),
                scale,
                a.logits.rows,
                a.logits.row_stride,
                a.dlogits.row_stride,
                a.ignore_index,
                static_cast<int>(a.logits.cols)};
    p.smoothing = a.smoothing;
    p.z_loss = a.z_loss;
    p.grad_scale = a.grad_scale;
    const bool wide = is_packed(a.logits) && (!a.dlogits || is_packed(a.dlogits));
    with_bool(a.smoothing > 0, [&](auto smooth) { rows<T, smooth.value>(p, wide, stream); });
  });
  if (a.reduction != Reduction::none) reduce_losses(a, scale, stream);
}

}  // namespace pagoda::ops::cuda
