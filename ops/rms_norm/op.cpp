#include "rms_norm/op.h"

#include <cuda_runtime_api.h>

#include "common/check.h"

namespace pagoda::ops {

static void check_weight(const Check& check, const ConstVector& weight, const ConstMatrix& x) {
  check.vector("weight", weight, x.cols);
  if (weight.dtype != Dtype::f32) check.same_dtype("weight", weight.dtype, x.dtype);
}

static void check_like_x(const Check& check, std::string_view name, const ConstMatrix& m,
                         const ConstMatrix& x) {
  check.same_shape(name, m, x);
  check.same_dtype(name, m.dtype, x.dtype);
}

void rms_norm_forward(Tier tier, const RmsNormForward& args, Stream stream) {
  const Check check("rms_norm");
  check.input("x", args.x);
  check.dtype_in("x", args.x.dtype, {Dtype::f32, Dtype::f16, Dtype::bf16});
  check_weight(check, args.weight, args.x);
  check.output("y", args.y);
  check_like_x(check, "y", args.y, args.x);
  check.that(args.eps >= 0, "eps", "is negative or NaN");
  check.that(bool(args.residual) == bool(args.residual_out), "residual_out",
             "must be given with residual, and only then");
  if (args.residual) {
    check.input("residual", args.residual);
    check_like_x(check, "residual", args.residual, args.x);
    check.output("residual_out", args.residual_out);
    check_like_x(check, "residual_out", args.residual_out, args.x);
  }
  if (args.x.rows == 0) return;
  tier == Tier::cuda ? cuda::rms_norm_forward(args, stream) : triton::rms_norm_forward(args, stream);
}

static void check_backward(const RmsNormBackward& args) {
  const Check check("rms_norm_backward");
  check.input("x", args.x);
  check.dtype_in("x", args.x.dtype, {Dtype::f32, Dtype::f16, Dtype::bf16});
  check.input("dy", args.dy);
  check_like_x(check, "dy", args.dy, args.x);
  check_weight(check, args.weight, args.x);
  check.output("dx", args.dx);
  check_like_x(check, "dx", args.dx, args.x);
  check.that(args.rstd != nullptr || args.x.rows == 0, "rstd", "is null");
  if (args.dweight) {
    check.vector("dweight", args.dweight, args.x.cols);
    check.same_dtype("dweight", args.dweight.dtype, args.weight.dtype);
  }
  if (args.dresidual) {
    check.input("dresidual", args.dresidual);
    check_like_x(check, "dresidual", args.dresidual, args.x);
  }
}

std::size_t rms_norm_backward_workspace_bytes(Tier tier, const RmsNormBackward& args) {
  check_backward(args);
  if (args.x.rows == 0 || !args.dweight) return 0;
  return tier == Tier::cuda ? cuda::rms_norm_backward_workspace_bytes(args)
                            : triton::rms_norm_backward_workspace_bytes(args);
}

void rms_norm_backward(Tier tier, const RmsNormBackward& args, Stream stream) {
  const std::size_t needed = rms_norm_backward_workspace_bytes(tier, args);
  Check("rms_norm_backward")
      .that(args.workspace_bytes >= needed && (needed == 0 || args.workspace != nullptr), "workspace",
            "has " + std::to_string(args.workspace_bytes) + " bytes, needs " + std::to_string(needed));
  if (args.x.rows == 0) {
    if (args.dweight) {
      check_cuda(cudaMemsetAsync(args.dweight.data, 0, args.x.cols * dtype_bytes(args.dweight.dtype), stream),
                 "zeroing dweight");
    }
    return;
  }
  tier == Tier::cuda ? cuda::rms_norm_backward(args, stream) : triton::rms_norm_backward(args, stream);
}

}  // namespace pagoda::ops
