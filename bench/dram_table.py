#!/usr/bin/env python3
"""Modelled beside counted DRAM bytes: python3 bench/dram_table.py TRACE.json.gz COUNTERS.csv"""
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def operators(*files):
    run = subprocess.run([os.environ.get("PAGODA", ROOT / "build/pagoda"), "plan", *files, "--evidence", "none", "--format", "json"],
                         capture_output=True, check=True)
    rows = {}
    for row in json.loads(run.stdout)["operators"]:
        key = (row["operator"], row["shapes"], row["gpu_events"])
        rows.setdefault(key, row)
    return rows


def main():
    trace, counters = sys.argv[1:3]
    modelled, counted = operators(trace), operators(trace, counters)
    print("| operator | shapes | modelled MB | counted MB | model / counters |\n|---|---|---:|---:|---:|")
    for key, row in sorted(modelled.items(), key=lambda item: -(item[1]["bytes"] or 0)):
        other = counted.get(key)
        if not other or other["known_by"] != "counters" or not row["bytes"] or row["operator"] == "fill":
            continue
        print(f"| {row['operator']} | {row['shapes'][:60]} | {row['bytes'] / 1e6:.1f} | {other['bytes'] / 1e6:.1f} | {row['bytes'] / other['bytes']:.2f} |")


if __name__ == "__main__":
    main()
