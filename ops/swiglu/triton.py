"""Gated activations in Triton: out = activation(gate) * up, and both gradients."""
import triton
import triton.language as tl

SILU, GELU_TANH, GELU_ERF = 0, 1, 2


@triton.jit
def activate(x, ACTIVATION: tl.constexpr):
    """activation(x) and its derivative, in fp32."""
    if ACTIVATION == 0:
        s = 1.0 / (1.0 + tl.exp(-x))
        return x * s, s * (1.0 + x * (1.0 - s))
    elif ACTIVATION == 1:
        u = 0.7978845608028654 * (x + 0.044715 * x * x * x)
        e = tl.exp(tl.minimum(-2.0 * u, 80.0))  # nothing cancels where the tanh is near -1
        s = 1.0 / (1.0 + e)
        du = 0.7978845608028654 * (1.0 + 0.134145 * x * x)
        return x * s, s + 2.0 * x * s * (e * s) * du
    else:
        cdf = 0.5 * (1.0 + tl.erf(x * 0.7071067811865476))
        return x * cdf, cdf + x * 0.3989422804014327 * tl.exp(-0.5 * x * x)


@triton.jit
def swiglu_forward(gate, up, out, cols, gate_stride, up_stride, out_stride, blocks_per_row, ACTIVATION: tl.constexpr,
                   BLOCK: tl.constexpr):
    """A program takes one block of columns of one row; a contiguous tensor is given as one long row."""
    program = tl.program_id(0).to(tl.int64)
    row = program // blocks_per_row
    col = (program - row * blocks_per_row) * BLOCK + tl.arange(0, BLOCK)
    mask = col < cols
    g = tl.load(gate + row * gate_stride + col, mask=mask, other=0.0).to(tl.float32)
    u = tl.load(up + row * up_stride + col, mask=mask, other=0.0).to(tl.float32)
    a, _ = activate(g, ACTIVATION)
    tl.store(out + row * out_stride + col, (a * u).to(out.dtype.element_ty), mask=mask)


@triton.jit
def swiglu_backward(dout, gate, up, dgate, dup, cols, dout_stride, gate_stride, up_stride, dgate_stride, dup_stride,
                    blocks_per_row, ACTIVATION: tl.constexpr, BLOCK: tl.constexpr):
    program = tl.program_id(0).to(tl.int64)
    row = program // blocks_per_row
    col = (program - row * blocks_per_row) * BLOCK + tl.arange(0, BLOCK)
    mask = col < cols
    d = tl.load(dout + row * dout_stride + col, mask=mask, other=0.0).to(tl.float32)
    g = tl.load(gate + row * gate_stride + col, mask=mask, other=0.0).to(tl.float32)
    u = tl.load(up + row * up_stride + col, mask=mask, other=0.0).to(tl.float32)
    a, slope = activate(g, ACTIVATION)
    tl.store(dgate + row * dgate_stride + col, (d * u * slope).to(dgate.dtype.element_ty), mask=mask)
    tl.store(dup + row * dup_stride + col, (d * a).to(dup.dtype.element_ty), mask=mask)


def variants():
    from triton_kernels import DTYPES, Variant, suffix
    for dtype in DTYPES:
        t = "*" + dtype
        forward = {"gate": t, "up": t, "out": t, "cols": "i64", "gate_stride": "i64", "up_stride": "i64",
                   "out_stride": "i64", "blocks_per_row": "i64"}
        backward = {"dout": t, "gate": t, "up": t, "dgate": t, "dup": t, "cols": "i64", "dout_stride": "i64",
                    "gate_stride": "i64", "up_stride": "i64", "dgate_stride": "i64", "dup_stride": "i64",
                    "blocks_per_row": "i64"}
        for activation in (SILU, GELU_TANH, GELU_ERF):
            for aligned in (True, False):
                for name, function, types in (("swiglu_forward", swiglu_forward, forward),
                                              ("swiglu_backward", swiglu_backward, backward)):
                    yield Variant(f"{name}/{dtype}/{activation}/{suffix(aligned)}", function, types,
                                  {"ACTIVATION": activation, "BLOCK": 2048}, 4, aligned)
