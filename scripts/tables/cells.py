"""Cells of a table: which rows of a run they are of, and what is written of these."""

from dataclasses import dataclass

from figures import Estimate, number, written
from runs import RESULTS, Row, differences, read_rows, select
from spec import OPTIONS, Table

TIMES = {"s": 1.0, "ms": 1e3, "µs": 1e6, "ns": 1e9}
RATES = {"k/s": 1e-3, "M/s": 1e-6, "G/s": 1e-9, "GB/s": 1e-9, "TB/s": 1e-12}
COUNTS = {"M": 1e-6}
FASTEST = "fastest"
NEEDED = {"share": "peak_fraction", "bandwidth": "bytes_per_s"}
NO_KERNELS = {"h2d", "d2h", "memset", "host", "survey"}


@dataclass(frozen=True)
class Cell:
    """The rows of a run that a cell is of, and its words."""

    table: Table
    words: dict[str, str]

    def option(self, name: str, otherwise: str = "") -> str:
        return self.words.get(name) or otherwise

    def rows(self, more: dict[str, str] | None = None) -> list[Row]:
        words = self.words | (more or {})
        filters = {key: value for key, value in words.items() if key not in OPTIONS and key[0] != "$"}
        if "run" not in words:
            raise self.table.error("no run=; name a folder of docs/results")
        path = RESULTS / words["run"] / words.get("file", "summary.csv")
        if not path.is_file():
            raise self.table.error(f"{path.relative_to(RESULTS.parents[1])} does not exist; correct run= or file=")
        rows = read_rows(path)
        if "stage" in rows[0]:
            filters.setdefault("stage", "total")
        else:
            filters.pop("stage", None)
        return select(rows, filters)


def one_of(rows: list[Row], cell: Cell) -> Row:
    """The only row, or the fastest one of several where the cell allows more."""
    if len(rows) > 1 and "|" not in cell.option("variant"):
        raise cell.table.error(f"{len(rows)} rows match a cell; choose by {differences(rows)}")
    return min(rows, key=lambda it: float(it.get("median_s") or 0))


def rows_of_stages(cell: Cell, more: dict[str, str] | None = None) -> list[Row]:
    """A row for each of the stages with `+` in between that there are; their times are summed."""
    words = cell.words | (more or {})
    if "kernels" in words:
        return kernels_of(Cell(cell.table, words))
    found = [cell.rows((more or {}) | {"stage": it}) for it in words.get("stage", "total").split("+")]
    return [one_of(it, Cell(cell.table, words)) for it in found if it]


def kernels_of(cell: Cell) -> list[Row]:
    """The rows of the kernels of some stages, such as `presort/presort_scatter`."""
    found = []
    for stage in cell.option("kernels").split("+"):
        found += [it for it in cell.rows({"stage": f"{stage}/*"}) if it["stage"].split("/")[-1] not in NO_KERNELS]
    if len({it["variant"] for it in found}) > 1 or len({it["stage"] for it in found}) < len(found):
        raise cell.table.error(f"kernels of several variants or inputs match a cell; choose by {differences(found)}")
    return found


def time_of(rows: list[Row]) -> Estimate:
    total = Estimate(0.0, 0.0, 0.0)
    for row in rows:
        ends = [float(row[it]) if row.get(it) else None for it in ("ci95_low_s", "ci95_high_s")]
        total = total.plus(Estimate(float(row["median_s"]), *ends))
    return total


def reference_of(cell: Cell, rows: list[Row]) -> Estimate:
    """What a ratio is over: `floor`, a time such as `0.735ms`, or the time of other rows of the same run."""
    over = cell.option("over")
    if over == "floor":
        return Estimate.exact(amount_of(cell, rows, "peak_fraction"))
    for unit in sorted(TIMES, key=len, reverse=True):
        text = over.removesuffix(unit)
        if text != over and text.replace(".", "", 1).isdigit():
            return Estimate.exact(float(text) / TIMES[unit])
    more = dict(it.partition("=")[::2] for it in over.split(",")) if over else {}
    others = rows_of_stages(cell, more) if more else []
    if not others:
        raise cell.table.error(f"over={over}: no rows; write floor, a time such as 0.735ms, or filters such as variant=naive")
    return time_of(others)


def amount_of(cell: Cell, rows: list[Row], column: str) -> float:
    """Bytes of a run from a rate, such as its share of the copy bandwidth in seconds: those of the stage `bytes-of=`."""
    stage = cell.option("bytes-of")
    row = one_of(cell.rows({"stage": stage}), cell) if stage else rows[0]
    if not row.get(column):
        raise cell.table.error(f"stage {row['stage']} has no {column}; name one that has by bytes-of=")
    return float(row[column]) * float(row["median_s"])


def time_scale(cell: Cell, row: Row) -> float:
    """From seconds to the cell's unit, such as `ms` or `ns/item`."""
    unit, slash, item = cell.option("unit", "ms").partition("/")
    if unit not in TIMES or slash and item != "item":
        raise cell.table.error(f"unit={unit}{slash}{item}: write one of {', '.join(TIMES)}, or ns/item")
    return TIMES[unit] / (float(row["items"]) if slash else 1)


def quantity(cell: Cell, rows: list[Row], value: str) -> tuple[Estimate, str]:
    """A quantity of the table, and the suffix that it is written with."""
    row, time = rows[0], time_of(rows)
    unit = cell.option("unit")
    if value == "median":
        return time.scaled(time_scale(cell, row)), ""
    if value == "minimum":
        fastest = sum(float(it["min_s"]) for it in rows) / time.value
        return quantity(cell, rows, "median")[0].scaled(fastest), ""
    if value == "ratio":
        ratio = time.times(reference_of(cell, rows).inverse())
        return (ratio.scaled(100), " %") if unit == "%" else (ratio, " ×")
    if value == "speedup":
        return time.inverse().times(reference_of(cell, rows)), " ×"
    if value == "rate":
        return time.inverse().scaled(float(row["items"]) * RATES[unit or "M/s"]), ""
    if value == "bandwidth":
        return time.inverse().scaled(amount_of(cell, rows, "bytes_per_s") * RATES[unit or "GB/s"]), ""
    if value == "share":
        return time.inverse().scaled(100 * amount_of(cell, rows, "peak_fraction")), " %"
    if value == "floor":
        return reference_of(cell, rows).scaled(time_scale(cell, row)), ""
    raise cell.table.error(f"value={value}: no such quantity and no such column of the file")


def text_of(cell: Cell) -> str:
    """The text of a cell; a dash where the run has no such row."""
    value = cell.option("value", "median")
    if value == "text":
        return cell.option("text")
    rows = rows_of_stages(cell)
    is_counted = bool(cell.option("bytes-of"))
    if not rows or value in NEEDED and not is_counted and not rows[0][NEEDED[value]]:
        return "–"
    text = figure(cell, rows, value)
    is_bold = rows[0].get("variant") in cell.option("bold").split(",")
    return f"**{text}**" if is_bold and text and value != "variant" else text


def figure(cell: Cell, rows: list[Row], value: str) -> str:
    row, digits = rows[0], int(cell.option("digits", "3"))
    if value == "variant":
        return f"`{row['variant']}`"
    if value in row:
        return column_of(cell, value, row[value], digits)
    if value == "memory":
        return f"{number(float(row['memory_ratio']), digits)} ×"
    if value == FASTEST:
        time, _ = quantity(cell, rows, "median")
        return f"{number(time.value, digits)}, `{row['variant']}`"
    estimate, suffix = quantity(cell, rows, value)
    if suffix == " %" and "digits" not in cell.words:
        digits = max(2, len(str(int(estimate.value))))
    return written(estimate, cell.option("interval", "no"), digits, suffix)


def column_of(cell: Cell, name: str, text: str, digits: int) -> str:
    """A column of the file: counts and texts as they are, times and rates in the cell's unit."""
    unit = cell.option("unit")
    try:
        value = float(text)
    except ValueError:
        return text or "–"
    if unit == "%":
        return f"{value * 100:.0f} %"
    if unit in COUNTS:
        return number(value * COUNTS[unit], digits)
    scale = (TIMES | RATES).get(unit, 1.0) if name.endswith("_s") else 1.0
    return text if text.isdigit() else number(value * scale, digits)
