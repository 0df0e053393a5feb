"""Runs and stores as frames, with units, and what is refused."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import recobench
from recobench import _frames
from recobench._binary import usable_binary

from .conftest import KEPT_RUNS, ROOT


def _schema_units() -> dict[str, str]:
    schema = json.loads((ROOT / "docs/schema/rows.schema.json").read_text())
    columns = schema["$defs"]["SummaryRow"]["properties"]
    return {name: column["unit"] for name, column in columns.items() if "unit" in column}


def test_a_kept_run_has_its_rows_in_polars() -> None:
    run = recobench.load(KEPT_RUNS / "tpc-cpu", frames="polars")
    assert isinstance(run.summary, pl.DataFrame)
    with (KEPT_RUNS / "tpc-cpu/summary.csv").open() as file:
        lines = pl.read_csv(file.read().encode(), infer_schema=False)
    assert run.summary.height == lines.height
    assert run.summary["median_s"].drop_nulls().to_list() == [
        float(it) for it in lines["median_s"].drop_nulls()
    ]
    assert run.summary.schema["valid"] == pl.Boolean()
    assert run.summary.schema["axis_sectors"] == pl.Int64()
    assert run.summary.schema["started"] == pl.Datetime("us", "UTC")
    assert run.run["machine"]["cpu_model"] == "AMD EPYC"


def test_frames_of_both_libraries_agree() -> None:
    in_polars = recobench.load(KEPT_RUNS / "sort-cpu", frames="polars")
    in_pandas = recobench.load(KEPT_RUNS / "sort-cpu", frames="pandas")
    for table in ("summary", "samples"):
        expected: pl.DataFrame = getattr(in_polars, table)
        frame: pd.DataFrame = getattr(in_pandas, table)
        assert isinstance(frame, pd.DataFrame)
        assert [*frame.columns] == expected.columns
        for name in expected.columns:
            values = [None if pd.isna(it) else it for it in frame[name]]
            assert values == expected[name].to_list(), name
    assert in_pandas.summary.attrs["units"] == in_pandas.units
    assert in_pandas.samples.attrs["units"] == in_pandas.sample_units


def test_samples_join_their_points() -> None:
    run = recobench.load(KEPT_RUNS / "sort-cpu", frames="polars")
    samples = run.samples.filter(pl.col("stage") == "total")
    medians = samples.group_by("run", "point_id").agg(pl.col("seconds").median())
    points = run.summary.filter(pl.col("stage") == "total", pl.col("median_s").is_not_null())
    joined = points.join(medians, on=["run", "point_id"], how="left")
    assert joined.height > 0
    assert (joined["seconds"] - joined["median_s"]).abs().max() == pytest.approx(0, abs=1e-12)


def test_units_are_those_of_the_schema_and_of_the_run() -> None:
    run = recobench.load(KEPT_RUNS / "sycl-idioms")
    fixed = {name: unit for name, unit in run.units.items() if name in _schema_units()}
    assert fixed == _schema_units()
    declared = run.run["metrics"]
    assert declared["ns_per_message"]["unit"] == run.units["metric_ns_per_message"] == "ns"
    assert "variant" not in run.units
    assert run.sample_units["seconds"] == "s"


def test_a_run_prints_what_it_is() -> None:
    text = str(recobench.load(KEPT_RUNS / "sort-cpu"))
    assert "1 run, 120 rows of sort" in text
    assert "2026-11-24T04:40:49Z, AMD EPYC: bench sort" in text


def test_a_store_is_all_its_runs(tmp_path: Path) -> None:
    store = tmp_path / "store"
    runs = [str(KEPT_RUNS / name) for name in ("sort-cpu", "tpc-cpu")]
    command = [str(usable_binary()), "history", "add", "--store", str(store), *runs]
    subprocess.run(command, check=True, capture_output=True)
    loaded = recobench.load(store, frames="polars")
    ids = {folder.name for folder in (store / "runs").iterdir()}
    assert set(loaded.runs) == set(loaded.summary["run"]) == ids
    assert loaded.samples["run"].n_unique() == 2
    with pytest.raises(recobench.Error, match="store of 2 runs"):
        loaded.run


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("docs/results/sort-cpu/summary.csv", "is a file: give the folder of the run"),
        ("docs/results/none", "does not exist: give the folder of a run"),
        ("docs", "run.json does not exist"),
        ("docs/results/throughput-cpu", "streams of events"),
    ],
)
def test_what_is_no_run_says_what_to_give(path: str, message: str) -> None:
    with pytest.raises(recobench.Error, match=message):
        recobench.load(ROOT / path)


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of a kept run."""
    folder = tmp_path / "run"
    shutil.copytree(KEPT_RUNS / "tpc-cpu", folder)
    return folder


def _damage(file: Path, line: int, old: str, new: str) -> None:
    lines = file.read_text().split("\n")
    assert old in lines[line]
    lines[line] = lines[line].replace(old, new, 1)
    file.write_text("\n".join(lines))


def test_damage_names_file_and_line(copied: Path) -> None:
    _damage(copied / "summary.csv", 2, ",10,", ",ten,")
    with pytest.raises(recobench.Error, match=r"summary\.csv.*line 3") as caught:
        recobench.load(copied)
    assert caught.value.exit_code == 1


def test_damaged_samples_are_found_when_they_are_read(copied: Path) -> None:
    samples = copied / "samples.csv"
    samples.write_text(samples.read_text()[:-20])
    run = recobench.load(copied)
    with pytest.raises(recobench.Error, match=r"samples\.csv"):
        run.samples


def test_a_damaged_record_is_refused(copied: Path) -> None:
    record = copied / "run.json"
    record.write_text(record.read_text()[:200])
    with pytest.raises(recobench.Error, match=r"run\.json"):
        recobench.load(copied)


def test_a_library_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    installed = {"pandas"}
    monkeypatch.setattr(_frames, "find_spec", lambda name: name if name in installed else None)
    assert _frames.library(None) == "pandas"
    with pytest.raises(recobench.Error, match="polars is not installed: pip install polars"):
        recobench.load(KEPT_RUNS / "tpc-cpu", frames="polars")
    installed.clear()
    with pytest.raises(recobench.Error, match="neither polars nor pandas is installed"):
        recobench.load(KEPT_RUNS / "tpc-cpu")


def test_other_libraries_are_unknown() -> None:
    wrong: Any = "arrow"
    with pytest.raises(recobench.Error, match="'polars' or 'pandas'"):
        recobench.load(KEPT_RUNS / "tpc-cpu", frames=wrong)
