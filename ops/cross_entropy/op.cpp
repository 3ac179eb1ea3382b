#include "cross_entropy/op.h"

#include <cuda_runtime_api.h>

#include "common/check.h"

namespace pagoda::ops {

static void check_arguments(const CrossEntropy& args) {
  const Check check("cross_entropy");
  check.input("logits", args.logits);
  check.dtype_in("logits", args.logits.dtype, {Dtype::f32, Dtype::f16, Dtype::bf16});
  const bool any = args.logits.rows > 0;
  check.that(args.targets != nullptr || !any, "targets", "is null");
  check.that(args.losses != nullptr || !any, "losses", "is null");
  check.that(args.total != nullptr || args.reduction == Reduction::none, "total",
             "is null and the reduction is not none");
  check.that(args.smoothing >= 0 && args.smoothing <= 1, "smoothing", "must be between 0 and 1");
  check.that(args.workspace != nullptr, "workspace", "is null");
  if (args.dlogits) {
    check.output("dlogits", args.dlogits);
    check.same_shape("dlogits", args.dlogits, args.logits);
    check.same_dtype("dlogits", args.dlogits.dtype, args.logits.dtype);
    check.that(args.dlogits.data != args.logits.data || args.dlogits.row_stride == args.logits.row_stride,
               "dlogits", "is logits with another row_stride");
  }
}

void cross_entropy(Tier tier, const CrossEntropy& args, Stream stream) {
  check_arguments(args);
  if (args.logits.rows == 0) {
    if (args.reduction == Reduction::none) return;
    // All bits set is a NaN, which is what the mean of nothing is.
    const int value = args.reduction == Reduction::sum ? 0 : 0xff;
    return check_cuda(cudaMemsetAsync(args.total, value, sizeof(float), stream), "writing total");
  }
  tier == Tier::cuda ? cuda::cross_entropy(args, stream) : triton::cross_entropy(args, stream);
}

}  // namespace pagoda::ops
