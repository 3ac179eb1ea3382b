#pragma once
#include "common/tensor.h"

namespace pagoda::ops {

/// x read, y written (with residual: x, residual read, h, y written), weight read; rstd only if asked for.
inline Cost rms_norm_forward_cost(std::int64_t rows, std::int64_t cols, Dtype dtype, Dtype weight,
                                  bool residual, bool rstd) {
  const std::int64_t accesses = residual ? 4 : 2;
  return {accesses * rows * cols * dtype_bytes(dtype) + cols * dtype_bytes(weight) + (rstd ? rows * 4 : 0),
          rows * cols * (residual ? 5 : 4)};
}

/// dy and x read, dx written (with dresidual: one more read), weight and rstd read, dweight written.
inline Cost rms_norm_backward_cost(std::int64_t rows, std::int64_t cols, Dtype dtype, Dtype weight,
                                   bool dresidual, bool dweight) {
  const std::int64_t accesses = dresidual ? 4 : 3;
  return {accesses * rows * cols * dtype_bytes(dtype) + (dweight ? 2 : 1) * cols * dtype_bytes(weight) +
              rows * 4,
          rows * cols * (dweight ? 11 : 9)};
}

}  // namespace pagoda::ops
