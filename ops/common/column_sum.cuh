#pragma once
#include "common/row.cuh"

namespace pagoda::ops {

/// out[c] = sum over r of partial[r * cols + c] in a fixed order: the second half of a weight gradient.
template <class W>
__global__ void __launch_bounds__(1024) column_sum_kernel(const float* partial, W* out, int rows, int cols) {
  __shared__ float sums[32][33];
  const int column = blockIdx.x * 32 + threadIdx.x;
  float sum = 0.f;
  if (column < cols) {
#pragma unroll 4
    for (int r = threadIdx.y; r < rows; r += 32) sum += partial[std::int64_t{r} * cols + column];
  }
  sums[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  float v = sums[threadIdx.x][threadIdx.y];
#pragma unroll
  for (int mask = 16; mask > 0; mask /= 2) v += __shfl_xor_sync(0xffffffffu, v, mask);
  const int mine = blockIdx.x * 32 + threadIdx.y;
  if (threadIdx.x == 0 && mine < cols) out[mine] = from_float<W>(v);
}

template <class W>
void column_sum(const float* partial, W* out, int rows, int cols, Stream stream) {
  column_sum_kernel<W><<<(cols + 31) / 32, dim3(32, 32), 0, stream>>>(partial, out, rows, cols);
  check_cuda(cudaGetLastError(), "column_sum launch");
}

}  // namespace pagoda::ops
