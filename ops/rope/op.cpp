#include "rope/op.h"

#include "common/check.h"

namespace pagoda::ops {

static void check_heads(const Check& check, const RopeHeads& heads, std::string_view in, std::string_view out,
                        const Rope& args) {
  check.that(heads.heads >= 0, in, "has a negative number of heads");
  if (heads.heads == 0 || args.batch * args.seq == 0) return;
  check.that(heads.in != nullptr, in, "is null");
  check.that(heads.out != nullptr, out, "is null");
  const auto aligned = [&](const void* p) {
    return reinterpret_cast<std::uintptr_t>(p) % static_cast<std::uintptr_t>(dtype_bytes(args.dtype)) == 0;
  };
  check.that(aligned(heads.in), in, "data is not aligned to its element size");
  check.that(aligned(heads.out), out, "data is not aligned to its element size");
  check.that(heads.in != heads.out ||
                 (heads.batch_stride == heads.out_batch_stride && heads.seq_stride == heads.out_seq_stride &&
                  heads.head_stride == heads.out_head_stride),
             out, "is the input with other strides");
}

void rope(Tier tier, const Rope& args, Stream stream) {
  const Check check("rope");
  check.dtype_in("dtype", args.dtype, {Dtype::f32, Dtype::f16, Dtype::bf16});
  check.that(args.batch >= 0 && args.seq >= 0, "batch", "and seq must be 0 or more");
  check.that(args.head_dim >= 1 && args.head_dim <= 8192, "head_dim", "must be between 1 and 8192");
  check.that(args.rotary_dim >= 0 && args.rotary_dim % 2 == 0 && args.rotary_dim <= args.head_dim,
             "rotary_dim", "must be even and at most head_dim");
  check_heads(check, args.q, "q.in", "q.out", args);
  check_heads(check, args.k, "k.in", "k.out", args);
  if (args.batch * args.seq == 0 || args.q.heads + args.k.heads == 0) return;
  check.that(args.cosine != nullptr || args.rotary_dim == 0, "cosine", "is null");
  check.that(args.sine != nullptr || args.rotary_dim == 0, "sine", "is null");
  tier == Tier::cuda ? cuda::rope(args, stream) : triton::rope(args, stream);
}

}  // namespace pagoda::ops
