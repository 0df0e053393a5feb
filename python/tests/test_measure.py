"""Runs that are measured, compared and drawn."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import recobench
from recobench import _run
from recobench._command import start

from .conftest import KEPT_RUNS, SHORT, TASK


def test_a_run_is_measured_with_progress_and_loaded(tmp_path: Path) -> None:
    lines: list[str] = []
    run = recobench.run(SHORT, out=tmp_path / "run", frames="polars", progress=lines.append)
    assert sorted(run.summary["variant"]) == ["std-stable", "std-unstable"]
    assert run.run["command"][:2] == ["recobench", "sort"]
    assert any(line.startswith("[1/1] digis=50000") for line in lines)


def test_the_folder_is_found_where_none_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    run = recobench.run(SHORT)
    assert run.path.parent == tmp_path / "results"
    assert f"results go to results/{run.path.name}" in capsys.readouterr().err


def test_errors_have_the_message_and_the_exit_code(tmp_path: Path) -> None:
    with pytest.raises(recobench.Error, match="--segments") as caught:
        recobench.run(["sort", "--segmants", "24"], progress=False)
    assert caught.value.exit_code == 2
    with pytest.raises(recobench.Error, match="give out=") as caught:
        recobench.run(["list"], progress=False)


def test_an_interrupt_is_passed_on_and_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[subprocess.Popen[str]] = []

    def recorded(*arguments: Any, **options: Any) -> subprocess.Popen[str]:
        started.append(start(*arguments, **options))
        return started[-1]

    def interrupt(line: str) -> None:
        if line.startswith("[1/1]"):
            raise KeyboardInterrupt

    monkeypatch.setattr(_run, "start", recorded)
    long = [*TASK, "--samples", "1000..1000", "--max-time", "10m"]
    with pytest.raises(KeyboardInterrupt):
        recobench.run(long, out=tmp_path / "run", progress=interrupt)
    assert started[0].returncode == 130
    assert (tmp_path / "run" / "run.json").is_file()


def test_a_notebook_shows_the_last_lines(
    measured: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[str] = []

    class Shell:
        kernel = object()

    class Display:
        @staticmethod
        def get_ipython() -> Shell:
            return Shell()

        @staticmethod
        def display(data: dict[str, str], **_: object) -> type[Display]:
            return Display

        @staticmethod
        def update(data: dict[str, str], **_: object) -> None:
            shown.append(data["text/plain"])

    monkeypatch.setitem(sys.modules, "IPython", Display)
    monkeypatch.setitem(sys.modules, "IPython.display", Display)
    recobench.run(SHORT, out=tmp_path / "run")
    assert shown[0].startswith("results go to")
    assert 1 < shown[-1].count("\n") < 12


def test_two_runs_are_compared(measured: Path, tmp_path: Path) -> None:
    other = recobench.run(SHORT, out=tmp_path / "other", progress=False)
    comparison = recobench.compare(measured, other, frames="polars")
    frame = comparison.frame
    assert sorted(frame["variant"]) == ["std-stable", "std-unstable"]
    expected = pl.col("new_median_s") / pl.col("base_median_s")
    assert frame.select((pl.col("ratio") / expected - 1).abs().max()).item() < 1e-9
    assert set(frame["verdict"]) <= {"SAME", "SLOWER", "FASTER", "INCONCLUSIVE"}
    assert comparison.exit_code in (0, 4, 5)
    assert comparison.meaning in str(comparison)


def _slowed(kept: Path, folder: Path) -> Path:
    """A copy of a run whose times are twice as long."""
    folder.mkdir()
    for name, timed in [("samples.csv", ["seconds"]), ("summary.csv", ["median_s"])]:
        rows = pl.read_csv(kept / name, infer_schema=False)
        longer = [(pl.col(column).cast(pl.Float64) * 2).cast(pl.String) for column in timed]
        rows.with_columns(longer).write_csv(folder / name)
    record = json.loads((kept / "run.json").read_text())
    record["started"] = "2030-01-01T00:00:00Z"
    (folder / "run.json").write_text(json.dumps(record))
    return folder


def test_a_regression_is_a_result(tmp_path: Path) -> None:
    kept = KEPT_RUNS / "sort-cuda-1792"
    comparison = recobench.compare(kept, _slowed(kept, tmp_path / "slower"), frames="polars")
    assert comparison.exit_code == 4
    assert comparison.meaning == "a regression was found"
    slower = comparison.frame.filter(pl.col("verdict") == "SLOWER")
    assert slower.height > 0
    assert slower["ratio"].to_list() == pytest.approx([2.0] * slower.height)


def test_a_run_is_not_compared_with_itself(measured: Path) -> None:
    with pytest.raises(recobench.Error, match="are the same run") as caught:
        recobench.compare(measured, measured)
    assert caught.value.exit_code == 2


def test_charts_are_those_of_the_run(measured: Path, tmp_path: Path) -> None:
    chart = recobench.plot(measured, "memory")
    drawn = (measured / "memory.svg").read_bytes()
    assert chart._repr_mimebundle_() == {"image/svg+xml": drawn.decode()}
    chart.save(tmp_path / "memory.svg")
    assert (tmp_path / "memory.svg").read_bytes() == drawn
    kept = recobench.plot(KEPT_RUNS / "sort-cpu")
    assert kept._repr_mimebundle_()["image/png"] == (KEPT_RUNS / "sort-cpu/bars.png").read_bytes()


def test_bars_are_drawn_of_points_that_are_chosen() -> None:
    run = recobench.load(KEPT_RUNS / "sort-cpu")
    chosen = {"axis_segments": 24, "axis_order": "random", "threads": 2}
    chart = recobench.plot(run, where=chosen)
    text = chart.content.decode()
    assert chart.extension == ".svg"
    assert "<!-- channel-bucket -->" in text
    assert "<!-- concat -->" not in text
    assert "threads" not in text
    assert "random" in recobench.plot(run, where={"axis_segments": 24, "threads": 2}).content.decode()


@pytest.mark.parametrize(
    ("chart", "where", "message"),
    [
        ("none", None, "has no chart none; it has: bars, memory, speedup-over-threads"),
        ("bars", {}, "points, more than fit on a chart"),
        ("bars", {"axis_segment": 24}, "has no column axis_segment"),
        ("bars", {"threads": 99}, "no valid points"),
    ],
)
def test_what_cannot_be_drawn_is_named(
    chart: str, where: dict[str, object] | None, message: str
) -> None:
    with pytest.raises(recobench.Error, match=message):
        recobench.plot(KEPT_RUNS / "sort-cpu", chart, where=where)
