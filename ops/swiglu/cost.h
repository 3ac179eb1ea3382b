#pragma once
#include "common/tensor.h"

namespace pagoda::ops {

/// gate and up read, out written. An exponential counts as one FLOP.
inline Cost swiglu_forward_cost(std::int64_t rows, std::int64_t cols, Dtype dtype) {
  return {3 * rows * cols * dtype_bytes(dtype), 5 * rows * cols};
}

/// dout, gate and up read, dgate and dup written.
inline Cost swiglu_backward_cost(std::int64_t rows, std::int64_t cols, Dtype dtype) {
  return {5 * rows * cols * dtype_bytes(dtype), 11 * rows * cols};
}

}  // namespace pagoda::ops
