"""Runs and stores of runs as frames."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, overload

from ._command import output
from ._error import Error
from ._frames import Column, Columns, FrameLibrary, FrameT, frame, library, units

if TYPE_CHECKING:
    import pandas
    import polars


@dataclass(frozen=True, repr=False)
class Run(Generic[FrameT]):
    """A run, or all runs of a store. Times are in seconds, sizes in bytes: see `units`."""

    path: Path
    """The folder of the run or of the store."""
    runs: Mapping[str, Mapping[str, Any]]
    """The content of run.json of each run, by its id, the oldest run first."""
    frames: FrameLibrary
    """The library of the frames."""
    columns: Columns = field(repr=False)
    """The columns of `summary` with their types and units."""

    @cached_property
    def summary(self) -> FrameT:
        """A row for each point and stage: the columns of summary.csv, with one for each axis
        (`axis_…`) and metric (`metric_…`), after those that identify the run (`run`, `started`).
        """
        built: FrameT = frame(self.columns, self.frames)
        return built

    @cached_property
    def samples(self) -> FrameT:
        """A row for each sample and stage, joined with `summary` by `run` and `point_id`.

        `seconds` is the measured time in seconds. Samples are read at the first access.

        Raises:
            Error: If they are missing or damaged.
        """
        built: FrameT = frame(self._sample_columns, self.frames)
        return built

    @cached_property
    def units(self) -> dict[str, str]:
        """Units of the columns of `summary`, by column: `{"median_s": "s", …}`. Columns without
        a unit, such as texts, counts and ratios, are left out.
        """
        return units(self.columns)

    @cached_property
    def sample_units(self) -> dict[str, str]:
        """Units of the columns of `samples`, as `units` has those of `summary`."""
        return units(self._sample_columns)

    @cached_property
    def _sample_columns(self) -> Columns:
        return exported(self.path, "samples")

    @property
    def run(self) -> Mapping[str, Any]:
        """The content of run.json.

        Raises:
            Error: If there are several runs.
        """
        if len(self.runs) != 1:
            raise Error(f"{self.path} is a store of {len(self.runs)} runs: use .runs[id]")
        return next(iter(self.runs.values()))

    def __repr__(self) -> str:
        shown = [_line(name, run) for name, run in self.runs.items()]
        rows = len(self.columns["run"].values)
        tasks = ", ".join(sorted(set(self.columns["algorithm"].values)))
        head = f"{self.path}: {_counted(len(shown), 'run')}, {_counted(rows, 'row')} of {tasks}"
        return "\n".join([head, *shown])


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _line(name: str, run: Mapping[str, Any]) -> str:
    cpu = run.get("machine", {}).get("cpu_model", "unknown CPU")
    command = " ".join(run.get("command", []))
    unfinished = "" if run.get("finished") else ", unfinished"
    return f"  {name}: {run.get('started', 'unknown start')}, {cpu}{unfinished}: {command}"


@overload
def load(path: str | os.PathLike[str]) -> Run[Any]: ...
@overload
def load(
    path: str | os.PathLike[str], *, frames: Literal["polars"]
) -> Run[polars.DataFrame]: ...
@overload
def load(
    path: str | os.PathLike[str], *, frames: Literal["pandas"]
) -> Run[pandas.DataFrame]: ...
@overload
def load(path: str | os.PathLike[str], *, frames: FrameLibrary | None) -> Run[Any]: ...


def load(path: str | os.PathLike[str], *, frames: FrameLibrary | None = None) -> Run[Any]:
    """Loads a run, or all runs of a store.

    Args:
        path: The folder of a run (with run.json) or of a store (with store.json).
        frames: `"polars"` or `"pandas"`; without it the first of them that is installed.

    Raises:
        Error: If there is no such folder, a file in it is damaged (the message names file and
            line), or the library is not installed.
    """
    library_name = library(frames)
    folder = _folder(Path(path))
    columns = exported(folder, "summary")
    names = dict.fromkeys(columns["run"].values)
    runs = {name: _json(_run_folder(folder, name) / "run.json") for name in names}
    return Run(folder, runs, library_name, columns)


def _is_store(folder: Path) -> bool:
    return (folder / "store.json").is_file()


def _run_folder(folder: Path, name: str) -> Path:
    """The folder of a run by its id: the given one, if it is not a store."""
    return folder / "runs" / name if _is_store(folder) else folder


def _folder(path: Path) -> Path:
    if path.is_file():
        raise Error(f"{path} is a file: give the folder of the run, {path.parent}")
    if not path.is_dir():
        raise Error(
            f"{path} does not exist: give the folder of a run (with run.json) or of a store "
            "(with store.json)"
        )
    return path.absolute()


def _json(path: Path) -> Mapping[str, Any]:
    try:
        content: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Error(f"cannot read {path}: {error}") from error
    return content


def exported(folder: Path, table: str) -> dict[str, Column]:
    """The columns of a table of a run or a store, as `bench export` reads them.

    Raises:
        Error: If something is missing or damaged.
    """
    source = ["--all", "--store", str(folder)] if _is_store(folder) else [str(folder)]
    text, _ = output(["export", *source, "--table", table, "--format", "json"])
    document = json.loads(text)
    return {
        column["name"]: Column(column["type"], column["unit"], column["values"])
        for column in document["columns"]
    }
