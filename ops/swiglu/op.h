#pragma once
#include "common/tensor.h"

namespace pagoda::ops {

enum class Activation : unsigned char { silu, gelu_tanh, gelu_erf };

/// out = activation(gate) * up: SwiGLU with silu, GeGLU with a gelu.
///
/// Shapes: rows x cols each, own row strides: a packed gate|up is one matrix of 2*cols seen as two.
/// Dtypes: fp32, fp16, bf16, all alike; arithmetic in fp32, rounded once. Traffic: 3 accesses an element.
struct SwigluForward {
  ConstMatrix gate;
  ConstMatrix up;
  Matrix out;
  Activation activation = Activation::silu;
};
void swiglu_forward(Tier tier, const SwigluForward& args, Stream stream);

/// dgate = dout * up * activation'(gate), dup = dout * activation(gate). Traffic: 5 accesses an element.
/// The two gradients may be the halves of one packed matrix, and may overwrite gate and up.
struct SwigluBackward {
  ConstMatrix dout;
  ConstMatrix gate;
  ConstMatrix up;
  Matrix dgate;
  Matrix dup;
  Activation activation = Activation::silu;
};
void swiglu_backward(Tier tier, const SwigluBackward& args, Stream stream);

namespace cuda {
void swiglu_forward(const SwigluForward& args, Stream stream);
void swiglu_backward(const SwigluBackward& args, Stream stream);
}  // namespace cuda
namespace triton {
void swiglu_forward(const SwigluForward& args, Stream stream);
void swiglu_backward(const SwigluBackward& args, Stream stream);
}  // namespace triton

}  // namespace pagoda::ops
