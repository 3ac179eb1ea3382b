#pragma once
#include "common/tensor.h"

namespace pagoda::ops {

/// q and k read and written; cos and sin (fp32, rotary/2 each) read once per table row.
inline Cost rope_cost(std::int64_t tokens, std::int64_t table_rows, std::int64_t heads, std::int64_t head_dim,
                      std::int64_t rotary_dim, Dtype dtype) {
  return {2 * tokens * heads * head_dim * dtype_bytes(dtype) + table_rows * rotary_dim * 4,
          3 * tokens * heads * rotary_dim};
}

}  // namespace pagoda::ops
