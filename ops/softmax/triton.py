"""Softmax in Triton: rows in one tile, and rows walked in a loop with a running maximum."""
import triton
import triton.language as tl


@triton.jit
def exp_below(x, maximum):
    """exp(x - maximum) without the NaN of (-inf) - (-inf)."""
    return tl.exp(x - tl.where(maximum == float("-inf"), 0.0, maximum))


@triton.jit
def softmax_forward(x, y, rows, cols, x_stride, y_stride, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    col = tl.arange(0, BLOCK)
    mask = (row < rows)[:, None] & (col < cols)[None, :]
    v = tl.load(x + row[:, None] * x_stride + col[None, :], mask=mask, other=float("-inf")).to(tl.float32)
    e = exp_below(v, tl.max(v, axis=1)[:, None])
    out = e * (1.0 / tl.sum(e, axis=1))[:, None]
    tl.store(y + row[:, None] * y_stride + col[None, :], out.to(y.dtype.element_ty), mask=mask)


@triton.jit
def softmax_forward_loop(x, y, rows, cols, x_stride, y_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    maximum = tl.full([BLOCK], float("-inf"), dtype=tl.float32)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, cols, BLOCK):
        col = start + tl.arange(0, BLOCK)
        v = tl.load(x + row * x_stride + col, mask=col < cols, other=float("-inf")).to(tl.float32)
        new = tl.maximum(maximum, v)
        total = total * exp_below(maximum, new) + exp_below(v, new)
        maximum = new
    top = tl.max(maximum, axis=0)
    scale = 1.0 / tl.sum(total * exp_below(maximum, top), axis=0)
    for start in range(0, cols, BLOCK):
        col = start + tl.arange(0, BLOCK)
        v = tl.load(x + row * x_stride + col, mask=col < cols, other=float("-inf")).to(tl.float32)
        tl.store(y + row * y_stride + col, (exp_below(v, top) * scale).to(y.dtype.element_ty), mask=col < cols)


@triton.jit
def softmax_backward(dy, y, dx, rows, cols, dy_stride, y_stride, dx_stride, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    col = tl.arange(0, BLOCK)
    mask = (row < rows)[:, None] & (col < cols)[None, :]
    d = tl.load(dy + row[:, None] * dy_stride + col[None, :], mask=mask, other=0.0).to(tl.float32)
    v = tl.load(y + row[:, None] * y_stride + col[None, :], mask=mask, other=0.0).to(tl.float32)
    out = v * (d - tl.sum(d * v, axis=1)[:, None])
    tl.store(dx + row[:, None] * dx_stride + col[None, :], out.to(dx.dtype.element_ty), mask=mask)


@triton.jit
def softmax_backward_loop(dy, y, dx, rows, cols, dy_stride, y_stride, dx_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, cols, BLOCK):
        col = start + tl.arange(0, BLOCK)
        d = tl.load(dy + row * dy_stride + col, mask=col < cols, other=0.0).to(tl.float32)
        total += d * tl.load(y + row * y_stride + col, mask=col < cols, other=0.0).to(tl.float32)
    dot = tl.sum(total, axis=0)
    for start in range(0, cols, BLOCK):
        col = start + tl.arange(0, BLOCK)
        d = tl.load(dy + row * dy_stride + col, mask=col < cols, other=0.0).to(tl.float32)
        v = tl.load(y + row * y_stride + col, mask=col < cols, other=0.0).to(tl.float32)
        tl.store(dx + row * dx_stride + col, (v * (d - dot)).to(dx.dtype.element_ty), mask=col < cols)


def variants():
    from triton_kernels import DTYPES, LOOP_BLOCK, ROW_BLOCKS, Variant, row_tile, suffix, warps
    for dtype in DTYPES:
        t = "*" + dtype
        forward = {"x": t, "y": t, "rows": "i64", "cols": "i32", "x_stride": "i64", "y_stride": "i64"}
        backward = {"dy": t, "y": t, "dx": t, "rows": "i64", "cols": "i32", "dy_stride": "i64", "y_stride": "i64",
                    "dx_stride": "i64"}
        for name, types, row, loop in (("softmax_forward", forward, softmax_forward, softmax_forward_loop),
                                       ("softmax_backward", backward, softmax_backward, softmax_backward_loop)):
            # Two tiles of 32768 spill.
            for block in ROW_BLOCKS + ((32768,) if name == "softmax_forward" else ()):
                yield Variant(f"{name}/{dtype}/{block}/aligned", row, types, {"ROWS": row_tile(block), "BLOCK": block},
                              warps(block), True)
            for aligned in (True, False):
                yield Variant(f"{name}/{dtype}/loop/{suffix(aligned)}", loop, types,
                              {"BLOCK": LOOP_BLOCK if aligned else 1024}, 8 if aligned else 4, aligned)
