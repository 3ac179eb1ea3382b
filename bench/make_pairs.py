#!/usr/bin/env python3
"""Before/after pairs for docs/predictions.md: profiles a workload, then times it with each single fix, interleaved.

    python3 bench/make_pairs.py OUT_DIR [workload...]        needs a GPU and torch

Writes OUT_DIR/<workload>.json.gz (the profile before) and OUT_DIR/pairs.json (unprofiled step times in ms: median of rounds,
each round runs before and every fix in an order that turns around). Weights and inputs are random. Composed operators are
written as Hugging Face LLaMA writes them.
"""
import gzip
import json
import math
import os
import shutil
import statistics
import sys
import time

import torch
import torch.nn.functional as F
from torch.profiler import ProfilerActivity, profile, record_function

DEVICE = "cuda"


def rms_norm_composed(x, weight, eps=1e-6):
    dtype = x.dtype
    x = x.to(torch.float32)
    variance = x.pow(2).mean(-1, keepdim=True)
    x = x * torch.rsqrt(variance + eps)
    return weight * x.to(dtype)


def rms_norm_torch(x, weight, eps=1e-6):
    return F.rms_norm(x, weight.shape, weight, eps)


def rotate_half(x):
    half = x.shape[-1] // 2
    return torch.cat((-x[..., half:], x[..., :half]), dim=-1)


def rope_composed(q, k, cos, sin):
    return q * cos + rotate_half(q) * sin, k * cos + rotate_half(k) * sin


def swiglu_composed(gate, up):
    return F.silu(gate) * up


def attention_composed(q, k, v, mask):
    scores = torch.matmul(q, k.transpose(2, 3)) * (1 / math.sqrt(q.shape[-1]))
    if mask is not None:
        scores = scores + mask
    weights = F.softmax(scores, dim=-1, dtype=torch.float32).to(q.dtype)
    return torch.matmul(weights, v)


def attention_sdpa(q, k, v, mask):
    return F.scaled_dot_product_attention(q, k, v, is_causal=mask is not None)


class Choice:
    """Which implementation of each operator a run uses."""

    def __init__(self):
        self.rms_norm, self.rope, self.swiglu, self.attention = rms_norm_composed, rope_composed, swiglu_composed, attention_composed

    def with_(self, **changes):
        other = Choice()
        other.__dict__.update(self.__dict__, **changes)
        return other


class Block(torch.nn.Module):
    def __init__(self, hidden, heads, inner):
        super().__init__()
        make = lambda *shape: torch.nn.Parameter(torch.randn(*shape, device=DEVICE, dtype=torch.bfloat16) / math.sqrt(shape[-1]))
        self.heads, self.head = heads, hidden // heads
        self.norm1, self.norm2 = (torch.nn.Parameter(torch.ones(hidden, device=DEVICE, dtype=torch.bfloat16)) for _ in range(2))
        self.q, self.k, self.v, self.o = (make(hidden, hidden) for _ in range(4))
        self.gate, self.up, self.down = make(inner, hidden), make(inner, hidden), make(hidden, inner)

    def forward(self, x, cos, sin, mask, cache, choice):
        batch, tokens, hidden = x.shape
        split = lambda y: y.view(batch, tokens, self.heads, self.head).transpose(1, 2)
        h = choice.rms_norm(x, self.norm1)
        q, k, v = split(F.linear(h, self.q)), split(F.linear(h, self.k)), split(F.linear(h, self.v))
        q, k = choice.rope(q, k, cos, sin)
        if cache is not None:
            k, v = torch.cat((cache[0], k), dim=2), torch.cat((cache[1], v), dim=2)
        y = choice.attention(q, k, v, mask).transpose(1, 2).reshape(batch, tokens, hidden)
        x = x + F.linear(y, self.o)
        h = choice.rms_norm(x, self.norm2)
        return x + F.linear(choice.swiglu(F.linear(h, self.gate), F.linear(h, self.up)), self.down)


class Model(torch.nn.Module):
    def __init__(self, layers, hidden, heads, inner, vocabulary):
        super().__init__()
        self.embedding = torch.nn.Parameter(torch.randn(vocabulary, hidden, device=DEVICE, dtype=torch.bfloat16) / 50)
        self.head = torch.nn.Parameter(torch.randn(vocabulary, hidden, device=DEVICE, dtype=torch.bfloat16) / math.sqrt(hidden))
        self.norm = torch.nn.Parameter(torch.ones(hidden, device=DEVICE, dtype=torch.bfloat16))
        self.blocks = torch.nn.ModuleList(Block(hidden, heads, inner) for _ in range(layers))
        self.hidden, self.heads, self.head_size = hidden, heads, hidden // heads

    def tables(self, tokens, offset=0):
        frequency = 1e4 ** (-torch.arange(0, self.head_size, 2, device=DEVICE) / self.head_size)
        angle = torch.outer(torch.arange(offset, offset + tokens, device=DEVICE).float(), frequency)
        angle = torch.cat((angle, angle), dim=-1)[None, None]
        return angle.cos().bfloat16(), angle.sin().bfloat16()

    def forward(self, ids, cos, sin, mask, caches, choice):
        x = F.embedding(ids, self.embedding)
        for i, block in enumerate(self.blocks):
            x = block(x, cos, sin, mask, None if caches is None else caches[i], choice)
        return F.linear(choice.rms_norm(x, self.norm), self.head)


def compiled(function):
    return torch.compile(function, dynamic=False)


def decode(batch, context, layers=32, hidden=4096, heads=32, inner=11008):
    model = Model(layers, hidden, heads, inner, 32000).eval()
    ids = torch.randint(0, 32000, (batch, 1), device=DEVICE)
    cos, sin = model.tables(1, context)
    caches = [tuple(torch.randn(batch, heads, context, hidden // heads, device=DEVICE, dtype=torch.bfloat16) for _ in range(2)) for _ in range(layers)]
    base = Choice()

    def step(choice):
        with torch.no_grad():
            return model(ids, cos, sin, None, caches, choice).argmax(-1)

    def graph_of(choice):
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            for _ in range(3):
                step(choice)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            step(choice)
        return graph.replay

    fixes = {
        "before": lambda: step(base),
        "cuda_graph": graph_of(base),
        "fuse_add_rms_norm": lambda c=base.with_(rms_norm=rms_norm_torch): step(c),
        "attention": lambda c=base.with_(attention=attention_sdpa): step(c),
    }
    return fixes


def prefill(tokens, layers=16, hidden=4096, heads=32, inner=11008):
    model = Model(layers, hidden, heads, inner, 32000).eval()
    ids = torch.randint(0, 32000, (1, tokens), device=DEVICE)
    cos, sin = model.tables(tokens)
    mask = torch.full((tokens, tokens), torch.finfo(torch.bfloat16).min, device=DEVICE, dtype=torch.bfloat16).triu(1)[None, None]
    base = Choice()

    def step(choice):
        with torch.no_grad():
            return model(ids, cos, sin, mask, None, choice)

    rope, swiglu = compiled(rope_composed), compiled(swiglu_composed)
    return {
        "before": lambda: step(base),
        "attention": lambda c=base.with_(attention=attention_sdpa): step(c),
        "fuse_add_rms_norm": lambda c=base.with_(rms_norm=rms_norm_torch): step(c),
        "fuse_rope": lambda c=base.with_(rope=rope): step(c),
        "fuse_swiglu": lambda c=base.with_(swiglu=swiglu): step(c),
    }


def train(layers=2, hidden=5120, heads=40, inner=13824, batch=2, tokens=2048):
    model = Model(layers, hidden, heads, inner, 32000)
    ids = torch.randint(0, 32000, (batch, tokens), device=DEVICE)
    labels = torch.randint(0, 32000, (batch * tokens,), device=DEVICE)
    cos, sin = model.tables(tokens)
    mask = torch.full((tokens, tokens), torch.finfo(torch.bfloat16).min, device=DEVICE, dtype=torch.bfloat16).triu(1)[None, None]
    base = Choice()
    loops = torch.optim.AdamW(model.parameters(), lr=1e-5, foreach=False, fused=False)
    fused = torch.optim.AdamW(model.parameters(), lr=1e-5, fused=True)

    def step(choice, optimizer):
        loss = F.cross_entropy(model(ids, cos, sin, mask, None, choice).float().view(-1, 32000), labels)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    rope, swiglu = compiled(rope_composed), compiled(swiglu_composed)
    return {
        "before": lambda: step(base, loops),
        "attention": lambda c=base.with_(attention=attention_sdpa): step(c, loops),
        "fuse_add_rms_norm": lambda c=base.with_(rms_norm=rms_norm_torch): step(c, loops),
        "fuse_rope": lambda c=base.with_(rope=rope): step(c, loops),
        "fuse_swiglu": lambda c=base.with_(swiglu=swiglu): step(c, loops),
        "fused_optimizer": lambda: step(base, fused),
    }


def fp32_mlp(rows=8192, width=8192, layers=4):
    weights = [torch.randn(width, width, device=DEVICE) / math.sqrt(width) for _ in range(layers)]
    x = torch.randn(rows, width, device=DEVICE)

    def step(precision):
        torch.set_float32_matmul_precision(precision)
        y = x
        with torch.no_grad():
            for weight in weights:
                y = F.gelu(F.linear(y, weight))
        return y

    return {"before": lambda: step("highest"), "tensor_cores_fp32": lambda: step("high")}


WORKLOADS = {
    "decode_b1_ctx512": (lambda: decode(1, 512), 20),
    "decode_b32_ctx1024": (lambda: decode(32, 1024), 20),
    "prefill_2048_16layers": (lambda: prefill(2048), 10),
    "prefill_4096_8layers": (lambda: prefill(4096, layers=8), 10),
    "train_13b_2layers": (lambda: train(), 6),
    "fp32_mlp_8192": (lambda: fp32_mlp(), 6),
}


def time_ms(run, repeats):
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(repeats):
        run()
    torch.cuda.synchronize()
    return (time.perf_counter() - start) * 1e3 / repeats


def profile_before(run, path, steps=3):
    for _ in range(2):
        run()
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], record_shapes=True) as prof:
        for i in range(steps):
            with record_function(f"step#{i}"):
                run()
        torch.cuda.synchronize()
    plain = path[: -len(".gz")]
    prof.export_chrome_trace(plain)
    with open(plain, "rb") as source, gzip.open(path, "wb", compresslevel=6) as packed:
        shutil.copyfileobj(source, packed)
    os.remove(plain)


def main():
    out = sys.argv[1]
    names = sys.argv[2:] or list(WORKLOADS)
    os.makedirs(out, exist_ok=True)
    result = {"device": torch.cuda.get_device_name(), "torch": torch.__version__, "date": time.strftime("%Y-%m-%d"), "pairs": []}
    for name in names:
        make, repeats = WORKLOADS[name]
        torch.manual_seed(20261201)
        runs = make()
        for run in runs.values():
            for _ in range(3):
                run()
        samples = {fix: [] for fix in runs}
        for turn in range(6):
            for fix in list(runs)[:: 1 if turn % 2 == 0 else -1]:
                runs[fix]()
                samples[fix].append(time_ms(runs[fix], repeats))
        profile_before(runs["before"], f"{out}/{name}.json.gz")
        before = statistics.median(samples["before"])
        for fix in runs:
            if fix == "before":
                continue
            after = statistics.median(samples[fix])
            result["pairs"].append({"workload": name, "fix": fix, "before_ms": before, "after_ms": after,
                                    "before_range_ms": [min(samples["before"]), max(samples["before"])],
                                    "after_range_ms": [min(samples[fix]), max(samples[fix])]})
            print(f"{name:24} {fix:20} {before:8.2f} -> {after:8.2f} ms", flush=True)
        with open(f"{out}/pairs.json", "w") as file:
            json.dump(result, file, indent=1)
        del runs
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
