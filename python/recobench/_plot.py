"""Charts of runs."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ._error import Error
from ._load import Run, load

_MIME_TYPES = {".svg": "image/svg+xml", ".png": "image/png"}
_MAX_BARS = 60


@dataclass(frozen=True)
class Chart:
    """A picture, which a notebook shows."""

    name: str
    """The name without a file extension, such as `bars`."""
    extension: str
    """The format: `.svg` or `.png`."""
    content: bytes = field(repr=False)
    """The bytes of the file."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the picture to a file, in its own format."""
        Path(path).write_bytes(self.content)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str | bytes]:
        is_text = self.extension == ".svg"
        data = self.content.decode("utf-8") if is_text else self.content
        return {_MIME_TYPES[self.extension]: data}


def plot(
    run: Run[Any] | str | os.PathLike[str],
    chart: str = "bars",
    *,
    where: Mapping[str, object] | None = None,
) -> Chart:
    """A chart of a run, to be shown in a notebook or saved.

    Args:
        run: A loaded run or its folder.
        chart: A chart that `bench` drew into the folder, such as `bars`, `memory` or
            `speedup-over-threads`. Where `bars` is not there, it is drawn by matplotlib.
        where: Values of columns of `summary`, to draw bars of these points by matplotlib:
            `{"axis_segments": 24, "threads": 2}`.

    Raises:
        Error: If there is no such chart; the message names those that there are.
    """
    loaded = run if isinstance(run, Run) else load(run)
    if where is None:
        for extension in _MIME_TYPES:
            path = loaded.path / (chart + extension)
            if path.is_file():
                return Chart(chart, extension, path.read_bytes())
    if chart == "bars":
        return _bars(loaded, where or {})
    drawn = sorted({it.stem for it in loaded.path.iterdir() if it.suffix in _MIME_TYPES})
    raise Error(f"{loaded.path} has no chart {chart}; it has: {', '.join(drawn) or 'none'}")


def _bars(run: Run[Any], where: Mapping[str, object]) -> Chart:
    """Medians with their intervals, the fastest first."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise Error(
            f"{run.path} has no chart bars, and matplotlib, which would draw it, is not installed: "
            "pip install matplotlib"
        ) from None
    rows = _measured(run, where)
    names = _names(rows)
    seconds = [row["median_s"] for row in rows]
    lower = [row["median_s"] - (row["ci95_low_s"] or row["median_s"]) for row in rows]
    upper = [(row["ci95_high_s"] or row["median_s"]) - row["median_s"] for row in rows]
    figure = Figure(figsize=(8, 1 + 0.3 * len(rows)), layout="constrained")
    axes = figure.add_subplot()
    axes.barh(range(len(rows)), seconds, xerr=(lower, upper), capsize=3)
    axes.set_yticks(range(len(rows)), names)
    axes.invert_yaxis()
    axes.set_xlabel(f"median with its interval / {run.units['median_s']}")
    file = io.BytesIO()
    figure.savefig(file, format="svg")
    return Chart("bars", ".svg", file.getvalue())


def _measured(run: Run[Any], where: Mapping[str, object]) -> list[dict[str, Any]]:
    """The whole of each valid point, the fastest first."""
    unknown = [name for name in where if name not in run.columns]
    if unknown:
        raise Error(f"{run.path} has no column {', '.join(unknown)}: see run.summary.columns")
    columns = {name: column.values for name, column in run.columns.items()}
    rows = [dict(zip(columns, values)) for values in zip(*columns.values())]
    wanted = {"stage": "total", "valid": True, **where}
    rows = [row for row in rows if all(row[name] == value for name, value in wanted.items())]
    rows = sorted((row for row in rows if row["median_s"]), key=lambda row: row["median_s"])
    if not rows:
        raise Error(f"{run.path} has no valid points to draw, or none with these values")
    if len(rows) > _MAX_BARS:
        raise Error(
            f"{run.path} has {len(rows)} points, more than fit on a chart ({_MAX_BARS}): choose "
            'some with where={"COLUMN": VALUE}'
        )
    return rows


def _names(rows: list[dict[str, Any]]) -> list[str]:
    """The variant of each row, with what differs among rows: `std-stable, 2 threads`."""
    axes = [name for name in rows[0] if name.startswith("axis_")]
    varying = [
        name
        for name in ("run", "device", "threads", "cache", *axes)
        if len({row[name] for row in rows}) > 1
    ]

    def shown(row: dict[str, Any], name: str) -> str:
        return f"{name.removeprefix('axis_')} {row[name]}"

    return [", ".join([row["variant"], *(shown(row, name) for name in varying)]) for row in rows]
