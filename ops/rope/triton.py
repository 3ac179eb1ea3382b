"""Rotary embedding in Triton: one side (q or k) a launch; the gradient is the same with sign = -1."""
import triton
import triton.language as tl


@triton.jit
def rope(src, dst, cosine, sine, seq, heads, groups, half, head_dim, batch_stride, seq_stride, head_stride,
         out_batch_stride, out_seq_stride, out_head_stride, table_batch_stride, table_seq_stride, sign,
         INTERLEAVED: tl.constexpr, HEADS: tl.constexpr, BLOCK: tl.constexpr):
    """A program rotates HEADS heads of one token; BLOCK covers rotary_dim / 2."""
    program = tl.program_id(0)
    token = program // groups
    head = (program - token * groups) * HEADS + tl.arange(0, HEADS)
    b = (token // seq).to(tl.int64)
    s = (token % seq).to(tl.int64)
    i = tl.arange(0, BLOCK)
    table = b * table_batch_stride + s * table_seq_stride + i
    c = tl.load(cosine + table, mask=i < half, other=0.0)[None, :]
    n = tl.load(sine + table, mask=i < half, other=0.0)[None, :] * sign
    from_ = src + b * batch_stride + s * seq_stride + head[:, None] * head_stride
    to = dst + b * out_batch_stride + s * out_seq_stride + head[:, None] * out_head_stride
    mask = (head < heads)[:, None] & (i < half)[None, :]
    first = i[None, :] * 2 if INTERLEAVED else i[None, :]
    second = first + 1 if INTERLEAVED else first + half
    x = tl.load(from_ + first, mask=mask, other=0.0).to(tl.float32)
    y = tl.load(from_ + second, mask=mask, other=0.0).to(tl.float32)
    tl.store(to + first, (x * c - y * n).to(dst.dtype.element_ty), mask=mask)
    tl.store(to + second, (y * c + x * n).to(dst.dtype.element_ty), mask=mask)
    for start in range(2 * half, head_dim, BLOCK):  # beyond rotary_dim: a copy
        d = start + i
        rest = (head < heads)[:, None] & (d < head_dim)[None, :]
        tl.store(to + d[None, :], tl.load(from_ + d[None, :], mask=rest, other=0.0), mask=rest)


def variants():
    from triton_kernels import DTYPES, Variant, suffix

    class RopeVariant(Variant):
        def multiples_of_16(self):
            return super().multiples_of_16() + (["half", "head_dim"] if self.aligned else [])

    strides = ["batch_stride", "seq_stride", "head_stride", "out_batch_stride", "out_seq_stride", "out_head_stride",
               "table_batch_stride", "table_seq_stride"]
    for dtype in DTYPES:
        types = {"src": "*" + dtype, "dst": "*" + dtype, "cosine": "*fp32", "sine": "*fp32", "seq": "i32",
                 "heads": "i32", "groups": "i32", "half": "i32", "head_dim": "i32", **{s: "i64" for s in strides},
                 "sign": "fp32"}
        for block in (32, 64, 128):
            yield RopeVariant(f"rope/{dtype}/half/{block}/aligned", rope, types,
                              {"INTERLEAVED": False, "HEADS": 1024 // block, "BLOCK": block}, 4, True)
        for style in ("half", "interleaved"):
            for block in (64, 4096):
                yield RopeVariant(f"rope/{dtype}/{style}/{block}/generic", rope, types,
                                  {"INTERLEAVED": style == "interleaved", "HEADS": max(1, 512 // block),
                                   "BLOCK": block}, 4, False)
