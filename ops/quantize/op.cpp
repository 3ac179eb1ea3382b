#include "quantize/op.h"

#include "common/check.h"

namespace pagoda::ops {

// Groups of a row are rows of their own where the layout allows: then one kernel serves both.
static Quantize with_groups_as_rows(Quantize args) {
  if (args.group == 0 || args.group == args.x.cols) return args;
  const std::int64_t groups = args.x.cols / args.group;
  const auto split = [&](auto matrix) {
    matrix.rows *= groups;
    matrix.cols = args.group;
    matrix.row_stride = args.group;
    return matrix;
  };
  args.x = split(args.x);
  args.q = split(args.q);
  return args;
}

void quantize(Tier tier, const Quantize& args, Stream stream) {
  const Check check("quantize");
  check.input("x", args.x);
  check.dtype_in("x", args.x.dtype, {Dtype::f32, Dtype::f16, Dtype::bf16});
  check.output("q", args.q);
  check.same_shape("q", args.q, args.x);
  check.dtype_in("q", args.q.dtype, {Dtype::e4m3, Dtype::i8});
  check.that(args.scales != nullptr || args.x.rows == 0, "scales", "is null");
  check.that(args.group >= 0 && (args.group == 0 || args.x.cols % args.group == 0), "group",
             "must be 0 or divide cols");
  const auto contiguous = [](const ConstMatrix& m) { return m.rows <= 1 || m.row_stride == m.cols; };
  if (args.group != 0 && args.group != args.x.cols) {
    check.that(contiguous(args.x), "x", "must be contiguous when group is below cols");
    check.that(contiguous(args.q), "q", "must be contiguous when group is below cols");
  }
  if (args.x.rows == 0) return;
  const Quantize rows = with_groups_as_rows(args);
  tier == Tier::cuda ? cuda::quantize(rows, stream) : triton::quantize(rows, stream);
}

}  // namespace pagoda::ops
