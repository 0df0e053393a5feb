"""Frames of polars or pandas, built from columns with types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from ._error import Error

if TYPE_CHECKING:
    import pandas
    import polars

FrameLibrary = Literal["polars", "pandas"]
FrameT = TypeVar("FrameT")


@dataclass(frozen=True)
class Column:
    """A column as the binary exports it."""

    kind: str
    """`text`, `boolean`, `integer`, `number` or `time`."""
    unit: str | None
    """Empty without a unit; None if it is unknown."""
    values: Sequence[Any]
    """A value for each row; None where it is unknown."""


Columns = Mapping[str, Column]


def library(requested: FrameLibrary | None) -> FrameLibrary:
    """The library to build frames with: the requested one, or the first that is installed.

    Raises:
        Error: If it is not installed.
    """
    known: tuple[FrameLibrary, ...] = ("polars", "pandas")
    if requested is not None and requested not in known:
        raise Error(f"frames={requested!r} is not a library of frames: use 'polars' or 'pandas'")
    for name in known if requested is None else (requested,):
        if find_spec(name) is not None:
            return name
    missing = requested or "neither polars nor pandas"
    extra = requested or "polars"
    verb = "is not" if requested else "is"
    raise Error(f"{missing} {verb} installed: pip install {extra}")


def units(columns: Columns) -> dict[str, str]:
    """Units of the columns that have one."""
    return {name: column.unit for name, column in columns.items() if column.unit}


def frame(columns: Columns, name: FrameLibrary) -> Any:
    """A frame of the library; one of pandas has the units in `attrs["units"]`."""
    return _polars_frame(columns) if name == "polars" else _pandas_frame(columns)


def _polars_frame(columns: Columns) -> polars.DataFrame:
    import polars as pl

    kinds: dict[str, Any] = {
        "text": pl.String(),
        "boolean": pl.Boolean(),
        "integer": pl.Int64(),
        "number": pl.Float64(),
        "time": pl.Datetime("us", "UTC"),
    }
    series = [pl.Series(name, _values(it), kinds[it.kind]) for name, it in columns.items()]
    return pl.DataFrame(series)


def _pandas_frame(columns: Columns) -> pandas.DataFrame:
    import pandas as pd

    kinds: dict[str, Any] = {
        "text": "string",
        "boolean": "boolean",
        "integer": "Int64",
        "number": "float64",
        "time": "datetime64[us, UTC]",
    }
    series = {
        name: pd.Series(_values(it), dtype=kinds[it.kind]) for name, it in columns.items()
    }
    built: pandas.DataFrame = pd.DataFrame(series)
    built.attrs["units"] = units(columns)
    return built


def _values(column: Column) -> list[Any]:
    return [_time(text) for text in column.values] if column.kind == "time" else [*column.values]


@cache
def _time(text: str | None) -> datetime | None:
    """A time in UTC; None if it is not valid."""
    try:
        return datetime.fromisoformat((text or "").replace("Z", "+00:00"))
    except ValueError:
        return None
