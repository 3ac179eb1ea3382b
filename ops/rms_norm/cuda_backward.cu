// RMSNorm backward, CUDA C++. A persistent grid walks the rows; cp.async brings the next row's x and dy into
// shared memory while this row is reduced; each CTA sums its share of dweight in registers and writes one
// fp32 row, and a second small kernel adds those. No atomics, so repeats give the same bits.
#include "common/async_copy.cuh"
#include "common/column_sum.cuh"
#include "common/row_dispatch.cuh"
#include "rms_norm/op.h"

namespace pagoda::ops::cuda {
namespace {

template <class T, class W>
struct Params {
  const T* dy;
  const T* x;
  const T* dresidual;
  const W* weight;
  const float* rstd;
  T* dx;
  float* partial;  ///< one row of cols per row group, or null when dweight is not wanted
  std::int64_t rows, dy_stride, x_stride, dx_stride, dresidual_stride;
  int cols;
  float weight_offset;
  bool round_first;
};

// Each thread copies, and later reads, its own packets only: no barrier between copy and use.
template <class T, class Shape>
struct Stage {
  uint4 x[Shape::kVectors][Shape::kBlock];
  uint4 dy[Shape::kVectors][Shape::kBlock];
};

template <class T, class W, class Shape>
__device__ __forceinline__ void start_row(Stage<T, Shape>& stage, const Params<T, W>& p, std::int64_t row,
                                          int first, int packets) {
  constexpr int kCount = Packet<T, true>::kCount;
  if (row < p.rows) {
#pragma unroll
    for (int i = 0; i < Shape::kVectors; ++i) {
      const int at = first + i * Shape::kThreads;
      if (at < packets) {
        start_copy(&stage.x[i][threadIdx.x], p.x + row * p.x_stride + at * kCount);
        start_copy(&stage.dy[i][threadIdx.x], p.dy + row * p.dy_stride + at * kCount);
      }
    }
  }
  commit_copies();
}

template <class T, class W, class Shape, bool kCluster>
__global__ void __launch_bounds__(Shape::kBlock) persistent(const Params<T, W> p) {
  using P = Packet<T, true>;
  constexpr int kCount = P::kCount;
  extern __shared__ uint4 shared[];
  auto* stages = reinterpret_cast<Stage<T, Shape>*>(shared);
  __shared__ RowScratch<Sum> scratch;
  const Place<kCluster> place;
  const auto [first, packets] = span_of<Shape>(place, p.cols / kCount);
  const std::int64_t step = place.groups * Shape::kRows;
  const std::int64_t start = place.group * Shape::kRows;  // uniform over the CTA: every thread takes every turn
  const int within = threadIdx.x / Shape::kThreads;

  // A weight of the activations' dtype stays in registers; an fp32 one would take twice as many, so it is read
  // from L1 instead.
  constexpr bool kKeepWeight = std::is_same_v<T, W>;
  P weight[Shape::kVectors];
  float dweight[Shape::kVectors][kCount] = {};
#pragma unroll
  for (int i = 0; i < Shape::kVectors; ++i) {
    const int at = first + i * Shape::kThreads;
    weight[i].clear();
    if constexpr (kKeepWeight) {
      if (at < packets) weight[i].load_shared_by_rows(p.weight + at * kCount);
    }
  }
  const auto weight_at = [&](int i, float(&w)[kCount]) {
    if constexpr (kKeepWeight) {
      weight[i].unpack(w);
    } else {
      load_weight(p.weight + (first + i * Shape::kThreads) * kCount, w);
    }
#pragma unroll
    for (int j = 0; j < kCount; ++j) w[j] += p.weight_offset;
  };

  int slot = 0;
  const auto rstd_of = [&](std::int64_t row) { return row < p.rows ? __ldg(p.rstd + row) : 0.f; };
  float next_rstd = rstd_of(start + within);  // a turn ahead, like the rows
  start_row<T, W, Shape>(stages[0], p, start + within, first, packets);
  for (std::int64_t base = start; base < p.rows; base += step, slot ^= 1) {
    const std::int64_t row = base + within;
    const bool live = row < p.rows;
    start_row<T, W, Shape>(stages[slot ^ 1], p, row + step, first, packets);
    const float rstd = next_rstd;
    next_rstd = rstd_of(row + step);
    P extra[Shape::kVectors];
    if (p.dresidual != nullptr) {
#pragma unroll
      for (int i = 0; i < Shape::kVectors; ++i) {
        const int at = first + i * Shape::kThreads;
        if (live && at < packets) extra[i].load(p.dresidual + row * p.dresidual_stride + at * kCount);
      }
    }
    wait_copies<1>();

    float dot = 0.f;
#pragma unroll
    for (int i = 0; i < Shape::kVectors; ++i) {
      if (live && first + i * Shape::kThreads < packets) {
        P px, pdy;
        px.raw = stages[slot].x[i][threadIdx.x];
        pdy.raw = stages[slot].dy[i][threadIdx.x];
        float x[kCount], dy[kCount], w[kCount];
        px.unpack(x);
        pdy.unpack(dy);
        weight_at(i, w);
#pragma unroll
        for (int j = 0; j < kCount; ++j) {
          const float xhat = x[j] * rstd;
          dot += w[j] * dy[j] * xhat;
          dweight[i][j] += dy[j] * (p.round_first ? rounded<T>(xhat) : xhat);
        }
      }
    }
    const float mean = reduce_row<Sum, Shape::kThreads, kCluster>(dot, scratch, slot) / p.cols;

#pragma unroll
    for (int i = 0; i < Shape::kVectors; ++i) {
      const int at = first + i * Shape::kThreads;
      if (live && at < packets) {
        P px, pdy;
        px.raw = stages[slot].x[i][threadIdx.x];
        pdy.raw = stages[slot].dy[i][threadIdx.x];
        float x[kCount], dy[kCount], w[kCount], more[kCount] = {};
        px.unpack(x);
        pdy.unpack(dy);
        weight_at(i, w);
        if (p.dresidual != nullptr) extra[i].unpack(more);
#pragma unroll
        for (int j = 0; j < kCount; ++j) dy[j] = rstd * (w[j] * dy[j] - x[j] * rstd * mean) + more[j];
        px.pack(dy);
        px.store(p.dx + row * p.dx_stride + at * kCount);
      }
    }
  }
  wait_copies<0>();
  if (p.partial == nullptr) return leave_cluster<kCluster>();

  float* out = p.partial + place.group * p.cols;
  if constexpr (Shape::kRows == 1) {
#pragma unroll
    for (int i = 0; i < Shape::kVectors; ++i) {
      const int at = first + i * Shape::kThreads;
      if (at < packets) {
#pragma unroll
        for (int j = 0; j < kCount; j += 4) {
          *reinterpret_cast<float4*>(out + at * kCount + j) =
              make_float4(dweight[i][j], dweight[i][j + 1], dweight[i][j + 2], dweight[i][j + 3]);
        }
      }
    }
  } else {  // several row groups in this CTA: add them in order through shared memory
    auto* sums = reinterpret_cast<float*>(shared);
    __syncthreads();
    for (int turn = 0; turn < Shape::kRows; ++turn) {
      if (within == turn) {
#pragma unroll
        for (int i = 0; i < Shape::kVectors; ++i) {
          const int at = (first + i * Shape::kThreads) * kCount;
#pragma unroll
          for (int j = 0; j < kCount; ++j) sums[at + j] = (turn == 0 ? 0.f : sums[at + j]) + dweight[i][j];
        }
      }
      __syncthreads();
    }
    for (int c = threadIdx.x; c < p.cols; c += Shape::kBlock) out[c] = sums[c];
  }
  leave_cluster<kCluster>();
}

// Any length, stride and alignment. dweight comes from a pass of its own.
template <class T, class W, bool kWide>
__global__ void __launch_bounds__(kLoopThreads) two_passes(const Params<T, W> p) {
  using P = Packet<T, kWide>;
  __shared__ RowScratch<Sum> scratch;
  const std::int64_t row = blockIdx.x;
  const T* x = p.x + row * p.x_stride;
  const T* dy = p.dy + row * p.dy_stride;
  const float rstd = p.rstd[row];
  const int packets = p.cols / P::kCount;
  const auto load = [&](int at, float(&vx)[P::kCount], float(&vdy)[P::kCount], float(&w)[P::kCount]) {
    P px, pdy;
    px.load_again(x + at * P::kCount);
    pdy.load_again(dy + at * P::kCount);
    px.unpack(vx);
    pdy.unpack(vdy);
    load_weight(p.weight + at * P::kCount, w);
#pragma unroll
    for (int j = 0; j < P::kCount; ++j) w[j] += p.weight_offset;
  };
  float dot = 0.f;
#pragma unroll 2
  for (int at = threadIdx.x; at < packets; at += kLoopThreads) {
    float vx[P::kCount], vdy[P::kCount], w[P::kCount];
    load(at, vx, vdy, w);
#pragma unroll
    for (int j = 0; j < P::kCount; ++j) dot += w[j] * vdy[j] * (vx[j] * rstd);
  }
  const float mean = reduce_row<Sum, kLoopThreads, false>(dot, scratch, 0) / p.cols;
#pragma unroll 2
  for (int at = threadIdx.x; at < packets; at += kLoopThreads) {
    float vx[P::kCount], vdy[P::kCount], w[P::kCount], more[P::kCount] = {};
    load(at, vx, vdy, w);
    P packet;
    if (p.dresidual != nullptr) {
      packet.load(p.dresidual + row * p.dresidual_stride + at * P::kCount);
      packet.unpack(more);
    }
#pragma unroll
    for (int j = 0; j < P::kCount; ++j) vdy[j] = rstd * (w[j] * vdy[j] - vx[j] * rstd * mean) + more[j];
    packet.pack(vdy);
    packet.store(p.dx + row * p.dx_stride + at * P::kCount);
  }
}

template <class T, class W, bool kWide>
__global__ void __launch_bounds__(128) weight_pass(const Params<T, W> p) {
  using P = Packet<T, kWide>;
  const int at = (blockIdx.x * 128 + threadIdx.x) * P::kCount;
  if (at >= p.cols) return;
  float sum[P::kCount] = {};
#pragma unroll 4
  for (std::int64_t row = blockIdx.y; row < p.rows; row += gridDim.y) {
    P px, pdy;
    px.load(p.x + row * p.x_stride + at);
    pdy.load(p.dy + row * p.dy_stride + at);
    const float rstd = p.rstd[row];
    float x[P::kCount], dy[P::kCount];
    px.unpack(x);
    pdy.unpack(dy);
#pragma unroll
    for (int j = 0; j < P::kCount; ++j) sum[j] += dy[j] * (p.round_first ? rounded<T>(x[j] * rstd) : x[j] * rstd);
  }
#pragma unroll
  for (int j = 0; j < P::kCount; ++j) p.partial[std::int64_t{blockIdx.y} * p.cols + at + j] = sum[j];
}

// Row groups of the persistent grid: enough CTAs an SM for about 64 KB of loads on their way.
template <class Shape>
std::int64_t row_groups(std::int64_t rows, int ctas) {
  constexpr int kStageBytes = 2 * Shape::kSlice * Shape::kRows * 16;
  const std::int64_t per_sm = std::clamp(65536 / kStageBytes, 1, 2048 / Shape::kBlock);
  const std::int64_t resident = device_facts().multiprocessors * per_sm / ctas;
  const std::int64_t needed = (rows + Shape::kRows - 1) / Shape::kRows;
  return std::max<std::int64_t>(1, std::min(resident, needed));
}

constexpr int kWeightPassRows = 64;

bool is_wide(const RmsNormBackward& a) {
  return is_packed(a.dy) && is_packed(a.x) && is_packed(a.dx) && is_packed(a.weight) &&
         (!a.dresidual || is_packed(a.dresidual));
}

template <class T, class W>
void backward(const RmsNormBackward& a, Stream stream) {
  auto* partial = a.dweight ? static_cast<float*>(a.workspace) : nullptr;
  const Params<T, W> p{static_cast<const T*>(a.dy.data),
                       static_cast<const T*>(a.x.data),
                       static_cast<const T*>(a.dresidual.data),
                       static_cast<const W*>(a.weight.data),
                       a.rstd,
                       static_cast<T*>(a.dx.data),
                       partial,
                       a.x.rows,
                       a.dy.row_stride,
                       a.x.row_stride,
                       a.dx.row_stride,
                       a.dresidual.row_stride,
                       static_cast<int>(a.x.cols),
                       a.mode == CastingMode::gemma ? 1.f : 0.f,
                       a.mode == CastingMode::llama};
  int partial_rows = 0;
  const bool launched = is_wide(a) && with_staged_shape(p.cols * sizeof(T) / 16, [&](auto shape, auto cluster, int ctas) {
    using Shape = decltype(shape);
    constexpr int kShared = 2 * sizeof(Stage<T, Shape>);
    const auto kernel = persistent<T, W, Shape, cluster.value>;
    check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared),
               "rms_norm_backward shared memory");
    partial_rows = static_cast<int>(row_groups<Shape>(p.rows, ctas));
    if (ctas > 1) partial_rows = std::min(partial_rows, resident_clusters(kernel, Shape::kBlock, kShared, ctas));
    launch(kernel, partial_rows * ctas, Shape::kBlock, kShared, ctas, stream, p);
  });
  if (!launched) {
    with_bool(is_wide(a), [&](auto wide) {
      constexpr int kCount = Packet<T, wide.value>::kCount;
      launch(two_passes<T, W, wide.value>, grid_size(p.rows, "rms_norm_backward"), kLoopThreads, 0, 1, stream, p);
      if (partial == nullptr) return;
      partial_rows = static_cast<int>(std::min<std::int64_t>(p.rows, kWeightPassRows));
      const dim3 grid((p.cols / kCount + 127) / 128, partial_rows);
      weight_pass<T, W, wide.value><<<grid, 128, 0, stream>>>(p);
      check_cuda(cudaGetLastError(), "rms_norm_backward launch");
    });
  }
  if (partial != nullptr) {
    column_sum(partial, static_cast<W*>(a.dweight.data), partial_rows, p.cols, stream);
  }
}

}  // namespace

std::size_t rms_norm_backward_workspace_bytes(const RmsNormBackward& a) {
  std::int64_t groups = std::min<std::int64_t>(a.x.rows, kWeightPassRows);
  if (is_wide(a)) {
    with_staged_shape(a.x.cols * dtype_bytes(a.x.dtype) / 16, [&](auto shape, auto, int ctas) {
      groups = row_groups<decltype(shape)>(a.x.rows, ctas);
    });
  }
  return static_cast<std::size_t>(groups * a.x.cols) * sizeof(float);
}

void rms_norm_backward(const RmsNormBackward& args, Stream stream) {
  with_float_type(args.x.dtype, [&](auto t) {
    using T = decltype(t);
    args.weight.dtype == args.x.dtype ? backward<T, T>(args, stream) : backward<T, float>(args, stream);
  });
}

}  // namespace pagoda::ops::cuda
