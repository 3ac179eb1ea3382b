#pragma once
#include "common/tensor.h"

namespace pagoda::ops {

/// Heads of queries or keys: element (b, s, h, d) at data[b*batch_stride + s*seq_stride + h*head_stride + d].
/// Any layout of the leading dimensions, a slice of a packed qkv included; `out` equal to `in` works in
/// place.
struct RopeHeads {
  const void* in = nullptr;
  void* out = nullptr;
  std::int64_t heads = 0;
  std::int64_t batch_stride = 0, seq_stride = 0, head_stride = 0;  ///< of `in`, in elements
  std::int64_t out_batch_stride = 0, out_seq_stride = 0, out_head_stride = 0;
};

/// Which elements form a pair: (i, i + rotary/2), or (2i, 2i + 1).
enum class RopeStyle : unsigned char { half, interleaved };

/// Rotates the first `rotary_dim` elements of every head of q and k by the angle whose cos and sin are given:
/// (a, b) -> (a*cos - b*sin, b*cos + a*sin). Elements beyond rotary_dim are copied.
///
/// `cosine`, `sine`: fp32, element (b, s, i) at [b*table_batch_stride + s*table_seq_stride + i], i below
/// rotary_dim/2; a batch stride of 0 shares them. `backward` negates the sine, which is the gradient.
/// Dtypes of q and k: fp32, fp16, bf16; arithmetic in fp32, rounded once. `k` may have no heads.
/// Traffic: 2 accesses an element of q and k; the table (8 bytes a pair and token) is read from L2 mostly.
struct Rope {
  RopeHeads q;
  RopeHeads k;
  const float* cosine = nullptr;
  const float* sine = nullptr;
  std::int64_t batch = 0, seq = 0, head_dim = 0, rotary_dim = 0;
  std::int64_t table_batch_stride = 0, table_seq_stride = 0;
  Dtype dtype = Dtype::bf16;
  RopeStyle style = RopeStyle::half;
  bool backward = false;
};
void rope(Tier tier, const Rope& args, Stream stream);

namespace cuda {
void rope(const Rope& args, Stream stream);
}
namespace triton {
void rope(const Rope& args, Stream stream);
}

}  // namespace pagoda::ops
