#!/usr/bin/env python3
"""`pagoda plan`, `explain`, `diff` and `init` as a user meets them, on the bundled samples.

    python3 tests/program/test_plan.py        needs build/pagoda (or $PAGODA); the HTML page needs chromium
"""
import gzip
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import unittest

from test_analyze import Folder, SAMPLES, ROOT, kernel, launch, pagoda

DECODE = ROOT / "samples/llama7b_decode_h200.json.gz"
PREFILL = ROOT / "samples/llama7b_prefill_h200.json.gz"
EAGER = ROOT / "samples/gpt13b_4layer_train_eager_h200.json.gz"
SDPA = ROOT / "samples/gpt13b_4layer_train_sdpa_h200.json.gz"


def plan_json(*arguments):
    run = pagoda("plan", *arguments, "--format", "json")
    assert run.returncode in (0, 3), run.stderr.decode()
    return json.loads(run.stdout)


class Decisions(Folder):
    def test_decode_is_about_launches_not_about_a_norm(self):
        for arguments in ((DECODE,), (DECODE, "--step-time", "33.0")):
            plan = plan_json(*arguments)
            first = plan["actions"][0]
            self.assertEqual((first["kind"], first["operator"], first["tier"]), ("graph", "launches", "existing"))
        self.assertTrue(plan["step"]["corrected"])
        self.assertEqual(plan["step"]["measured_ns"], 33_000_000)
        self.assertAlmostEqual(plan["step"]["profiled_ns"] / 1e6, 55.3, delta=0.1)

    def test_eager_training_is_about_attention_and_the_twin_proves_it(self):
        action = plan_json(EAGER, "--step-time", "110.7")["actions"][0]
        self.assertEqual(action["operator"], "attention")
        after = action["step_after_alone_ns"]
        self.assertTrue(after["low"] <= 81_400_000 <= after["high"], after)
        self.assertAlmostEqual(after["likely"] / 81.4e6, 1, delta=0.1)

    def test_prefill_is_about_attention_and_its_twin_proves_it(self):
        action = plan_json(PREFILL, "--step-time", "109.6")["actions"][0]
        self.assertEqual(action["operator"], "attention")
        after = action["step_after_alone_ns"]
        self.assertTrue(after["low"] <= 62_300_000 <= after["high"], after)

    def test_what_is_done_already_is_not_proposed(self):
        plan = plan_json(SDPA, "--step-time", "81.4")
        self.assertNotIn("attention", [action["operator"] for action in plan["actions"]])
        self.assertNotIn("optimizer", [action["operator"] for action in plan["actions"]], "aten::_fused_adamw_ is fused")
        self.assertIn("gemm", [row["operator"] for row in plan["declined"]])

    def test_laws_hold_on_every_sample(self):
        for sample in SAMPLES:
            plan = plan_json(sample)
            self.assertEqual(plan["schema"], "pagoda.plan/1")
            self.assertEqual(sum(plan["step"]["buckets_ns"].values()), plan["step"]["measured_ns"])
            self.assertAlmostEqual(sum(row["share_fraction"] for row in plan["operators"]), 1, delta=1e-6)
            self.assertGreater(plan["coverage"]["classified_fraction"], 0.95)
            self.assertGreater(plan["coverage"]["modelled_fraction"], 0.95)
            self.assertFalse(any(row["model_error"] for row in plan["operators"]))
            ladder = [step["step_ns"]["likely"] for step in plan["ladder"]]
            self.assertEqual(ladder, sorted(ladder, reverse=True))
            for action in plan["actions"]:
                for key in ("id", "kind", "operator", "tier", "reason_path", "share_fraction", "time_now_ns", "floor_ns",
                            "step_after_alone_ns", "step_after_cumulative_ns", "speedup_end_to_end", "dev_days", "payback_days",
                            "evidence", "implementations", "roi_band", "checklist"):
                    self.assertIn(key, action)
                self.assertLessEqual(action["step_after_alone_ns"]["low"], action["step_after_alone_ns"]["likely"])
                self.assertLessEqual(action["step_after_alone_ns"]["likely"], action["step_after_alone_ns"]["high"])

    def test_same_input_same_bytes(self):
        for kind in ("text", "json", "md"):
            self.assertEqual(len({pagoda("plan", EAGER, "--format", kind).stdout for _ in range(3)}), 1)

    def test_the_order_of_events_in_the_file_does_not_matter(self):
        for sample in (EAGER, PREFILL):
            trace = json.loads(gzip.open(sample).read())
            random.Random(20261201).shuffle(trace["traceEvents"])
            shuffled = self.write("shuffled.json", trace)
            plans = [plan_json(path) for path in (sample, shuffled)]
            for plan in plans:
                plan.pop("files")
            self.assertEqual(plans[0], plans[1])

    def test_chinese_and_english_say_the_same_actions(self):
        english = pagoda("plan", EAGER, "--lang", "en").stdout.decode()
        chinese = pagoda("plan", EAGER, "--lang", "zh").stdout.decode()
        self.assertIn("What to do", english)
        self.assertIn("该做什么", chinese)
        self.assertIn("该做什么", pagoda("plan", EAGER, env={"LC_ALL": "zh_CN.UTF-8"}).stdout.decode())
        self.assertEqual(len(re.findall(r"\d-\S+ d\b", english)), len(re.findall(r"\d-\S+ d\b", chinese)))

    def test_an_unknown_gpu_is_said_and_peaks_are_taken(self):
        trace = {"deviceProperties": [{"id": 0, "name": "Mystery 9000"}], "traceEvents": [launch(0, 1), kernel(10, 5000)]}
        path = self.write("mystery.json", trace)
        self.assertIn("not in the catalogue", pagoda("plan", path).stdout.decode())
        self.assertNotIn("not in the catalogue", pagoda("plan", path, "--peak-tflops", "100", "--peak-gbs", "1000").stdout.decode())

    def test_fp8_weights_only_when_numerics_may_change(self):
        project = self.write("project.toml", "[accuracy]\nmay_change_numerics = true\n")
        without = plan_json(DECODE, "--step-time", "33.0")
        allowed = plan_json(DECODE, "--step-time", "33.0", "--project", project)
        self.assertFalse(any(action["changes_numerics"] for action in without["actions"]))
        self.assertTrue(any(action["changes_numerics"] for action in allowed["actions"]))

    def test_a_catalogue_of_the_users_own_takes_the_built_ins_place(self):
        row = """[[implementation]]
id = "house"
name = "House attention"
operators = ["attention"]
tier = "existing"
licence = "house"
switch_on = "import house"
limits = "-"
version = "1"
url = "-"
"""
        own = self.write("catalogue.toml", row)
        action = plan_json(EAGER, "--step-time", "110.7", "--catalogue", own)["actions"][0]
        self.assertEqual([each["id"] for each in action["implementations"]], ["house"])
        typo = self.write("typo.toml", row.replace("licence", "license"))
        self.assert_refused(pagoda("plan", EAGER, "--catalogue", typo), "typo.toml", "line 6", "license")

    def test_fp8_gemm_is_said_with_its_gain_and_taken_only_when_allowed(self):
        kept = [row for row in plan_json(PREFILL, "--step-time", "109.6")["declined"] if row["why"]["id"] == "declined.numerics"]
        self.assertEqual([row["operator"] for row in kept], ["gemm"])
        allowed = self.write("project.toml", "[accuracy]\nmay_change_numerics = true\n")
        self.assertIn("fp8_gemm", [action["id"] for action in plan_json(PREFILL, "--project", allowed)["actions"]])

    def test_mistakes_are_refused(self):
        self.assert_refused(pagoda("plan", DECODE, "--preset", "nonsense"), "nonsense", "last_resort")
        self.assert_refused(pagoda("plan", DECODE, "--policy", self.write("p.toml", "[tree]\n")), "p.toml", "line")
        self.assert_refused(pagoda("plan", DECODE, "--step-time", "-3"), "step-time")
        self.assert_refused(pagoda("explain", "99", DECODE), "99", "cuda_graph")
        self.assert_refused(pagoda("diff", DECODE, DECODE, "--plan", DECODE), "no plan")
        self.assert_refused(pagoda("diff", DECODE, DECODE, "--gate", "fast"), "gate")


class Predictions(Folder):
    def test_measured_pairs_are_met_as_documented(self):
        """docs/predictions.md is what the program says today."""
        folder = sorted((ROOT / "bench/pairs").iterdir())[-1]
        table = subprocess.run([sys.executable, ROOT / "bench/predictions.py", folder], capture_output=True, check=True).stdout.decode()
        documented = (ROOT / "docs/predictions.md").read_text()
        self.assertTrue(documented.startswith(table.rstrip()), "run bench/predictions.py again and look at what changed")
        inside, of = map(int, re.search(r"Inside the interval: (\d+) of (\d+)", table).groups())
        near, _ = map(int, re.search(r"Within 10 %: (\d+) of (\d+)", table).groups())
        self.assertGreaterEqual(inside / of, 0.85)
        self.assertGreaterEqual(near / of, 0.85)


class DramBytes(Folder):
    def test_the_model_meets_the_counters_where_a_kernel_moves_each_byte_once(self):
        folder = sorted((ROOT / "bench/dram").iterdir())[-1]
        run = subprocess.run([sys.executable, ROOT / "bench/dram_table.py", folder / "dram.json.gz", folder / "dram.csv"],
                             capture_output=True, check=True)
        rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in run.stdout.decode().splitlines()[2:]]
        self.assertGreaterEqual(len(rows), 15)
        self.assertIn("\n".join(map(str, run.stdout.decode().splitlines())), (ROOT / "docs/measuring.md").read_text())
        for operator, shapes, _, _, ratio in rows:
            if operator in ("cast", "copy", "elementwise", "reduction", "activation", "gemv", "attention", "softmax"):
                self.assertTrue(0.97 <= float(ratio) <= 1.08, (operator, shapes, ratio))
            else:
                self.assertLessEqual(float(ratio), 1.15, (operator, shapes, ratio))


class Explain(Folder):
    def test_by_number_and_by_id(self):
        by_number = pagoda("explain", "1", EAGER).stdout
        self.assertEqual(by_number, pagoda("explain", "attention", EAGER).stdout)
        for word in (b"Path", b"Evidence", b"Checklist", b"Known implementations", b"FlashAttention"):
            self.assertIn(word, by_number)


class Diff(Folder):
    def test_predicted_beside_achieved_and_the_gate(self):
        plan = self.folder / "plan.json"
        pagoda("plan", EAGER, "--step-time", "110.7", "--format", "json", "-o", plan)
        run = pagoda("diff", EAGER, SDPA, "--step-time-before", "110.7", "--step-time-after", "81.4", "--plan", plan, "--format", "json")
        self.assertEqual(run.returncode, 0)
        diff = json.loads(run.stdout)
        self.assertAlmostEqual(diff["change_fraction"], 81.4 / 110.7 - 1, delta=1e-4)
        self.assertEqual([row["action"] for row in diff["predictions"] if row["nearest_to_achieved"]], ["attention"])
        self.assertEqual(diff["operators"][0]["operator"], "attention")
        self.assertEqual(pagoda("diff", EAGER, SDPA, "--gate", "3%").returncode, 0)
        self.assertEqual(pagoda("diff", SDPA, EAGER, "--gate", "3%").returncode, 4)
        self.assertEqual(pagoda("diff", SDPA, EAGER, "--gate", "50%").returncode, 0)


class Init(Folder):
    def test_writes_a_file_that_plan_reads_and_never_overwrites(self):
        path = self.folder / "project.toml"
        self.assertEqual(pagoda("init", path).returncode, 0)
        self.assertEqual(pagoda("plan", DECODE, "--project", path).returncode, 0)
        self.assert_refused(pagoda("init", path), "already")
        path.write_text(path.read_text().replace("# gpu_hour_cost", "gpu_hour_cost").replace("# gpus", "gpus").replace("# day_cost", "day_cost"))
        self.assertIsNotNone(plan_json(DECODE, "--project", path)["actions"][0]["payback_days"])


class Reports(Folder):
    HOSTILE = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"

    def hostile(self):
        events = []
        for i in range(1, 60):
            events += [launch(i * 10, 2, i), kernel(i * 10 + 4, 3, name=self.HOSTILE, correlation=i)]
        return self.write("hostile.json", {"deviceProperties": [{"id": 0, "name": self.HOSTILE}], "traceEvents": events})

    def test_perfetto_file_is_a_trace_with_the_same_account(self):
        out = self.folder / "out.json.gz"
        self.assertEqual(pagoda("plan", EAGER, "--perfetto", out).returncode, 0)
        ours = json.loads(pagoda("analyze", out, "--format", "json").stdout)["devices"][0]
        original = json.loads(pagoda("analyze", EAGER, "--format", "json").stdout)["devices"][0]
        for key in ("window_ns", "busy_ns", "compute_ns", "counts", "kernel_sum_ns", "without_launch_ns"):
            self.assertEqual(ours[key], original[key], key)

    def test_memo_cannot_be_injected(self):
        memo = pagoda("plan", self.hostile(), "--format", "md").stdout.decode()
        self.assertNotIn("<script>", memo)

    def test_html_is_small_offline_and_deaf_to_hostile_names(self):
        out = self.folder / "report.html"
        self.assertEqual(pagoda("plan", self.hostile(), "--html", out).returncode, 0)
        page = out.read_text()
        self.assertLess(len(page), 2_000_000)
        self.assertNotIn(self.HOSTILE, page)
        self.assertNotRegex(page.split("<script>")[0], r"<(img|script|link|iframe)\b[^>]*(src|href)=")
        for sample in SAMPLES:
            pagoda("plan", sample, "--html", out)
            self.assertLess(out.stat().st_size, 2_000_000)

    @unittest.skipUnless(shutil.which("chromium"), "chromium is not installed")
    def test_html_renders_in_a_browser_without_a_word_on_the_console(self):
        for source, expected in ((self.hostile(), "Pagoda: hostile.json"), (PREFILL, "Pagoda: llama7b_prefill_h200.json.gz")):
            out = self.folder / "report.html"
            pagoda("plan", source, "--html", out)
            run = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--enable-logging=stderr",
                                  f"--user-data-dir={self.folder}/chromium", f"--log-net-log={self.folder}/net.json",
                                  "--virtual-time-budget=3000", "--dump-dom", f"file://{out}"], capture_output=True, timeout=120)
            dom = run.stdout.decode()
            self.assertIn(f"<title>{expected}</title>", dom)
            if source == PREFILL:
                self.assertGreater(len(re.findall(r"<circle", dom)), 3, "the roofline is drawn")
                self.assertIn('class="sortable"', dom)
            console = [line for line in run.stderr.decode(errors="replace").splitlines() if "CONSOLE" in line]
            self.assertEqual(console, [])
            requests = re.findall(r'"url":"(https?://[^"]*)"', (self.folder / "net.json").read_text(errors="replace"))
            self.assertEqual([url for url in requests if "google" not in url and "gvt1" not in url], [], "the page asked for something")


if __name__ == "__main__":
    unittest.main(verbosity=1)
