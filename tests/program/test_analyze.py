#!/usr/bin/env python3
"""The program as a user meets it: arguments, exit codes, streams, determinism, many ranks.

    python3 tests/program/test_analyze.py        needs build/pagoda (or $PAGODA)
"""
import gzip

import json
import os
import pathlib
import pickle
import random
import shutil
import subprocess
import tarfile
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGODA = os.environ.get("PAGODA", str(ROOT / "build/pagoda"))
SAMPLES = sorted((ROOT / "samples").glob("*.json.gz"))
DECODE = ROOT / "samples/llama7b_decode_h200.json.gz"

def pagoda(*arguments, stdin=None, env=None, prefix=()):
    environment = {**os.environ, "NO_COLOR": "1", **(env or {})}
    return subprocess.run([*prefix, PAGODA, *map(str, arguments)], input=stdin, capture_output=True, env=environment,
                          timeout=300)

def analyze_json(*arguments, **keywords):
    run = pagoda("analyze", *arguments, "--format", "json", **keywords)
    assert run.returncode in (0, 3), (run.returncode, run.stderr.decode())
    return json.loads(run.stdout)

def kernel(ts, dur, name="kernel_a", device=0, stream=7, correlation=1, **extra):
    return {"ph": "X", "cat": "kernel", "name": name, "pid": device, "tid": stream, "ts": ts, "dur": dur,
            "args": {"device": device, "stream": stream, "correlation": correlation, **extra}}

def launch(ts, dur, correlation=1, name="cudaLaunchKernel"):
    return {"ph": "X", "cat": "cuda_runtime", "name": name, "pid": 100, "tid": 100, "ts": ts, "dur": dur,
            "args": {"correlation": correlation}}

class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="pagoda-test-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, (dict, list)):
            content = json.dumps(content)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def assert_refused(self, run, *words):
        """Exit 2, nothing on stdout, one error line (and perhaps a hint) that holds all words."""
        message = run.stderr.decode()
        self.assertEqual(run.returncode, 2, message)
        self.assertEqual(run.stdout, b"")
        self.assertLessEqual(len(message.strip().splitlines()), 3, message)
        for word in words:
            self.assertIn(word.lower(), message.lower())

class BadInput(Folder):
    def test_each_is_one_clear_line_and_exit_2(self):
        png = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
        self.assert_refused(pagoda("analyze", self.folder / "nowhere.json"), "nowhere.json")
        self.assert_refused(pagoda("analyze", self.write("empty.json", b"")), "empty.json", "empty")
        self.assert_refused(pagoda("analyze", self.write("picture.json", png)), "picture.json", "png")
        self.assert_refused(pagoda("analyze", self.write("model.pt", pickle.dumps({"a": 1}, 2))), "model.pt", "pickle")
        self.assert_refused(pagoda("analyze", self.write("notes.txt", "hello, world\n")), "notes.txt")
        self.assert_refused(pagoda("analyze", self.write("data.json", {"a": [1, 2, 3]})), "data.json")
        (self.folder / "hollow").mkdir()
        self.assert_refused(pagoda("analyze", self.folder / "hollow"), "hollow")
        self.assert_refused(pagoda("analyze", "-", stdin=b""), "stdin")

    def test_arguments(self):
        self.assert_refused(pagoda("analyze"))
        self.assert_refused(pagoda("analyse", DECODE), "analyze")
        self.assert_refused(pagoda("analyze", DECODE, "--format", "yaml"), "yaml")
        self.assert_refused(pagoda("analyze", DECODE, "--window", "annotation:no such thing"), "no such thing")
        self.assert_refused(pagoda("analyze", DECODE, "--output", self.folder / "no/such/folder/out.json"), "out.json")

    def test_help_and_version(self):
        self.assertEqual(pagoda("--help").returncode, 0)
        self.assertIn(b"analyze", pagoda("--help").stdout)
        self.assertRegex(pagoda("--version").stdout.decode(), r"^pagoda \d+\.\d+\.\d+")

class Reading(Folder):
    def test_format_comes_from_content_not_from_the_name(self):
        trace = {"traceEvents": [launch(0, 1), kernel(10, 5)]}
        plain = self.write("trace.png", trace)
        packed = self.write("trace.txt", gzip.compress(json.dumps(trace).encode()))
        zst = self.folder / "trace.bin"
        subprocess.run(["zstd", "-q", str(plain), "-o", str(zst)], check=True)
        for path in (plain, packed, zst):
            self.assertEqual(analyze_json(path)["devices"][0]["busy_ns"], 5000, path)
        self.assertEqual(analyze_json("-", stdin=plain.read_bytes())["devices"][0]["busy_ns"], 5000)
        self.assertEqual(analyze_json("-", stdin=packed.read_bytes())["devices"][0]["busy_ns"], 5000)

    def test_a_bare_list_is_a_trace(self):
        result = analyze_json(self.write("list.json", [launch(0, 1), kernel(10, 5)]))
        self.assertEqual(result["devices"][0]["busy_ns"], 5000)

    def test_truncation_keeps_whole_events_and_exits_3(self):
        events = [event for i in range(50) for event in (launch(100 * i, 1, i + 1), kernel(100 * i + 10, 5, correlation=i + 1))]
        whole = json.dumps({"traceEvents": events})
        cut = whole[:whole.index('"correlation": 41') + 5]
        path = self.write("cut.json", cut)
        run = pagoda("analyze", path, "--format", "json")
        self.assertEqual(run.returncode, 3, run.stderr)
        result = json.loads(run.stdout)
        self.assertEqual(result["devices"][0]["counts"]["compute"], 40)
        self.assertIn("truncated", [row["kind"] for row in result["diagnostics"]])
        packed = self.write("cut.json.gz", gzip.compress(whole.encode())[:-40])
        self.assertEqual(pagoda("analyze", packed).returncode, 3)

    def test_a_trace_without_gpu_work_says_so(self):
        path = self.write("cpu.json", {"traceEvents": [
            {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1, "dur": 5, "args": {}}]})
        self.assertEqual(analyze_json(path)["devices"], [])
        text = pagoda("analyze", path).stdout.decode()
        self.assertRegex(text.lower(), r"no gpu")

class Account(Folder):
    def test_conservation_on_random_traces(self):
        generator = random.Random(20261201)
        for _ in range(10):
            events = []
            for i in range(1, 200):
                start = round(generator.uniform(0, 5000), 3)
                events.append(launch(round(start - generator.uniform(0, 50), 3), round(generator.uniform(0, 9), 3), i))
                events.append(kernel(start, round(generator.uniform(0, 40), 3), correlation=i, stream=generator.randrange(4),
                                     device=generator.randrange(2), name=generator.choice(["gemm", "ncclDevKernel_AllReduce"])))
            generator.shuffle(events)
            first = analyze_json(self.write("random.json", {"traceEvents": events}))
            for device in first["devices"]:
                self.assertEqual(device["conservation"], {"window_minus_buckets_ns": 0, "busy_minus_buckets_ns": 0})
                self.assertEqual(sum(device["buckets_ns"].values()), device["window_ns"])
                self.assertEqual(device["busy_ns"] + device["idle_ns"], device["window_ns"])
                self.assertLessEqual(device["busy_ns"], device["window_ns"])
            generator.shuffle(events)
            again = analyze_json(self.write("random.json", {"traceEvents": events}))
            self.assertEqual(first, again, "the order of events in the file must not matter")

    def test_same_input_same_bytes(self):
        for sample in SAMPLES:
            for kind in ("text", "json", "csv"):
                runs = {pagoda("analyze", sample, "--format", kind).stdout for _ in range(2)}
                self.assertEqual(len(runs), 1, (sample, kind))
                self.assertTrue(runs.pop())

    def test_output_file_equals_stdout(self):
        out = self.folder / "out.json"
        run = pagoda("analyze", DECODE, "--format", "json", "--output", out)
        self.assertEqual((run.returncode, run.stdout), (0, b""))
        self.assertEqual(out.read_bytes(), pagoda("analyze", DECODE, "--format", "json").stdout)

    def test_hostile_names_reach_no_terminal(self):
        name = "evil\x1b[2J\x07\r\nkernel<script>"
        text = pagoda("analyze", self.write("evil.json", {"traceEvents": [launch(0, 1), kernel(10, 5, name=name)]})).stdout
        for byte in (b"\x1b", b"\x07", b"\r"):
            self.assertNotIn(byte, text)
        self.assertIn(b"kernel<script>", text)

class Ranks(Folder):
    def rank(self, number, world=4):
        base = 1_000_000 + number
        return {"distributedInfo": {"backend": "nccl", "rank": number, "world_size": world},
                "traceEvents": [launch(base, 1), kernel(base + 10, 5 + number, device=number),
                                launch(base + 30, 1, 2), kernel(base + 40, 8, name="ncclDevKernel_AllReduce_Sum_f32", device=number,
                                                                stream=9, correlation=2)]}

    def test_a_directory_and_a_tar_of_ranks_give_the_same_devices(self):
        for number in range(4):
            self.write(f"ranks/rank{number}.json", self.rank(number))
        archive = self.folder / "ranks.tar.gz"
        with tarfile.open(archive, "w:gz") as tar:
            for path in sorted((self.folder / "ranks").iterdir(), reverse=True):
                tar.add(path, arcname=path.name)
        from_folder = analyze_json(self.folder / "ranks")
        from_tar = analyze_json(archive)
        strip = lambda rows: [{key: value for key, value in row.items() if key != "file"} for row in rows]
        self.assertEqual([row["rank"] for row in from_folder["devices"]], [0, 1, 2, 3])
        self.assertEqual(strip(from_folder["devices"]), strip(from_tar["devices"]))

    def test_missing_ranks_are_said(self):
        path = self.write("rank0.json", self.rank(0, world=8))
        run = pagoda("analyze", path)
        self.assertRegex(run.stdout.decode(), r"1 of 8 ranks|ranks")

    @unittest.skipUnless(shutil.which("mpirun"), "mpirun is not installed")
    def test_mpi_gives_the_same_bytes(self):
        for number in range(5):
            self.write(f"ranks/rank{number}.json", self.rank(number, world=5))
        alone = pagoda("analyze", self.folder / "ranks", "--format", "json").stdout
        for processes in ("2", "3"):
            shared = pagoda("analyze", self.folder / "ranks", "--format", "json",
                            prefix=("mpirun", "--allow-run-as-root", "--oversubscribe", "-n", processes))
            self.assertEqual(shared.returncode, 0, shared.stderr)
            self.assertEqual(shared.stdout, alone)

if __name__ == "__main__":
    unittest.main(verbosity=1)
