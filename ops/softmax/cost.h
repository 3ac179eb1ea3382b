#pragma once
#include "common/tensor.h"

namespace pagoda::ops {

/// x read, y written.
inline Cost softmax_forward_cost(std::int64_t rows, std::int64_t cols, Dtype dtype) {
  return {2 * rows * cols * dtype_bytes(dtype), 5 * rows * cols};
}

/// dy and y read, dx written.
inline Cost softmax_backward_cost(std::int64_t rows, std::int64_t cols, Dtype dtype) {
  return {3 * rows * cols * dtype_bytes(dtype), 4 * rows * cols};
}

}  // namespace pagoda::ops
