#pragma once
#include "common/tensor.h"

namespace pagoda::ops {

/// q = round(x / scale), scale = max|x| / limit over each group of `group` consecutive columns (0: the row).
///
/// `x` rows x cols, fp32, fp16 or bf16; `q` fp8 e4m3 (limit 448, nearest even) or int8 (limit 127), own row
/// strides; `scales` fp32, rows x (cols / group), contiguous. x is about q * scale. A group of zeros gets
/// scale 0 and q 0; NaN elements stay NaN in fp8 and are 0 in int8 (and do not enter the maximum); a group
/// with an infinite element has an infinite scale. Group must divide cols. Traffic: one read of x, one byte
/// an element written, 4 bytes a group.
struct Quantize {
  ConstMatrix x;
  Matrix q;
  float* scales = nullptr;
  std::int64_t group = 0;
};
void quantize(Tier tier, const Quantize& args, Stream stream);

namespace cuda {
void quantize(const Quantize& args, Stream stream);
}
namespace triton {
void quantize(const Quantize& args, Stream stream);
}

}  // namespace pagoda::ops
