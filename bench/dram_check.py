#!/usr/bin/env python3
"""Ops whose DRAM bytes the cost model is checked with: run once under torch.profiler, once under ncu.

    python3 bench/dram_check.py profile OUT/dram.json.gz
    ncu --csv --page raw --clock-control none --metrics dram__bytes_read.sum,dram__bytes_write.sum,gpu__time_duration.sum \
        --profile-from-start off python3 bench/dram_check.py run > OUT/dram.csv
"""
import gzip
import os
import shutil
import sys

import torch
import torch.nn.functional as F

BF16 = dict(device="cuda", dtype=torch.bfloat16)


def work():
    """Pairs of a name and a call. Operands are larger than L2 (50 MB) so that what is read comes from DRAM."""
    x = torch.randn(16384, 8192, **BF16)
    y = torch.randn(16384, 8192, **BF16)
    w = torch.randn(8192, **BF16)
    scores = torch.randn(32, 2048, 2048, **BF16)
    logits = torch.randn(8192, 32000, **BF16)
    labels = torch.randint(0, 32000, (8192,), device="cuda")
    a, b = torch.randn(8192, 8192, **BF16), torch.randn(8192, 8192, **BF16)
    vector, matrix = torch.randn(1, 8192, **BF16), torch.randn(8192, 28672, **BF16)
    table, ids = torch.randn(128256, 4096, **BF16), torch.randint(0, 128256, (16384,), device="cuda")
    q, k, v = (torch.randn(2, 32, 4096, 128, **BF16) for _ in range(3))
    strided = torch.randn(8192, 16384, **BF16).t()
    return [
        ("add", lambda: x + y),
        ("mul by a row", lambda: x * w),
        ("to float32", lambda: x.float()),
        ("silu", lambda: F.silu(x)),
        ("mean", lambda: x.float().mean(-1)),
        ("softmax", lambda: torch.softmax(scores, -1)),
        ("log_softmax", lambda: F.log_softmax(logits, -1)),
        ("rms_norm", lambda: F.rms_norm(x, (8192,), w)),
        ("layer_norm", lambda: F.layer_norm(x, (8192,), w, w)),
        ("transpose copy", lambda: strided.contiguous()),
        ("cat", lambda: torch.cat((x, y), 1)),
        ("embedding", lambda: F.embedding(ids, table)),
        ("gemm", lambda: a @ b),
        ("gemv", lambda: vector @ matrix),
        ("sdpa", lambda: F.scaled_dot_product_attention(q, k, v, is_causal=True)),
        ("cross_entropy", lambda: F.cross_entropy(logits.float(), labels)),
    ]


def main():
    mode = sys.argv[1]
    calls = work()
    for _, call in calls:
        call()
    flush = torch.empty(256 << 20, device="cuda", dtype=torch.uint8)
    torch.cuda.synchronize()
    if mode == "run":
        torch.cuda.cudart().cudaProfilerStart()
        for _, call in calls:
            flush.zero_()
            call()
        torch.cuda.synchronize()
        torch.cuda.cudart().cudaProfilerStop()
        return
    with torch.profiler.profile(activities=list(torch.profiler.supported_activities()), record_shapes=True) as prof:
        for name, call in calls:
            flush.zero_()
            with torch.profiler.record_function(name):
                call()
        torch.cuda.synchronize()
    out = sys.argv[2]
    prof.export_chrome_trace(out[:-3])
    with open(out[:-3], "rb") as source, gzip.open(out, "wb") as packed:
        shutil.copyfileobj(source, packed)
    os.remove(out[:-3])


if __name__ == "__main__":
    main()
