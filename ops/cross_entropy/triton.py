"""Cross-entropy in Triton: the loss of a row in one pass, and its gradient (in place if wanted) in a second."""
import triton
import triton.language as tl


@triton.jit
def exp_below(x, maximum):
    """exp(x - maximum) without the NaN of (-inf) - (-inf)."""
    return tl.exp(x - tl.where(maximum == float("-inf"), 0.0, maximum))


@triton.jit
def cross_entropy(logits, targets, losses, lse, dlogits, scale, cols, logits_stride, dlogits_stride, ignore_index,
                  smoothing, z_loss, grad_scale, store_lse, use_scale, GRADIENT: tl.constexpr, BLOCK: tl.constexpr):
    """A program takes one row. The target class is kept out of the running sum: its gradient is minus the sum of
    the others, which p - 1 would cancel away."""
    row = tl.program_id(0).to(tl.int64)
    target = tl.load(targets + row)
    ignored = target == ignore_index
    legal = (target >= 0) & (target < cols)
    chosen = tl.load(logits + row * logits_stride + target, mask=legal, other=float("-inf")).to(tl.float32)
    maximum = tl.full([BLOCK], float("-inf"), dtype=tl.float32)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    plain = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, cols, BLOCK):
        col = start + tl.arange(0, BLOCK)
        v = tl.load(logits + row * logits_stride + col, mask=col < cols, other=float("-inf")).to(tl.float32)
        plain += tl.where(col < cols, v, 0.0)
        v = tl.where(col == target, float("-inf"), v)
        new = tl.maximum(maximum, v)
        total = total * exp_below(maximum, new) + exp_below(v, new)
        maximum = new
    top = tl.maximum(tl.max(maximum, axis=0), chosen)
    others = tl.sum(total * exp_below(maximum, top), axis=0)
    own = exp_below(chosen, top)
    row_lse = top + tl.log(others + own)
    # For a confident row log(1 + e) by its series: lse - chosen would cancel.
    e = others / own
    confident = e * (1.0 - e * (0.5 - e * (0.33333334 - 0.25 * e)))
    nll = tl.where(e < 0.01, confident, row_lse - chosen)
    loss = (1.0 - smoothing) * nll + z_loss * row_lse * row_lse
    loss += tl.where(smoothing > 0.0, smoothing * (row_lse - tl.sum(plain, axis=0) / cols), 0.0)
    loss = tl.where(legal, loss, float("nan"))
    tl.store(losses + row, tl.where(ignored, 0.0, loss))
    if store_lse != 0:
        tl.store(lse + row, row_lse)
    if GRADIENT:
        upstream = grad_scale
        if use_scale != 0:
            upstream = grad_scale * tl.load(scale)
        inverse = 1.0 / (others + own)
        z = 2.0 * z_loss * row_lse
        smooth = smoothing / cols
        at_target = upstream * (-others * inverse + smoothing + z * own * inverse - smooth)
        factor = tl.where(legal, upstream * (1.0 + z) * inverse, float("nan"))
        tl.debug_barrier()  # the target's logit may be overwritten from here on
        for start in range(0, cols, BLOCK):
            col = start + tl.arange(0, BLOCK)
            v = tl.load(logits + row * logits_stride + col, mask=col < cols, other=0.0).to(tl.float32)
            g = exp_below(v, top) * factor - upstream * smooth
            g = tl.where(col == target, at_target, g)
            g = tl.where(ignored, 0.0, g)
            tl.store(dlogits + row * dlogits_stride + col, g.to(dlogits.dtype.element_ty), mask=col < cols)


def variants():
    from triton_kernels import DTYPES, Variant, suffix
    for dtype in DTYPES:
        t = "*" + dtype
        types = {"logits": t, "targets": "*i64", "losses": "*fp32", "lse": "*fp32", "dlogits": t, "scale": "*fp32",
                 "cols": "i32", "logits_stride": "i64", "dlogits_stride": "i64", "ignore_index": "i64",
                 "smoothing": "fp32", "z_loss": "fp32", "grad_scale": "fp32", "store_lse": "i32", "use_scale": "i32"}
        for gradient in (0, 1):
            for aligned in (True, False):
                yield Variant(f"cross_entropy/{dtype}/{gradient}/{suffix(aligned)}", cross_entropy, types,
                              {"GRADIENT": gradient, "BLOCK": 4096 if aligned else 1024}, 8 if aligned else 4, aligned)
