// Launches of rope/triton.py: one for q, one for k.
#include "common/check.h"
#include "common/triton_launch.h"
#include "rope/op.h"

namespace pagoda::ops::triton {
namespace {

bool aligned(const Rope& a, const RopeHeads& h) {
  bool all =
      a.style == RopeStyle::half && a.rotary_dim / 2 % 16 == 0 && a.head_dim % 16 == 0 && a.rotary_dim <= 256;
  for (const void* p : {h.in, static_cast<const void*>(h.out), static_cast<const void*>(a.cosine),
                        static_cast<const void*>(a.sine)}) {
    all = all && reinterpret_cast<std::uintptr_t>(p) % 16 == 0;
  }
  for (std::int64_t s : {h.batch_stride, h.seq_stride, h.head_stride, h.out_batch_stride, h.out_seq_stride,
                         h.out_head_stride, a.table_batch_stride, a.table_seq_stride}) {
    all = all && s % 16 == 0;
  }
  return all;
}

std::string key(const Rope& a, const RopeHeads& h) {
  const std::int64_t half = a.rotary_dim / 2;
  const bool wide = aligned(a, h);
  const int block = wide ? (half <= 32 ? 32 : half <= 64 ? 64 : 128) : (half <= 64 ? 64 : 4096);
  return "rope/" + std::string(dtype_name(a.dtype)) +
         (a.style == RopeStyle::half ? "/half/" : "/interleaved/") + std::to_string(block) +
         (wide ? "/aligned" : "/generic");
}

}  // namespace

void rope(const Rope& a, Stream stream) {
  for (const RopeHeads& h : {a.q, a.k}) {
    if (h.heads == 0) continue;
    const TritonCubin& cubin = triton_cubin(key(a, h));
    // The tile has 1024 (aligned) or 512 elements a half, at least one head.
    const std::int64_t heads = std::max(1, (aligned(a, h) ? 1024 : 512) / cubin.block);
    const std::int64_t groups = (h.heads + heads - 1) / heads;
    Check("rope").that(a.batch * a.seq * groups < (std::int64_t{1} << 31), "q.in",
                       "the triton tier takes fewer than 2^31 programs");
    TritonArguments args(h.in, static_cast<const void*>(h.out), static_cast<const void*>(a.cosine),
                         static_cast<const void*>(a.sine), static_cast<std::int32_t>(a.seq),
                         static_cast<std::int32_t>(h.heads), static_cast<std::int32_t>(groups),
                         static_cast<std::int32_t>(a.rotary_dim / 2), static_cast<std::int32_t>(a.head_dim),
                         h.batch_stride, h.seq_stride, h.head_stride, h.out_batch_stride, h.out_seq_stride,
                         h.out_head_stride, a.table_batch_stride, a.table_seq_stride,
                         a.backward ? -1.f : 1.f);
    launch_triton(cubin, a.batch * a.seq * groups, 1, args, stream);
  }
}

}  // namespace pagoda::ops::triton
