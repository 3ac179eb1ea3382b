#!/usr/bin/env python3
"""Predicted beside achieved: runs `pagoda plan` on every profile of bench/make_pairs.py and compares with the measured step.

    python3 bench/predictions.py PAIRS_DIR > docs/predictions.md
"""
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def prediction(trace, fix, before_ms):
    run = subprocess.run([os.environ.get("PAGODA", ROOT / "build/pagoda"), "plan", trace, "--step-time", f"{before_ms:.4f}", "--format", "json"],
                         capture_output=True, check=True)
    for action in json.loads(run.stdout)["actions"]:
        if action["id"] != fix:
            continue
        existing = [row for row in action["tiers"] if row["tier"] == "existing"]
        # The fixes of the pairs are existing implementations, whatever tier the plan decides for.
        first = action["rank"] == 1 and existing
        return (existing[0]["step_after_alone_ns"] if first else action["step_after_alone_ns"]), action["tier"]
    return None, None


def main():
    folder = pathlib.Path(sys.argv[1])
    pairs = json.loads((folder / "pairs.json").read_text())
    print("# Predicted beside achieved\n")
    print(f"`bench/make_pairs.py` on {pairs['device']}, torch {pairs['torch']}, {pairs['date']}: each workload is profiled once, then timed without a "
          "profiler, before and with each single fix, six rounds interleaved in turning order (medians). The prediction is `pagoda plan PROFILE "
          "--step-time BEFORE`, the step after that action alone. Written by `bench/predictions.py`.\n")
    print("| workload | fix | before ms | predicted ms (low .. high) | achieved ms | error | inside |\n|---|---|---:|---|---:|---:|---|")
    inside, total, near = 0, 0, 0
    for pair in pairs["pairs"]:
        after, _ = prediction(folder / f"{pair['workload']}.json.gz", pair["fix"], pair["before_ms"])
        achieved = pair["after_ms"]
        head = f"| {pair['workload']} | {pair['fix']} | {pair['before_ms']:.2f} |"
        if after is None:
            print(f"{head} not proposed | {achieved:.2f} | | |")
            continue
        low, likely, high = (after[key] / 1e6 for key in ("low", "likely", "high"))
        error = likely / achieved - 1
        hit = low <= achieved <= high
        total, inside, near = total + 1, inside + hit, near + (abs(error) <= 0.1)
        print(f"{head} {likely:.2f} ({low:.2f} .. {high:.2f}) | {achieved:.2f} | {error:+.1%} | {'yes' if hit else 'no'} |")
    print(f"\nWithin 10 %: {near} of {total}. Inside the interval: {inside} of {total}.")


if __name__ == "__main__":
    main()
