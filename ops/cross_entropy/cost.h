#pragma once
#include "common/tensor.h"

namespace pagoda::ops {

/// logits read (and dlogits written), targets read, one loss a row written and read for the total.
inline Cost cross_entropy_cost(std::int64_t rows, std::int64_t cols, Dtype dtype, bool gradient) {
  return {(gradient ? 2 : 1) * rows * cols * dtype_bytes(dtype) + rows * (8 + 4),
          (gradient ? 6 : 4) * rows * cols};
}

}  // namespace pagoda::ops
