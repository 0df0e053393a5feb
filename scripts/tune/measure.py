"""Verifies and measures all combinations of a sweep with a GPU.

    measure.py KERNEL --images FOLDER --bench FILE [--device cuda:0] [--out FOLDER] [--budget SECONDS]

Needs bench and what combinations.py left in FOLDER/KERNEL, no compiler. Each combination is verified, and
measured once in each of two rounds; rounds run in opposite orders. The fastest combination is measured
once more, alternating with the present values. KERNEL.json in the output folder has all samples.
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import judge

# Of a run, stages are measured in the first two samples and in one of five later ones.
SAMPLES = 102
# Checks can share a GPU, runs that are measured can't.
VERIFIED_AT_ONCE = 4
# A kernel that hangs must not take the time of all others.
MAX_SECONDS = 120
WRONG_OUTPUT, NOTHING_MEASURED = 3, 5


class MeasureError(Exception):
    """What ends the whole sweep, with the exit code."""

    def __init__(self, message, code=1):
        super().__init__(message)
        self.code = code


class Failed(Exception):
    """What ends a combination: its state and why."""

    def __init__(self, state, why):
        super().__init__(why)
        self.state = state


class Bench:
    """Runs bench with the images of a combination."""

    def __init__(self, program, device, images, deadline):
        self.program, self.device, self.images, self.deadline = program, device, images, deadline
        self.facts = None

    def start(self, combination, arguments):
        """Runs bench; `Failed` unless it succeeds."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        command = [str(self.program), *map(str, arguments), "--device", self.device, "--quiet"]
        try:
            done = self.run(command, combination, min(left, MAX_SECONDS))
        except subprocess.TimeoutExpired as error:
            if left <= MAX_SECONDS:
                raise TimeoutError from error
            raise Failed("failed", f"not done after {MAX_SECONDS} s: {' '.join(command[1:])}") from error
        except OSError as error:
            raise MeasureError(f"{self.program}: {error.strerror}; name the program by BENCH=FILE") from error
        message = (done.stderr.strip() or done.stdout.strip())[-1000:]
        if done.returncode == NOTHING_MEASURED:
            raise MeasureError(message, NOTHING_MEASURED)
        if done.returncode == WRONG_OUTPUT:
            raise Failed("wrong output", message)
        if done.returncode != 0:
            raise Failed("failed", message)

    def run(self, command, combination, seconds):
        environment = os.environ | {"RECOBENCH_KERNELS": str(self.images / combination)}
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=seconds)

    def verify(self, combination, points, arguments):
        for task, variant in sorted({(point["task"], point["variant"]) for point in points}):
            self.start(combination, ["verify", task, "--variant", variant, *arguments])

    def measure(self, combination, point):
        """Median, interval and samples of a stage."""
        with tempfile.TemporaryDirectory() as folder:
            arguments = [point["task"], "--variant", point["variant"], *point["arguments"]]
            limits = ["--samples", f"{SAMPLES}..{SAMPLES}", "--max-time", "10s"]
            output = ["--no-charts", "--no-save", "--out", folder]
            self.start(combination, [*arguments, *limits, *output])
            if self.facts is None:
                self.facts = read_facts(Path(folder) / "run.json")
            return read_stage(Path(folder), point)


def read_facts(path):
    """Machine, software and time of a run."""
    run = json.loads(path.read_text())
    gpus = run["machine"].get("gpus") or []
    return {
        "gpus": [f"{gpu['model']}, driver {gpu['driver']}" for gpu in gpus],
        "cpu": run["machine"]["cpu_model"],
        "git_commit": run["software"]["git_commit"],
        "started": run["started"],
    }


def read_stage(folder, point):
    stage, variant = point["stage"], point["variant"]
    rows = [row for row in read_csv(folder / "summary.csv") if (row["variant"], row["stage"]) == (variant, stage)]
    if len(rows) != 1:
        raise MeasureError(f"{point['task']} has {len(rows)} stages {stage} of {variant}: correct the declaration")
    row = rows[0]
    if row["valid"] != "yes" or not row["median_s"]:
        raise Failed("wrong output" if row["valid"] == "no" else "failed", row["note"])
    samples = read_csv(folder / "samples.csv")
    own = [float(each["seconds"]) for each in samples if (each["variant"], each["stage"]) == (variant, stage)]
    metrics = dict(entry.split("=", 1) for entry in row["metrics"].split(";") if "=" in entry)
    return {
        "median": float(row["median_s"]),
        "low": float(row["ci95_low_s"]),
        "high": float(row["ci95_high_s"]),
        # Few samples have an interval of a lower level, which is noted only then.
        "level": float(metrics.get("interval_level", judge.LEVEL)),
        "samples": own,
        "registers": int(metrics.get("registers", 0)),
    }


def read_csv(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


class Sweeping:
    """A sweep while it is measured; `keep` writes what there is so far."""

    def __init__(self, sweep, bench, keep):
        self.sweep, self.bench, self.keep = sweep, bench, keep
        self.combinations = sweep["combinations"]

    def run(self):
        try:
            self.verify()
            for round_number in range(judge.ROUNDS):
                self.measure_round(reverse=round_number % 2 == 1)
            self.confirm()
        except TimeoutError:
            print("the time ran out: the present values stay unless a winner was confirmed")
        self.keep()

    def right(self):
        return [name for name, each in self.combinations.items() if each["state"] in ("compiled", "right")]

    def fail(self, name, failed):
        if name == self.sweep["present"]:
            raise MeasureError(f"{self.sweep['kernel']} with its present values {name}: {failed.state}: {failed}")
        self.combinations[name] |= {"state": failed.state, "why": str(failed)}
        print(f"{name}: {failed.state}")

    def verify(self):
        def verified(name):
            try:
                self.bench.verify(name, self.sweep["points"], self.sweep["verify"])
            except Failed as failed:
                return failed
            return None

        names = self.right()
        # The present values first: without a GPU, nothing else is started.
        first = verified(names[0])
        with ThreadPoolExecutor(VERIFIED_AT_ONCE) as pool:
            outcomes = [first, *pool.map(verified, names[1:])]
        for name, failed in zip(names, outcomes):
            if failed:
                self.fail(name, failed)
            else:
                self.combinations[name]["state"] = "right"
        self.keep()

    def measure_round(self, reverse):
        names = self.right()
        for name in reversed(names) if reverse else names:
            try:
                run = self.bench.measure(name, self.sweep["points"][0])
            except Failed as failed:
                self.fail(name, failed)
                continue
            self.combinations[name].setdefault("runs", []).append([run])
            print(f"{name}: {judge.interval(run)} ms", flush=True)
            self.keep()

    def confirm(self):
        winner = judge.winner(self.sweep)
        if not winner:
            return
        confirmation = {"winner": winner, "runs": [], "present": []}
        self.sweep["confirmation"] = confirmation
        for round_number in range(judge.CONFIRMING_ROUNDS):
            sides = [("runs", winner), ("present", self.sweep["present"])]
            for side, name in sides if round_number % 2 == 0 else sides[::-1]:
                try:
                    points = self.sweep["points"]
                    confirmation[side].append([self.bench.measure(name, point) for point in points])
                except Failed as failed:
                    self.fail(name, failed)
                    return
                self.keep()


def stage_name(point):
    """The stage and the run that measures it, as text."""
    return " ".join([point["stage"], "of", point["task"], "--variant", point["variant"], *point["arguments"]])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("kernel")
    parser.add_argument("--images", type=Path, required=True)
    parser.add_argument("--bench", type=Path, required=True)
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--budget", type=float, default=600)
    options = parser.parse_args()
    folder = options.images.absolute() / options.kernel
    if not (folder / "sweep.json").is_file():
        raise MeasureError(f"{folder}: no sweep.json; run scripts/tune.sh {options.kernel} --compile first", 2)
    sweep = json.loads((folder / "sweep.json").read_text())
    for name, each in sweep["combinations"].items():
        # Without an image bench takes its own, and the combination would seem to be right.
        if each["state"] == "compiled" and not any((folder / name).glob("*.fatbin")):
            raise MeasureError(f"{folder / name}: no images; run scripts/tune.sh {options.kernel} --compile again", 2)
    sweep["stages"] = [stage_name(point) for point in sweep["points"]]
    bench = Bench(options.bench, options.device, folder, time.monotonic() + options.budget)
    out = options.out or folder
    out.mkdir(parents=True, exist_ok=True)

    def keep():
        sweep["measured"] = bench.facts
        fresh = out / f".{options.kernel}.json"
        fresh.write_text(json.dumps(sweep, indent=1) + "\n")
        fresh.replace(out / f"{options.kernel}.json")

    Sweeping(sweep, bench, keep).run()
    print(f"{options.kernel}: {judge.verdict(sweep)}; {out / options.kernel}.json")


if __name__ == "__main__":
    try:
        main()
    except MeasureError as error:
        print(f"tune.sh: {error}", file=sys.stderr)
        sys.exit(error.code)
