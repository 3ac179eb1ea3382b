#include "softmax/op.h"

#include "common/check.h"

namespace pagoda::ops {

static void check_like(const Check& check, std::string_view name, const ConstMatrix& m,
                       const ConstMatrix& like) {
  check.same_shape(name, m, like);
  check.same_dtype(name, m.dtype, like.dtype);
}

void softmax_forward(Tier tier, const SoftmaxForward& args, Stream stream) {
  const Check check("softmax");
  check.input("x", args.x);
  check.dtype_in("x", args.x.dtype, {Dtype::f32, Dtype::f16, Dtype::bf16});
  check.output("y", args.y);
  check_like(check, "y", args.y, args.x);
  if (args.x.rows == 0) return;
  tier == Tier::cuda ? cuda::softmax_forward(args, stream) : triton::softmax_forward(args, stream);
}

void softmax_backward(Tier tier, const SoftmaxBackward& args, Stream stream) {
  const Check check("softmax_backward");
  check.input("y", args.y);
  check.dtype_in("y", args.y.dtype, {Dtype::f32, Dtype::f16, Dtype::bf16});
  check.input("dy", args.dy);
  check_like(check, "dy", args.dy, args.y);
  check.output("dx", args.dx);
  check_like(check, "dx", args.dx, args.y);
  if (args.y.rows == 0) return;
  tier == Tier::cuda ? cuda::softmax_backward(args, stream) : triton::softmax_backward(args, stream);
}

}  // namespace pagoda::ops
