"""Quantisation by row in Triton, to fp8 e4m3 (sm_89 upwards) or int8."""
import triton
import triton.language as tl


@triton.jit
def to_storage(v, FP8: tl.constexpr):
    """Nearest even. int8: adding 1.5 * 2^23 rounds an fp32 below 2^22 to an integer."""
    if FP8:
        return v.to(tl.float8e4nv)
    else:
        v = tl.where(v == v, v, 0.0)
        v = tl.minimum(tl.maximum(v, -127.0), 127.0)
        return ((v + 12582912.0) - 12582912.0).to(tl.int8)


@triton.jit
def inverse_scale(maximum, limit):
    inverse = limit / maximum
    return tl.where((maximum > 0.0) & (inverse <= 3.4e38), inverse, 0.0)


@triton.jit
def quantize(x, q, scales, rows, cols, x_stride, q_stride, limit, FP8: tl.constexpr, ROWS: tl.constexpr,
             BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    col = tl.arange(0, BLOCK)
    mask = (row < rows)[:, None] & (col < cols)[None, :]
    v = tl.load(x + row[:, None] * x_stride + col[None, :], mask=mask, other=0.0).to(tl.float32)
    maximum = tl.max(tl.abs(v), axis=1)
    tl.store(scales + row, maximum * (1.0 / limit), mask=row < rows)
    out = to_storage(v * inverse_scale(maximum, limit)[:, None], FP8)
    tl.store(q + row[:, None] * q_stride + col[None, :], out, mask=mask)


@triton.jit
def quantize_loop(x, q, scales, rows, cols, x_stride, q_stride, limit, FP8: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    largest = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, cols, BLOCK):
        col = start + tl.arange(0, BLOCK)
        largest = tl.maximum(largest, tl.abs(tl.load(x + row * x_stride + col, mask=col < cols,
                                                     other=0.0).to(tl.float32)))
    maximum = tl.max(largest, axis=0)
    tl.store(scales + row, maximum * (1.0 / limit))
    inverse = inverse_scale(maximum, limit)
    for start in range(0, cols, BLOCK):
        col = start + tl.arange(0, BLOCK)
        v = tl.load(x + row * x_stride + col, mask=col < cols, other=0.0).to(tl.float32)
        tl.store(q + row * q_stride + col, to_storage(v * inverse, FP8), mask=col < cols)


def variants():
    from triton_kernels import DTYPES, LOOP_BLOCK, ROW_BLOCKS, Variant, row_tile, suffix, warps
    for dtype in DTYPES:
        for out, storage, min_arch in (("fp8", "*fp8e4nv", 89), ("int8", "*i8", 80)):
            types = {"x": "*" + dtype, "q": storage, "scales": "*fp32", "rows": "i64", "cols": "i32",
                     "x_stride": "i64", "q_stride": "i64", "limit": "fp32"}
            fp8 = int(out == "fp8")
            for block in ROW_BLOCKS:
                yield Variant(f"quantize/{dtype}/{out}/{block}/aligned", quantize, types,
                              {"FP8": fp8, "ROWS": row_tile(block), "BLOCK": block}, warps(block), True, min_arch)
            for aligned in (True, False):
                yield Variant(f"quantize/{dtype}/{out}/loop/{suffix(aligned)}", quantize_loop, types,
                              {"FP8": fp8, "BLOCK": LOOP_BLOCK if aligned else 1024}, 8 if aligned else 4, aligned,
                              min_arch)
