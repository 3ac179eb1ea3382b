"""RMSNorm in Triton: forward (with residual add) and backward, for rows in one tile and rows walked in a loop.

Pointers to tensors that are not wanted may be any valid pointer with their flag at 0.
"""
import triton
import triton.language as tl


@triton.jit
def rms_norm_forward(x, residual, weight, y, residual_out, rstd, rows, cols, x_stride, residual_stride, y_stride,
                     residual_out_stride, eps, weight_offset, round_first, store_rstd, ADD: tl.constexpr,
                     ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """A program normalises ROWS rows, each whole in one tile."""
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    col = tl.arange(0, BLOCK)
    mask = (row < rows)[:, None] & (col < cols)[None, :]
    v = tl.load(x + row[:, None] * x_stride + col[None, :], mask=mask, other=0.0).to(tl.float32)
    if ADD:
        r = tl.load(residual + row[:, None] * residual_stride + col[None, :], mask=mask, other=0.0).to(tl.float32)
        h = (v + r).to(x.dtype.element_ty)
        tl.store(residual_out + row[:, None] * residual_out_stride + col[None, :], h, mask=mask)
        v = h.to(tl.float32)
    scale = tl.rsqrt(tl.sum(v * v, axis=1) / cols + eps)
    if store_rstd != 0:
        tl.store(rstd + row, scale, mask=row < rows)
    w = tl.load(weight + col, mask=col < cols, other=0.0).to(tl.float32) + weight_offset
    v = v * scale[:, None]
    v = tl.where(round_first != 0, v.to(x.dtype.element_ty).to(tl.float32), v)
    tl.store(y + row[:, None] * y_stride + col[None, :], (v * w[None, :]).to(y.dtype.element_ty), mask=mask)


@triton.jit
def rms_norm_forward_loop(x, residual, weight, y, residual_out, rstd, rows, cols, x_stride, residual_stride, y_stride,
                          residual_out_stride, eps, weight_offset, round_first, store_rstd, ADD: tl.constexpr,
                          BLOCK: tl.constexpr):
    """A program walks one row twice; the second time it comes from L2."""
    row = tl.program_id(0).to(tl.int64)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, cols, BLOCK):
        col = start + tl.arange(0, BLOCK)
        mask = col < cols
        v = tl.load(x + row * x_stride + col, mask=mask, other=0.0).to(tl.float32)
        if ADD:
            r = tl.load(residual + row * residual_stride + col, mask=mask, other=0.0).to(tl.float32)
            h = (v + r).to(x.dtype.element_ty)
            tl.store(residual_out + row * residual_out_stride + col, h, mask=mask)
            v = h.to(tl.float32)
        total += v * v
    scale = tl.rsqrt(tl.sum(total, axis=0) / cols + eps)
    if store_rstd != 0:
        tl.store(rstd + row, scale)
    if ADD:  # other threads of this program wrote what is read next
        tl.debug_barrier()
    for start in range(0, cols, BLOCK):
        col = start + tl.arange(0, BLOCK)
        mask = col < cols
        if ADD:
            v = tl.load(residual_out + row * residual_out_stride + col, mask=mask, other=0.0).to(tl.float32)
        else:
            v = tl.load(x + row * x_stride + col, mask=mask, other=0.0).to(tl.float32)
        w = tl.load(weight + col, mask=mask, other=0.0).to(tl.float32) + weight_offset
        v = v * scale
        v = tl.where(round_first != 0, v.to(x.dtype.element_ty).to(tl.float32), v)
        tl.store(y + row * y_stride + col, (v * w).to(y.dtype.element_ty), mask=mask)


@triton.jit
def rms_norm_backward(dy, x, weight, rstd, dresidual, dx, partial, rows, cols, dy_stride, x_stride, dresidual_stride,
                      dx_stride, weight_offset, round_first, store_partial, ADD: tl.constexpr, ROWS: tl.constexpr,
                      BLOCK: tl.constexpr):
    """A persistent program walks its share of the rows and keeps its share of dweight in registers."""
    col = tl.arange(0, BLOCK)
    w = tl.load(weight + col, mask=col < cols, other=0.0).to(tl.float32) + weight_offset
    dw = tl.zeros([ROWS, BLOCK], dtype=tl.float32)
    for tile in range(tl.program_id(0), tl.cdiv(rows, ROWS), tl.num_programs(0)):
        row = tl.cast(tile, tl.int64) * ROWS + tl.arange(0, ROWS)
        mask = (row < rows)[:, None] & (col < cols)[None, :]
        vx = tl.load(x + row[:, None] * x_stride + col[None, :], mask=mask, other=0.0).to(tl.float32)
        vdy = tl.load(dy + row[:, None] * dy_stride + col[None, :], mask=mask, other=0.0).to(tl.float32)
        scale = tl.load(rstd + row, mask=row < rows, other=0.0)
        xhat = vx * scale[:, None]
        wdy = w[None, :] * vdy
        mean = tl.sum(wdy * xhat, axis=1) / cols
        out = scale[:, None] * (wdy - xhat * mean[:, None])
        if ADD:
            out += tl.load(dresidual + row[:, None] * dresidual_stride + col[None, :], mask=mask,
                           other=0.0).to(tl.float32)
        tl.store(dx + row[:, None] * dx_stride + col[None, :], out.to(dx.dtype.element_ty), mask=mask)
        dw += vdy * tl.where(round_first != 0, xhat.to(x.dtype.element_ty).to(tl.float32), xhat)
    if store_partial != 0:
        out_row = tl.program_id(0).to(tl.int64) * cols
        tl.store(partial + out_row + col, tl.sum(dw, axis=0), mask=col < cols)


@triton.jit
def rms_norm_backward_loop(dy, x, weight, rstd, dresidual, dx, partial, rows, cols, dy_stride, x_stride,
                           dresidual_stride, dx_stride, weight_offset, round_first, store_partial, ADD: tl.constexpr,
                           BLOCK: tl.constexpr):
    """dx of one row in two passes; dweight is a pass of its own (rms_norm_dweight)."""
    row = tl.program_id(0).to(tl.int64)
    scale = tl.load(rstd + row)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, cols, BLOCK):
        col = start + tl.arange(0, BLOCK)
        mask = col < cols
        vx = tl.load(x + row * x_stride + col, mask=mask, other=0.0).to(tl.float32)
        vdy = tl.load(dy + row * dy_stride + col, mask=mask, other=0.0).to(tl.float32)
        w = tl.load(weight + col, mask=mask, other=0.0).to(tl.float32) + weight_offset
        total += w * vdy * (vx * scale)
    mean = tl.sum(total, axis=0) / cols
    for start in range(0, cols, BLOCK):
        col = start + tl.arange(0, BLOCK)
        mask = col < cols
        vx = tl.load(x + row * x_stride + col, mask=mask, other=0.0).to(tl.float32)
        vdy = tl.load(dy + row * dy_stride + col, mask=mask, other=0.0).to(tl.float32)
        w = tl.load(weight + col, mask=mask, other=0.0).to(tl.float32) + weight_offset
        out = scale * (w * vdy - vx * scale * mean)
        if ADD:
            out += tl.load(dresidual + row * dresidual_stride + col, mask=mask, other=0.0).to(tl.float32)
        tl.store(dx + row * dx_stride + col, out.to(dx.dtype.element_ty), mask=mask)


@triton.jit
def rms_norm_dweight(dy, x, rstd, partial, rows, cols, dy_stride, x_stride, round_first, BLOCK: tl.constexpr):
    """Program (c, p) adds the rows p, p + P, ... of a block of columns into row p of `partial`."""
    col = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = col < cols
    dw = tl.zeros([BLOCK], dtype=tl.float32)
    for r in range(tl.program_id(1), rows, tl.num_programs(1)):
        row = tl.cast(r, tl.int64)
        xhat = tl.load(x + row * x_stride + col, mask=mask, other=0.0).to(tl.float32) * tl.load(rstd + row)
        xhat = tl.where(round_first != 0, xhat.to(x.dtype.element_ty).to(tl.float32), xhat)
        dw += tl.load(dy + row * dy_stride + col, mask=mask, other=0.0).to(tl.float32) * xhat
    tl.store(partial + tl.program_id(1).to(tl.int64) * cols + col, dw, mask=mask)


@triton.jit
def column_sum(partial, out, rows, cols, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """out = the sum of the rows of `partial`, in a fixed order."""
    col = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros([ROWS, BLOCK], dtype=tl.float32)
    for start in range(0, rows, ROWS):
        row = start + tl.arange(0, ROWS)
        mask = (row < rows)[:, None] & (col < cols)[None, :]
        total += tl.load(partial + row[:, None].to(tl.int64) * cols + col[None, :], mask=mask, other=0.0)
    tl.store(out + col, tl.sum(total, axis=0).to(out.dtype.element_ty), mask=col < cols)


def variants():
    from triton_kernels import DTYPES, LOOP_BLOCK, ROW_BLOCKS, Variant, row_tile, suffix, warps
    pairs = [(d, w) for d in DTYPES for w in sorted({d, "fp32"})]
    for dtype, weight in pairs:
        t, w = "*" + dtype, "*" + weight
        strides = ["x_stride", "residual_stride", "y_stride", "residual_out_stride"]
        forward = {"x": t, "residual": t, "weight": w, "y": t, "residual_out": t, "rstd": "*fp32", "rows": "i64",
                   "cols": "i32", **{s: "i64" for s in strides}, "eps": "fp32", "weight_offset": "fp32",
                   "round_first": "i32", "store_rstd": "i32"}
        strides = ["dy_stride", "x_stride", "dresidual_stride", "dx_stride"]
        backward = {"dy": t, "x": t, "weight": w, "rstd": "*fp32", "dresidual": t, "dx": t, "partial": "*fp32",
                    "rows": "i64", "cols": "i32", **{s: "i64" for s in strides}, "weight_offset": "fp32",
                    "round_first": "i32", "store_partial": "i32"}
        for add in (0, 1):
            for name, types, row, loop in (("rms_norm_forward", forward, rms_norm_forward, rms_norm_forward_loop),
                                           ("rms_norm_backward", backward, rms_norm_backward, rms_norm_backward_loop)):
                stem = f"{name}/{dtype}/{weight}/{add}"
                for block in ROW_BLOCKS:
                    if name == "rms_norm_backward" and block > 8192:
                        continue  # the dweight accumulator would spill
                    yield Variant(f"{stem}/{block}/aligned", row, types,
                                  {"ADD": add, "ROWS": row_tile(block), "BLOCK": block}, warps(block), True)
                for aligned in (True, False):
                    yield Variant(f"{stem}/loop/{suffix(aligned)}", loop, types,
                                  {"ADD": add, "BLOCK": LOOP_BLOCK if aligned else 1024}, 8 if aligned else 4, aligned)
        yield Variant(f"column_sum/{weight}/{dtype}", column_sum,
                      {"partial": "*fp32", "out": w, "rows": "i32", "cols": "i32"}, {"ROWS": 32, "BLOCK": 32}, 4, False)
    for dtype in DTYPES:
        yield Variant(f"rms_norm_dweight/{dtype}", rms_norm_dweight,
                      {"dy": "*" + dtype, "x": "*" + dtype, "rstd": "*fp32", "partial": "*fp32", "rows": "i64",
                       "cols": "i32", "dy_stride": "i64", "x_stride": "i64", "round_first": "i32"}, {"BLOCK": 256}, 4,
                      False)
