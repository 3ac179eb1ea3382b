#pragma once
#include "common/tensor.h"

namespace pagoda::ops {

/// x read, one byte an element and one fp32 scale a group written.
inline Cost quantize_cost(std::int64_t rows, std::int64_t cols, std::int64_t group, Dtype dtype) {
  return {rows * cols * (dtype_bytes(dtype) + 1) + rows * (cols / (group == 0 ? cols : group)) * 4,
          3 * rows * cols};
}

}  // namespace pagoda::ops
