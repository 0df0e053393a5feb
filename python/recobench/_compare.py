"""Comparisons of two runs, judged by the binary."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, Literal, overload

from ._command import EXIT_CODES, output
from ._frames import Column, FrameLibrary, FrameT, frame, library
from ._load import Run

if TYPE_CHECKING:
    import pandas
    import polars

RunOrPath = Run[Any] | str | os.PathLike[str]

# A regression, and points that could not be judged, are results.
_JUDGED = (0, 4, 5)


@dataclass(frozen=True, repr=False)
class Comparison(Generic[FrameT]):
    """The verdicts on a new run."""

    exit_code: int
    """0: no regression; 4: a regression; 5: not everything could be judged."""
    document: Mapping[str, Any]
    """All that `bench compare` writes as JSON, such as `notes` and points of one run only."""
    frames: FrameLibrary
    """The library of the frame."""
    units: Mapping[str, str] = field(
        default_factory=lambda: {"base_median_s": "s", "new_median_s": "s"}
    )
    """Units of the columns that have one."""

    @cached_property
    def frame(self) -> FrameT:
        """A row for each point and stage of both runs, with `verdict`, `ratio` (new median over
        that of the base), its 95 % interval `ratio_low` to `ratio_high`, and both medians in
        seconds.
        """
        points = [_flat(point) for point in self.document["points"]]
        columns = {
            name: Column(kind, self.units.get(name, ""), [point[name] for point in points])
            for name, kind in _KINDS.items()
        }
        built: FrameT = frame(columns, self.frames)
        return built

    @property
    def meaning(self) -> str:
        """The meaning of the exit code."""
        return "no regression was found" if self.exit_code == 0 else EXIT_CODES[self.exit_code]

    def __repr__(self) -> str:
        verdicts = [point["verdict"] for point in self.document["points"]]
        counts = ", ".join(f"{verdicts.count(it)} {it}" for it in sorted(set(verdicts)))
        base = self.document["base"]["folder"]
        new = self.document["new"]["folder"]
        return f"{new} against {base}: {self.meaning} ({counts or 'no common points'})"


_KEY = {
    "point_id": "text",
    "algorithm": "text",
    "variant": "text",
    "stage": "text",
    "device": "text",
    "threads": "integer",
    "params": "text",
}
_POINT = {"verdict": "text", "ratio": "number", "p_value": "number", "code": "text"}
_REMARKS = {"reason": "text", "hint": "text", "next": "text"}
_KINDS = {
    **_KEY,
    **_POINT,
    "ratio_low": "number",
    "ratio_high": "number",
    "base_median_s": "number",
    "new_median_s": "number",
    "base_samples": "integer",
    "new_samples": "integer",
    **_REMARKS,
}


def _flat(point: Mapping[str, Any]) -> dict[str, Any]:
    interval = point.get("interval") or {"low": None, "high": None}
    row = {name: point["key"][name] for name in _KEY}
    # What does not apply to a point is left out.
    row |= {name: point.get(name) for name in (*_POINT, *_REMARKS)}
    row |= {f"ratio_{end}": interval[end] for end in ("low", "high")}
    for side in ("base", "new"):
        row |= {f"{side}_{name}": point[side].get(name) for name in ("median_s", "samples")}
    return row


@overload
def compare(
    base: RunOrPath, new: RunOrPath, *, arguments: Sequence[str] = ...
) -> Comparison[Any]: ...
@overload
def compare(
    base: RunOrPath,
    new: RunOrPath,
    *,
    arguments: Sequence[str] = ...,
    frames: Literal["polars"],
) -> Comparison[polars.DataFrame]: ...
@overload
def compare(
    base: RunOrPath,
    new: RunOrPath,
    *,
    arguments: Sequence[str] = ...,
    frames: Literal["pandas"],
) -> Comparison[pandas.DataFrame]: ...
@overload
def compare(
    base: RunOrPath,
    new: RunOrPath,
    *,
    arguments: Sequence[str] = ...,
    frames: FrameLibrary | None,
) -> Comparison[Any]: ...


def compare(
    base: RunOrPath,
    new: RunOrPath,
    *,
    arguments: Sequence[str] = (),
    frames: FrameLibrary | None = None,
) -> Comparison[Any]:
    """Judges a new run against a base, as `bench compare` does.

    Args:
        base: The base: a loaded run or its folder.
        new: The run that is judged.
        arguments: Further flags: `["--min-effect", "2%"]`.
        frames: As for `load`.

    Raises:
        Error: If the runs can't be compared.
    """
    library_name = library(frames)
    folders = [os.fspath(it.path if isinstance(it, Run) else it) for it in (base, new)]
    absolute = [os.path.abspath(folder) for folder in folders]
    text, exit_code = output(["compare", *absolute, *arguments, "--format", "json"], _JUDGED)
    return Comparison(exit_code, json.loads(text), library_name)
