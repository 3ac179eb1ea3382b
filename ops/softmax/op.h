#pragma once
#include "common/tensor.h"

namespace pagoda::ops {

/// y = exp(x - max(x)) / sum(exp(x - max(x))) over each row.
/// Shapes: rows x cols with own row strides, cols < 2^31. Dtypes: fp32, fp16, bf16, alike. `y` may be `x`.
/// A row with +inf or NaN, or of -inf alone, gives NaN, as in torch. Traffic: 2 accesses an element.
struct SoftmaxForward {
  ConstMatrix x;
  Matrix y;
};
void softmax_forward(Tier tier, const SoftmaxForward& args, Stream stream);

/// dx = y * (dy - sum(dy * y)) over each row. `dx` may be `dy` only if the caller owns it. 3 accesses.
struct SoftmaxBackward {
  ConstMatrix dy;
  ConstMatrix y;
  Matrix dx;
};
void softmax_backward(Tier tier, const SoftmaxBackward& args, Stream stream);

namespace cuda {
void softmax_forward(const SoftmaxForward& args, Stream stream);
void softmax_backward(const SoftmaxBackward& args, Stream stream);
}  // namespace cuda
namespace triton {
void softmax_forward(const SoftmaxForward& args, Stream stream);
void softmax_backward(const SoftmaxBackward& args, Stream stream);
}  // namespace triton

}  // namespace pagoda::ops
