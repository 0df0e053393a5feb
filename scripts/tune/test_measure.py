"""Which combination is chosen of what `bench` reports.

    python3 -m unittest discover -s scripts/tune
"""

import io
import json
import subprocess
import sys
import tempfile
import time
import unittest
from collections import Counter
from contextlib import redirect_stdout
from pathlib import Path

import judge
import measure

PRESENT, FIRST, SECOND = "ITEMS=2", "ITEMS=4", "ITEMS=8"
POINTS = [
    {"task": "sort", "variant": "fast", "stage": "sort_tiles", "arguments": ["--digis", "1M"]},
    {"task": "sort", "variant": "stable", "stage": "kernel", "arguments": []},
]

RUN = {
    "machine": {"gpus": [{"model": "fake", "driver": "1"}], "cpu_model": "fake"},
    "software": {"git_commit": "abc"},
    "started": "2026-11-29T11:40:53Z",
}


def times(judged, guard=1.0):
    """Times in ms of the judged stage, and of the other one."""
    judged = judged if isinstance(judged, list) else [judged]
    return {"stages": {"fast": {"sort_tiles": judged}, "stable": {"kernel": [guard]}}}


class FakeBench(measure.Bench):
    """Reports what a plan has for each combination: the exit code of `verify`, and for each stage times in ms, of
    which the n-th run gets the n-th, or the last one."""

    def __init__(self, plan, metrics, folder, deadline):
        super().__init__("bench", "cuda:0", folder, deadline)
        self.plan, self.metrics, self.runs = plan, metrics, Counter()

    def run(self, command, combination, seconds):
        own, arguments = self.plan[combination], command[1:]
        if arguments[0] == "verify":
            code = own.get("verify", 0)
            return subprocess.CompletedProcess(command, code, "", f"exit {code}")
        variant = arguments[arguments.index("--variant") + 1]
        folder = Path(arguments[arguments.index("--out") + 1])
        self.report(own["stages"].get(variant, {}), variant, self.runs[combination, variant], folder)
        self.runs[combination, variant] += 1
        return subprocess.CompletedProcess(command, 0, "", "")

    def report(self, stages, variant, number, folder):
        summary = ["variant,stage,valid,note,median_s,ci95_low_s,ci95_high_s,metrics"]
        samples = ["variant,stage,seconds"]
        for stage, times in stages.items():
            seconds = times[min(number, len(times) - 1)] / 1e3
            low, high = seconds * 0.998, seconds * 1.002
            summary.append(f"{variant},{stage},yes,,{seconds},{low},{high},calls=1;registers=40{self.metrics}")
            samples += [f"{variant},{stage},{value}" for value in (low, seconds, high)]
        (folder / "run.json").write_text(json.dumps(RUN))
        (folder / "summary.csv").write_text("\n".join(summary) + "\n")
        (folder / "samples.csv").write_text("\n".join(samples) + "\n")


class Sweep(unittest.TestCase):
    """A sweep of three values."""

    def measure(self, plan, states=None, metrics="", seconds=60):
        """The result of a sweep of combinations with these times."""
        combinations = {
            name: {"values": {"ITEMS": int(name.split("=")[1])}, "state": "compiled"} | (states or {}).get(name, {})
            for name in plan
        }
        sweep = {"kernel": "sts-sort", "present": PRESENT, "verify": [], "points": POINTS, "combinations": combinations}
        sweep["stages"] = list(map(measure.stage_name, POINTS))
        self.kept = []
        bench = FakeBench(plan, metrics, Path("images"), time.monotonic() + seconds)
        with redirect_stdout(io.StringIO()):
            measure.Sweeping(sweep, bench, lambda: self.kept.append(json.dumps(sweep))).run()
        return sweep

    def chosen(self, *arguments, **options):
        self.result = self.measure(*arguments, **options)
        self.assertEqual(json.loads(self.kept[-1]), self.result)
        return judge.chosen(self.result)["ITEMS"]

    def test_the_fastest_is_chosen_and_all_samples_are_kept(self):
        found = self.chosen({PRESENT: times(1.0), FIRST: times(0.9), SECOND: times(0.8)})
        self.assertEqual(found, 8)
        result = self.result
        self.assertIn("20.0% faster", judge.verdict(result))
        for each in result["combinations"].values():
            self.assertEqual([len(run["samples"]) for [run] in each["runs"]], [3] * judge.ROUNDS)
        self.assertEqual([len(runs) for runs in result["confirmation"]["present"]], [2] * judge.CONFIRMING_ROUNDS)

    def test_a_slower_or_equal_one_is_never_chosen(self):
        self.assertEqual(self.chosen({PRESENT: times(1.0), FIRST: times(1.1), SECOND: times(1.0)}), 2)
        self.assertIn("no combination was faster in each round", judge.verdict(self.result))
        self.assertIsNone(self.result.get("confirmation"))

    def test_a_gain_that_is_too_small_is_not_chosen(self):
        self.assertEqual(self.chosen({PRESENT: times(1.0), FIRST: times(0.993)}), 2)

    def test_one_with_wrong_output_is_never_chosen(self):
        found = self.chosen({PRESENT: times(1.0), FIRST: times(0.5) | {"verify": 3}, SECOND: times(0.9)})
        self.assertEqual(found, 8)
        self.assertEqual(self.result["combinations"][FIRST]["state"], "wrong output")
        self.assertNotIn("runs", self.result["combinations"][FIRST])

    def test_one_that_spills_or_does_not_compile_is_kept_and_not_measured(self):
        states = {FIRST: {"state": "spills", "why": "by 8"}, SECOND: {"state": "does not compile", "why": "error"}}
        self.assertEqual(self.chosen({PRESENT: times(1.0), FIRST: times(0.5), SECOND: times(0.5)}, states), 2)
        self.assertEqual(self.result["combinations"][FIRST]["why"], "by 8")

    def test_one_that_is_faster_in_one_round_only_is_not_chosen(self):
        self.assertEqual(self.chosen({PRESENT: times(1.0), FIRST: times([0.5, 1.1])}), 2)

    def test_one_that_is_not_confirmed_is_not_chosen(self):
        self.assertEqual(self.chosen({PRESENT: times(1.0), FIRST: times([0.8, 0.8, 0.8, 1.0, 0.8])}), 2)
        self.assertIn("not faster in a second measurement", judge.verdict(self.result))

    def test_one_that_makes_another_stage_slower_is_not_chosen(self):
        self.assertEqual(self.chosen({PRESENT: times(1.0), FIRST: times(0.8, guard=1.05)}), 2)
        self.assertIn("makes kernel of sort --variant stable slower", judge.verdict(self.result))

    def test_intervals_of_a_lower_level_prove_nothing(self):
        found = self.chosen({PRESENT: times(1.0), FIRST: times(0.5)}, metrics=";interval_level=0.75")
        self.assertEqual(found, 2)

    def test_without_time_the_present_values_stay(self):
        self.assertEqual(self.chosen({PRESENT: times(1.0), FIRST: times(0.5)}, seconds=0), 2)

    def test_a_winner_that_was_not_measured_again_is_not_chosen(self):
        self.chosen({PRESENT: times(1.0), FIRST: times(0.8)})
        del self.result["confirmation"]
        self.assertEqual(judge.chosen(self.result), {"ITEMS": 2})
        self.assertIn("did not end", judge.verdict(self.result))

    def test_a_second_measurement_that_ended_early_confirms_nothing(self):
        self.chosen({PRESENT: times(1.0), FIRST: times(0.8)})
        self.result["confirmation"]["runs"].pop()
        self.assertEqual(judge.chosen(self.result), {"ITEMS": 2})
        self.assertIn("did not end", judge.verdict(self.result))

    def test_without_a_gpu_it_ends_with_the_code_of_bench(self):
        with self.assertRaisesRegex(measure.MeasureError, "exit 5") as raised:
            self.measure({PRESENT: times(1.0) | {"verify": 5}, FIRST: times(1.0)})
        self.assertEqual(raised.exception.code, 5)

    def test_present_values_with_wrong_output_end_the_sweep(self):
        with self.assertRaisesRegex(measure.MeasureError, "present values ITEMS=2: wrong output"):
            self.measure({PRESENT: times(1.0) | {"verify": 3}, FIRST: times(0.5)})

    def test_a_stage_that_does_not_exist_is_named(self):
        with self.assertRaisesRegex(measure.MeasureError, "0 stages sort_tiles of fast"):
            self.measure({PRESENT: {"stages": {}}})


class CommandLine(unittest.TestCase):
    """The program as tune.sh starts it, with a script that stands for `bench`."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.images = self.folder / "sts-sort"
        (self.images / PRESENT).mkdir(parents=True)
        (self.images / PRESENT / "sts-sort.fatbin").touch()
        combinations = {PRESENT: {"values": {"ITEMS": 2}, "state": "compiled"}}
        sweep = {"kernel": "sts-sort", "present": PRESENT, "verify": [], "points": POINTS, "combinations": combinations}
        (self.images / "sweep.json").write_text(json.dumps(sweep))

    def start(self, kernel, script):
        bench = self.folder / "bench"
        if script:
            bench.write_text(f"#!/bin/sh\n{script}\n")
            bench.chmod(0o755)
        program = Path(measure.__file__)
        command = [sys.executable, program, kernel, "--images", self.folder, "--bench", bench]
        return subprocess.run(command, capture_output=True, text=True)

    def test_images_and_the_program_must_be_there(self):
        done = self.start("sts-sort", None)
        self.assertEqual((done.returncode, "name the program by BENCH=FILE" in done.stderr), (1, True))
        done = self.start("other", "exit 0")
        self.assertEqual((done.returncode, "--compile first" in done.stderr), (2, True))

    def test_a_combination_without_images_is_not_taken_for_a_right_one(self):
        (self.images / PRESENT / "sts-sort.fatbin").unlink()
        done = self.start("sts-sort", "exit 0")
        self.assertEqual((done.returncode, f"{PRESENT}: no images" in done.stderr), (2, True))

    def test_bench_gets_the_images_of_the_combination(self):
        done = self.start("sts-sort", 'echo "$RECOBENCH_KERNELS $*" >&2; exit 5')
        self.assertEqual(done.returncode, 5)
        self.assertIn(f"{self.images}/{PRESENT} verify sort --variant fast --device cuda:0 --quiet", done.stderr)


if __name__ == "__main__":
    unittest.main()
