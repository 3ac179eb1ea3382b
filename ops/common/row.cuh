#pragma once
// Rows and their reductions. A row belongs to kThreads threads of one CTA, or to a cluster of such CTAs, and
// stays in registers as kVectors packets a thread. The order of every reduction depends on the row length
// alone, so a row gives the same bits alone or in a batch.
#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include "common/check.h"
#include "common/packet.cuh"

namespace pagoda::ops {

template <int kThreadsPerRow, int kVectorsPerThread>
struct RowShape {
  static constexpr int kThreads = kThreadsPerRow;
  static constexpr int kVectors = kVectorsPerThread;
  static constexpr int kBlock = kThreads < 128 ? 128 : kThreads;
  static constexpr int kRows = kBlock / kThreads;  ///< rows a CTA works on at once
  static constexpr int kSlice = kThreads * kVectors;
  static constexpr int kResident = 1024 / kBlock;  ///< CTAs an SM should hold at least: 64 registers a thread
};

struct Sum {
  using Value = float;
  static __device__ __forceinline__ float identity() { return 0.f; }
  static __device__ __forceinline__ float combine(float a, float b) { return a + b; }
  static __device__ __forceinline__ float shuffle(float v, int mask) {
    return __shfl_xor_sync(0xffffffffu, v, mask);
  }
};

/// Largest of the elements of a packet and of `m`; NaN are passed over.
template <class P>
__device__ __forceinline__ float packet_max(const P& packet, float m) {
  float v[P::kCount];
  packet.unpack(v);
#pragma unroll
  for (int j = 0; j < P::kCount; ++j) m = fmaxf(m, v[j]);
  return m;
}

struct Max {
  using Value = float;
  static __device__ __forceinline__ float identity() { return -INFINITY; }
  static __device__ __forceinline__ float combine(float a, float b) { return fmaxf(a, b); }
  static __device__ __forceinline__ float shuffle(float v, int mask) {
    return __shfl_xor_sync(0xffffffffu, v, mask);
  }
};

/// 2^x by the special function unit; results below 2^-126 become 0.
__device__ __forceinline__ float fast_exp2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

constexpr float kLog2e = 1.4426950408889634f;

/// exp without the NaN of (-inf) - (-inf): a masked element weighs nothing whatever the maximum is.
__device__ __forceinline__ float exp_below(float x, float maximum) {
  return fast_exp2((x - (maximum == -INFINITY ? 0.f : maximum)) * kLog2e);
}

/// A running maximum and the sum of exp(x - maximum): softmax in one pass.
struct MaxSum {
  float maximum;
  float sum;
};
struct Online {
  using Value = MaxSum;
  static __device__ __forceinline__ MaxSum identity() { return {-INFINITY, 0.f}; }
  static __device__ __forceinline__ MaxSum combine(MaxSum a, MaxSum b) {
    const float m = fmaxf(a.maximum, b.maximum);
    return {m, a.sum * exp_below(a.maximum, m) + b.sum * exp_below(b.maximum, m)};
  }
  static __device__ __forceinline__ MaxSum shuffle(MaxSum v, int mask) {
    return {__shfl_xor_sync(0xffffffffu, v.maximum, mask), __shfl_xor_sync(0xffffffffu, v.sum, mask)};
  }
};

/// Scratch of one reduction over a row: two slots, so that consecutive reductions need one barrier each.
template <class Op>
struct RowScratch {
  typename Op::Value warps[2][32];
  typename Op::Value ranks[2][16];
};

template <class Op, int kThreads>
__device__ __forceinline__ typename Op::Value reduce_threads(typename Op::Value v, RowScratch<Op>& scratch,
                                                             int slot) {
#pragma unroll
  for (int mask = (kThreads < 32 ? kThreads : 32) / 2; mask > 0; mask /= 2) {
    v = Op::combine(v, Op::shuffle(v, mask));
  }
  if constexpr (kThreads > 32) {
    constexpr int kWarps = kThreads / 32;
    if (threadIdx.x % 32 == 0) scratch.warps[slot][threadIdx.x / 32] = v;
    __syncthreads();
    v = scratch.warps[slot][0];
#pragma unroll
    for (int w = 1; w < kWarps; ++w) v = Op::combine(v, scratch.warps[slot][w]);
  }
  return v;
}

/// Reduces over the threads of a row and, with kCluster, over the CTAs that share it.
/// `slot` alternates between 0 and 1 from one reduction to the next of the same scratch.
template <class Op, int kThreads, bool kCluster>
__device__ __forceinline__ typename Op::Value reduce_row(typename Op::Value v, RowScratch<Op>& scratch,
                                                         int slot) {
  v = reduce_threads<Op, kThreads>(v, scratch, slot);
#if __CUDA_ARCH__ >= 900
  if constexpr (kCluster) {
    namespace cg = cooperative_groups;
    cg::cluster_group cluster = cg::this_cluster();
    const int ranks = static_cast<int>(cluster.num_blocks());
    const int mine = static_cast<int>(cluster.block_rank());
    if (static_cast<int>(threadIdx.x) < ranks) {
      *cluster.map_shared_rank(&scratch.ranks[slot][mine], threadIdx.x) = v;
    }
    cluster.sync();
    v = scratch.ranks[slot][0];
    for (int r = 1; r < ranks; ++r) v = Op::combine(v, scratch.ranks[slot][r]);
  }
#endif
  return v;
}

/// A CTA's place: which CTA of its row, and which row group (the position in the grid without the cluster).
template <bool kCluster>
struct Place {
  int rank = 0;
  std::int64_t group = 0;
  std::int64_t groups = 0;

  __device__ __forceinline__ Place() {
#if __CUDA_ARCH__ >= 900
    if constexpr (kCluster) {
      const int ranks = static_cast<int>(cooperative_groups::this_cluster().num_blocks());
      rank = static_cast<int>(blockIdx.x) % ranks;
      group = blockIdx.x / ranks;
      groups = gridDim.x / ranks;
      return;
    }
#endif
    group = blockIdx.x;
    groups = gridDim.x;
  }
};

/// The packets of a row that a CTA holds: the CTAs of a cluster share them evenly.
struct Span {
  int first;  ///< of this thread
  int limit;  ///< of this CTA
};
template <class Shape, bool kCluster>
__device__ __forceinline__ Span span_of(const Place<kCluster>& place, int packets) {
  const int lane = static_cast<int>(threadIdx.x) % Shape::kThreads;
#if __CUDA_ARCH__ >= 900
  if constexpr (kCluster) {
    const int ranks = static_cast<int>(cooperative_groups::this_cluster().num_blocks());
    const int share = (packets + ranks - 1) / ranks;
    return {place.rank * share + lane, min(packets, (place.rank + 1) * share)};
  }
#endif
  return {lane, packets};
}

/// A CTA may not leave while another of its cluster could still write its shared memory.
template <bool kCluster>
__device__ __forceinline__ void leave_cluster() {
#if __CUDA_ARCH__ >= 900
  if constexpr (kCluster) cooperative_groups::this_cluster().sync();
#endif
}

inline unsigned grid_size(std::int64_t ctas, const char* what) {
  if (ctas > 0x7fffffff) refuse(what, "rows", "more than 2^31 - 1 thread blocks would be needed");
  return static_cast<unsigned>(ctas);
}

/// Launches with `cluster` CTAs a cluster (1: none). Throws on a launch error.
template <class... Params, class... Args>
void launch(void (*kernel)(Params...), unsigned grid, int block, std::size_t shared_bytes, int cluster,
            Stream stream, Args... args) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(grid);
  config.blockDim = dim3(block);
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  cudaLaunchAttribute attribute{};
  if (cluster > 1) {
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster;
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
  }
  check_cuda(cudaLaunchKernelEx(&config, kernel, static_cast<Params>(args)...), "kernel launch");
}

/// Clusters of `ctas` that the device runs at once: some SMs of a chip are left over when its groups of SMs do not
/// divide by the cluster size, and a persistent grid beyond this number would run in two waves.
template <class Kernel>
int resident_clusters(Kernel kernel, int block, std::size_t shared_bytes, int ctas) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(ctas);
  config.blockDim = dim3(block);
  config.dynamicSmemBytes = shared_bytes;
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = ctas;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  int clusters = 0;
  check_cuda(cudaOccupancyMaxActiveClusters(&clusters, kernel, &config), "cluster occupancy");
  return std::max(1, clusters);
}

/// Calls f(T{}) with the storage type of an activation.
template <class F>
void with_float_type(Dtype dtype, F&& f) {
  switch (dtype) {
    case Dtype::f32: return f(float{});
    case Dtype::f16: return f(__half{});
    case Dtype::bf16: return f(__nv_bfloat16{});
    default: throw std::logic_error("dtype was not checked");
  }
}

/// Calls f with std::true_type or std::false_type.
template <class F>
void with_bool(bool value, F&& f) {
  if (value) {
    f(std::true_type{});
  } else {
    f(std::false_type{});
  }
}

}  // namespace pagoda::ops
