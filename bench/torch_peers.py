#!/usr/bin/env python3
"""What PyTorch does on the same operators and shapes, as JSON lines like those of `pagoda-gpu bench`.

    torch_peers.py --save FILE.jsonl [--ops rms_norm,...] [--commit TEXT] [--date TEXT]

Implementations: "eager" (ops composed as Hugging Face LLaMA does), "fused" (the one torch op, where there is one) and
"compile" (torch.compile of the composed form, default mode). Each is captured into a CUDA graph of several calls over
rotated buffers of at least 3x L2 and replayed, all implementations of a cell in turns, in both orders; the copy and
read ceilings come from the same process. Backward is torch.autograd.grad of a forward done outside the graph.
"""
import argparse
import json
import math
import statistics
import sys
import time

import torch
import torch.nn.functional as F

torch._dynamo.config.cache_size_limit = 256
torch._functorch.config.donated_buffer = False  # a graph is replayed, so saved tensors must survive
DEV = "cuda"
L2 = 60e6


def composed_rms(x, w, eps=1e-5):
    h = x.to(torch.float32)
    h = h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + eps)
    return w * h.to(x.dtype)


def composed_add_rms(x, r, w, eps=1e-5):
    h = x + r
    return composed_rms(h, w, eps), h


def fused_rms(x, w, eps=1e-5):
    return F.rms_norm(x, (x.shape[-1],), w, eps)


def swiglu(g, u):
    return F.silu(g) * u


def geglu(g, u):
    return F.gelu(g, approximate="tanh") * u


def rotate_half(x):
    a, b = x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2:]
    return torch.cat((-b, a), dim=-1)


def rope(q, k, cos, sin):  # (b, s, h, d) in memory, cos/sin (s, d): Hugging Face's apply_rotary_pos_emb
    c, s = cos[None, :, None, :].to(q.dtype), sin[None, :, None, :].to(q.dtype)
    return q * c + rotate_half(q) * s, k * c + rotate_half(k) * s


def composed_softmax(x):
    e = torch.exp(x.float() - x.float().amax(-1, keepdim=True))
    return (e / e.sum(-1, keepdim=True)).to(x.dtype)


def composed_ce(x, t):
    lp = torch.log_softmax(x.float(), -1)
    mask = t != -100
    nll = -lp.gather(1, t.clamp_min(0)[:, None]).squeeze(1) * mask
    return nll.sum() / mask.sum()


def fused_ce(x, t):
    return F.cross_entropy(x.float(), t)


def quantize_fp8(x):
    a = x.abs().amax(-1, keepdim=True).float()
    s = a.clamp_min(1e-12) / 448
    return (x.float() / s).clamp(-448, 448).to(torch.float8_e4m3fn), s


def quantize_i8(x):
    a = x.abs().amax(-1, keepdim=True).float()
    s = a.clamp_min(1e-12) / 127
    return torch.round(x.float() / s).clamp(-127, 127).to(torch.int8), s


def capture(calls, function, stream):
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        for i in range(calls):
            function(i)
    return graph


def time_cell(candidates, sets, replays=15, budget_s=25.0):
    """candidates: name -> (make(set) -> state, run(state)); returns name -> (p10, median, p90) us a call."""
    calls = max(8, sets)
    stream = torch.cuda.Stream()
    graphs, result, keep = {}, {}, []
    began = time.time()
    for name, (make, run) in candidates.items():
        if time.time() - began > budget_s:
            break
        try:
            with torch.cuda.stream(stream):
                states = [make(i) for i in range(sets)]
                for _ in range(3):
                    run(states[0])
            stream.synchronize()
            graphs[name] = capture(calls, lambda i, s=states, r=run: r(s[i % len(s)]), stream)
            keep.append(states)
        except Exception as error:  # reported as a cell that this implementation does not have
            print(f"  {name}: {type(error).__name__}: {str(error).splitlines()[0][:120]}", file=sys.stderr)
            torch.cuda.synchronize()
    samples = {n: [] for n in graphs}
    start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    for turn in range(-2, replays):
        for name in (list(graphs) if turn % 2 == 0 else reversed(list(graphs))):
            start.record()
            graphs[name].replay()
            stop.record()
            stop.synchronize()
            if turn >= 0:
                samples[name].append(start.elapsed_time(stop) * 1e3 / calls)
    for name, s in samples.items():
        s.sort()
        result[name] = (s[len(s) // 10], statistics.median(s), s[len(s) * 9 // 10])
    return result


def ceilings():
    a = torch.randn(1 << 29, device=DEV)  # 2 GiB
    b = torch.empty_like(a)
    out = {}
    for name, run, nbytes in (("copy", lambda: b.copy_(a), 2 * a.nbytes), ("read", lambda: torch.sum(a), a.nbytes)):
        times = []
        for i in range(12):
            s, e = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            s.record()
            run()
            e.record()
            e.synchronize()
            times.append(s.elapsed_time(e))
        out[name] = nbytes / statistics.median(times[2:]) * 1e3
    return out


def cells():
    """(op, direction, dtype, shape text, bytes, ceiling, {impl: function}, make_inputs, grads or None)"""
    bf = torch.bfloat16

    def compiled(f):
        return torch.compile(f, dynamic=False)

    for rows, cols in ((131072, 128), (65536, 1024), (16384, 4096), (8192, 8192), (4096, 16384), (2048, 32768),
                       (1024, 65536), (256, 262144), (1, 4096), (64, 4096)):
        def inputs(r=rows, c=cols):
            return [torch.randn(r, c, device=DEV, dtype=bf), torch.randn(c, device=DEV, dtype=bf)]
        impls = {"eager": composed_rms, "fused": fused_rms, "compile": compiled(composed_rms)}
        n = rows * cols * 2
        yield ("rms_norm", "fwd", f"{rows}x{cols}", 2 * n, "copy", impls, inputs, None)
        yield ("rms_norm", "bwd", f"{rows}x{cols}", 3 * n, "copy", impls, inputs, 1)

        def inputs2(r=rows, c=cols):
            return [torch.randn(r, c, device=DEV, dtype=bf), torch.randn(r, c, device=DEV, dtype=bf),
                    torch.randn(c, device=DEV, dtype=bf)]
        impls = {"eager": composed_add_rms, "compile": compiled(composed_add_rms)}
        yield ("rms_norm", "add_fwd", f"{rows}x{cols}", 4 * n, "copy", impls, inputs2, None)
        yield ("rms_norm", "add_bwd", f"{rows}x{cols}", 4 * n, "copy", impls, inputs2, 2)
    for rows, cols in ((16384, 11008), (8192, 14336), (32768, 1024), (4096, 4096), (1, 11008), (64, 11008)):
        def inputs(r=rows, c=cols):
            return [torch.randn(r, c, device=DEV, dtype=bf) for _ in range(2)]
        n = rows * cols * 2
        impls = {"eager": swiglu, "compile": compiled(swiglu)}
        yield ("swiglu", "fwd", f"{rows}x{cols}", 3 * n, "copy", impls, inputs, None)
        yield ("swiglu", "bwd", f"{rows}x{cols}", 5 * n, "copy", impls, inputs, 1)
    def inputs():
        return [torch.randn(16384, 11008, device=DEV, dtype=bf) for _ in range(2)]
    impls = {"eager": geglu, "compile": compiled(geglu)}
    yield ("swiglu", "gelu_tanh_fwd", "16384x11008", 3 * 16384 * 11008 * 2, "copy", impls, inputs, None)
    yield ("swiglu", "gelu_tanh_bwd", "16384x11008", 5 * 16384 * 11008 * 2, "copy", impls, inputs, 1)
    for b, s, h, k, d in ((4, 4096, 32, 32, 128), (4, 4096, 32, 8, 128), (8, 8192, 16, 4, 64), (1, 1, 32, 8, 128),
                          (1, 64, 32, 8, 128)):
        def inputs(b=b, s=s, h=h, k=k, d=d):
            angle = torch.rand(s, d // 2, device=DEV).repeat(1, 2) * 6.28
            return [torch.randn(b, s, h, d, device=DEV, dtype=bf), torch.randn(b, s, k, d, device=DEV, dtype=bf),
                    angle.cos(), angle.sin()]
        n = 2 * b * s * (h + k) * d * 2 + s * d * 4
        impls = {"eager": rope, "compile": compiled(rope)}
        yield ("rope", "fwd", f"{b}x{s}x{h}+{k}x{d}", n, "copy", impls, inputs, None)
        if (b, h, k) == (4, 32, 32):
            yield ("rope", "bwd", f"{b}x{s}x{h}+{k}x{d}", n, "copy", impls, inputs, 2)
    for rows, cols in ((262144, 256), (65536, 1024), (16384, 4096), (8192, 8192), (8192, 32000), (4096, 65536),
                       (2048, 131072), (2048, 262144), (64, 4096)):
        def inputs(r=rows, c=cols):
            return [torch.randn(r, c, device=DEV, dtype=bf)]
        n = rows * cols * 2
        fused = lambda x: torch.softmax(x, -1)
        impls = {"eager": composed_softmax, "fused": fused, "compile": compiled(fused)}
        yield ("softmax", "fwd", f"{rows}x{cols}", 2 * n, "copy", impls, inputs, None)
        yield ("softmax", "bwd", f"{rows}x{cols}", 3 * n, "copy", impls, inputs, 1)
    for rows, cols in ((8192, 32000), (8192, 128256), (4096, 151936), (2048, 262144)):
        def inputs(r=rows, c=cols):
            return [torch.randn(r, c, device=DEV, dtype=bf), torch.randint(0, c, (r,), device=DEV)]
        n = rows * cols * 2
        impls = {"eager": composed_ce, "fused": fused_ce, "compile": compiled(fused_ce)}
        yield ("cross_entropy", "fwd", f"{rows}x{cols}", n, "read", impls, inputs, None)
        yield ("cross_entropy", "fwd_dlogits", f"{rows}x{cols}", 2 * n, "copy", impls, inputs, "step")
    for rows, cols in ((65536, 1024), (16384, 4096), (16384, 11008), (8192, 16384), (64, 4096)):
        def inputs(r=rows, c=cols):
            return [torch.randn(r, c, device=DEV, dtype=bf)]
        n = rows * cols * 3 + rows * 4
        for name, f in (("fp8_row", quantize_fp8), ("int8_row", quantize_i8)):
            yield ("quantize", name, f"{rows}x{cols}", n, "copy", {"eager": f, "compile": compiled(f)}, inputs, None)


def candidate(function, inputs, grads):
    """How one implementation is prepared and run: forward, backward alone, or forward and backward ("step")."""
    def floats(args):
        return [a for a in args if a.is_floating_point() and a.dtype == torch.bfloat16]

    if grads is None:
        def make(_):
            return inputs()

        def run(args):
            with torch.no_grad():
                function(*args)
        return make, run
    if grads == "step":
        def make(_):
            args = inputs()
            args[0].requires_grad_()
            return args

        def run(args):
            torch.autograd.grad(function(*args), [args[0]])
        return make, run

    def make(_):
        args = inputs()
        wanted = [a.requires_grad_() for a in floats(args)]
        outs = function(*args)
        outs = list(outs) if isinstance(outs, tuple) else [outs]
        return outs, wanted, [torch.randn_like(o) for o in outs]

    def run(state):
        outs, wanted, douts = state
        torch.autograd.grad(outs, wanted, douts, retain_graph=True)
    return make, run


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--save", required=True)
    parser.add_argument("--ops", default="")
    parser.add_argument("--commit", default="unknown")
    parser.add_argument("--date", default="unknown")
    parser.add_argument("--seconds", type=float, default=500)
    args = parser.parse_args()
    wanted = [o for o in args.ops.split(",") if o]
    top = ceilings()
    print(f"ceilings: copy {top['copy'] / 1e9:.1f} read {top['read'] / 1e9:.1f} GB/s", flush=True)
    began = time.time()
    with open(args.save, "a", buffering=1) as out:
        for op, direction, shape, nbytes, ceiling, impls, inputs, grads in cells():
            if wanted and op not in wanted:
                continue
            if time.time() - began > args.seconds:
                print(f"stopped before {op} {direction} {shape}: out of time")
                break
            sets = int(min(16, max(2, math.ceil(3 * L2 / nbytes))))
            timed = time_cell({n: candidate(f, inputs, grads) for n, f in impls.items()}, sets)
            for name, (p10, median, p90) in timed.items():
                rate = nbytes / median * 1e6
                row = {"kind": "op", "op": op, "tier": "pytorch", "implementation": name,
                       "version": f"torch {torch.__version__}", "direction": direction, "dtype": "bf16", "shape": shape,
                       "p10_us": round(p10, 3), "median_us": round(median, 3), "p90_us": round(p90, 3), "bytes": nbytes,
                       "gb_per_s": round(rate / 1e9, 1), "ceiling": ceiling,
                       "ceiling_gb_per_s": round(top[ceiling] / 1e9, 1), "fraction": round(rate / top[ceiling], 4),
                       "l2": "cold" if sets * nbytes >= 3 * L2 else "warm", "device": torch.cuda.get_device_name(),
                       "cuda": torch.version.cuda, "commit": args.commit, "date": args.date,
                       "method": "graph replay, rotated buffers, implementations interleaved"}
                out.write(json.dumps(row) + "\n")
                print(f"{op:14} {direction:13} {shape:22} {name:8} {median:10.2f} us {rate / 1e9:7.0f} GB/s "
                      f"{rate / top[ceiling]:.3f}", flush=True)
            torch._dynamo.reset()
            torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
