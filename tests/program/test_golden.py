#!/usr/bin/env python3
"""The pages of all samples, word for word. After a change that is meant: python3 tests/program/test_golden.py --update, then
read the difference before committing it."""
import pathlib
import sys
import unittest

from test_analyze import SAMPLES, ROOT, pagoda

GOLDEN = ROOT / "tests/golden"
STEP_MS = {"llama7b_decode_h200": "33.0", "llama7b_prefill_h200": "109.6", "gpt13b_4layer_train_eager_h200": "110.7",
           "gpt13b_4layer_train_sdpa_h200": "81.4"}


def pages():
    for sample in SAMPLES:
        name = sample.name.removesuffix(".json.gz")
        yield f"{name}.analyze.txt", ("analyze", sample)
        yield f"{name}.plan.txt", ("plan", sample, "--step-time", STEP_MS[name], "--lang", "en")
    decode = next(sample for sample in SAMPLES if "decode" in sample.name)
    yield "llama7b_decode_h200.plan.zh.txt", ("plan", decode, "--step-time", "33.0", "--lang", "zh")
    yield "llama7b_decode_h200.explain.txt", ("explain", "1", decode, "--step-time", "33.0", "--lang", "en")
    yield "llama7b_decode_h200.memo.md", ("plan", decode, "--step-time", "33.0", "--format", "md", "--lang", "en")


def text(arguments):
    run = pagoda(*arguments)
    assert run.returncode == 0, run.stderr
    return run.stdout.replace(str(ROOT).encode() + b"/", b"")


class Golden(unittest.TestCase):
    def test_pages_are_as_committed(self):
        for name, arguments in pages():
            with self.subTest(name):
                self.assertEqual(text(arguments).decode(), (GOLDEN / name).read_text())


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        GOLDEN.mkdir(exist_ok=True)
        for name, arguments in pages():
            (GOLDEN / name).write_bytes(text(arguments))
    else:
        unittest.main(verbosity=1)
