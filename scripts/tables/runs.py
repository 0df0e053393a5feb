"""Rows of kept runs: reading them, and selecting some."""

import csv
import functools
import json
from fnmatch import fnmatchcase
from pathlib import Path

RESULTS = Path(__file__).resolve().parents[2] / "docs/results"
Row = dict[str, str]


@functools.cache
def read_rows(path: Path) -> list[Row]:
    """Rows of a file of a kept run; of a summary those whose output was right and that have a time."""
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    return [it for it in rows if it.get("valid", "yes") == "yes" and it.get("median_s", "yes")]


@functools.cache
def read_ceilings(run: str) -> dict:
    """Bandwidths that were measured in the same run, by device."""
    return json.loads((RESULTS / run / "run.json").read_text())["ceilings"]


def field_of(row: Row, name: str) -> str | None:
    """A column, an axis by its short name, or a parameter; None if the row has none of that name."""
    for key in (name, f"axis_{name}", f"axis_{name.replace('-', '_')}"):
        if key in row:
            return row[key]
    for parameter in row.get("params", "").split(";"):
        key, _, value = parameter.partition("=")
        if key.replace("-", "_") == name.replace("-", "_"):
            return value
    return None


def matches(row: Row, filters: dict[str, str]) -> bool:
    """Whether each filter has a pattern that fits: `variant=a|b*`, or `variant!=a` for all others."""
    for name, patterns in filters.items():
        value = field_of(row, name.removesuffix("!"))
        fits = value is not None and any(fnmatchcase(value, it) for it in patterns.split("|"))
        if fits == name.endswith("!"):
            return False
    return True


def select(rows: list[Row], filters: dict[str, str]) -> list[Row]:
    return [it for it in rows if matches(it, filters)]


def differences(rows: list[Row]) -> str:
    """The filters that distinguish rows, with their values."""
    names = ["variant", "device", "threads", "stage"]
    names += [it.removeprefix("axis_") for it in rows[0] if it.startswith("axis_")]
    texts = []
    for name in names:
        values = dict.fromkeys(field_of(it, name) or "" for it in rows)
        if len(values) > 1:
            texts.append(f"{name}={'|'.join(values)}")
    return " ".join(texts) or f"params={rows[0].get('params', '')}"
