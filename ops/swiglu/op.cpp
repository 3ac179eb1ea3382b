#include "swiglu/op.h"

#include "common/check.h"

namespace pagoda::ops {

static void check_like(const Check& check, std::string_view name, const ConstMatrix& m, const ConstMatrix& gate,
                       bool written) {
  written ? check.output(name, m) : check.input(name, m);
  check.same_shape(name, m, gate);
  check.same_dtype(name, m.dtype, gate.dtype);
}

void swiglu_forward(Tier tier, const SwigluForward& args, Stream stream) {
  const Check check("swiglu");
  check.input("gate", args.gate);
  check.dtype_in("gate", args.gate.dtype, {Dtype::f32, Dtype::f16, Dtype::bf16});
  check_like(check, "up", args.up, args.gate, false);
  check_like(check, "out", args.out, args.gate, true);
  if (args.gate.rows == 0) return;
  tier == Tier::cuda ? cuda::swiglu_forward(args, stream) : triton::swiglu_forward(args, stream);
}

void swiglu_backward(Tier tier, const SwigluBackward& args, Stream stream) {
  const Check check("swiglu_backward");
  check.input("gate", args.gate);
  check.dtype_in("gate", args.gate.dtype, {Dtype::f32, Dtype::f16, Dtype::bf16});
  check_like(check, "dout", args.dout, args.gate, false);
  check_like(check, "up", args.up, args.gate, false);
  check_like(check, "dgate", args.dgate, args.gate, true);
  check_like(check, "dup", args.dup, args.gate, true);
  if (args.gate.rows == 0) return;
  tier == Tier::cuda ? cuda::swiglu_backward(args, stream) : triton::swiglu_backward(args, stream);
}

}  // namespace pagoda::ops
