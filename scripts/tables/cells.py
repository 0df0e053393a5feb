"""Cells of a table: which rows of a run they are of, and what is written of these."""

from dataclasses import dataclass

from figures import Estimate, number, written
from runs import RESULTS, Row, differences, field_of, read_ceilings, read_rows, select
from spec import OPTIONS, Table

TIMES = {"s": 1.0, "ms": 1e3, "µs": 1e6, "ns": 1e9}
RATES = {"k/s": 1e-3, "M/s": 1e-6, "G/s": 1e-9, "GB/s": 1e-9, "TB/s": 1e-12}
QUANTITY_UNITS = {"M": 1e-6, "nJ": 1e9}  # of columns without a unit of time
NEEDED = {  # columns that are empty for some stages
    "share": "peak_fraction", "bandwidth": "bytes_per_s",
}
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
        for name in filters:
            if all(field_of(it, name.removesuffix("!")) is None for it in rows):
                raise self.table.error(f"{words['run']} has no column or parameter '{name}'; correct the word")
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
    """What a ratio is over: a floor, a time such as `0.735ms`, or the time of other rows of the same run."""
    over = cell.option("over")
    if over == "floor":
        return Estimate.exact(amount_of(cell, rows, "peak_fraction"))
    if over in ("link", "link-overlapped"):
        return Estimate.exact(link_time(cell, rows[0]["device"], over == "link-overlapped"))
    for unit in sorted(TIMES, key=len, reverse=True):
        text = over.removesuffix(unit)
        if text != over and text.replace(".", "", 1).isdigit():
            return Estimate.exact(float(text) / TIMES[unit])
    more = dict(it.partition("=")[::2] for it in over.split(",")) if over else {}
    others = rows_of_stages(cell, more) if more else []
    if not others:
        raise cell.table.error(f"over={over}: no rows; write floor, link, a time such as 0.735ms, or variant=naive")
    is_per_item = cell.option("unit") == "per-item"
    return time_of(others).scaled(float(rows[0]["items"]) / float(others[0]["items"]) if is_per_item else 1.0)


def link_time(cell: Cell, device: str, is_overlapped: bool) -> float:
    """Seconds that the link takes for all copies of a run, one way after the other or both at once."""
    more = {"variant": cell.option("link-of", cell.option("variant"))}
    up, down = (cell.rows(more | {"stage": f"{way}|*/{way}"}) for way in ("h2d", "d2h"))
    time_up, time_down = (sum(at_peak(it) for it in rows) for rows in (up, down))
    if time_up + time_down == 0:
        raise cell.table.error(f"over={cell.option('over')}: no copies whose bytes are known; choose other rows")
    if not is_overlapped:
        return time_up + time_down
    both_ways = read_ceilings(cell.words["run"])[device]["link"]["both_bytes_per_s"]
    return max(time_up, time_down, sum(float(it["bytes_min"]) for it in up + down) / both_ways)


def at_peak(row: Row) -> float:
    """Seconds for the bytes of a row at the bandwidth that its share is of."""
    return float(row["peak_fraction"] or 0) * float(row["median_s"])


def amount_of(cell: Cell, rows: list[Row], column: str) -> float:
    """The amount behind a rate, such as bytes; of the stage `bytes-of=` if there is one."""
    stage = cell.option("bytes-of")
    row = one_of(cell.rows({"stage": stage}), cell) if stage else rows[0]
    if not row.get(column):
        raise cell.table.error(f"stage {row['stage']} has no {column}; name one that has by bytes-of=")
    return float(row[column]) * float(row["median_s"])


def time_scale(cell: Cell, rows: list[Row]) -> float:
    """From seconds to the cell's unit, such as `ms` or `ns/item`."""
    unit, slash, item = cell.option("unit", "ms").partition("/")
    if unit not in TIMES or slash and item != "item":
        raise cell.table.error(f"unit={unit}{slash}{item}: write one of {', '.join(TIMES)}, or ns/item")
    return TIMES[unit] / (float(rows[0]["items"]) if slash else 1)


def rate_scale(cell: Cell, otherwise: str) -> float:
    unit = cell.option("unit", otherwise)
    if unit not in RATES:
        raise cell.table.error(f"unit={unit}: write one of {', '.join(RATES)}")
    return RATES[unit]


def median(cell: Cell, rows: list[Row]) -> tuple[Estimate, str]:
    return time_of(rows).scaled(time_scale(cell, rows)), ""


def minimum(cell: Cell, rows: list[Row]) -> tuple[Estimate, str]:
    """The fastest sample; of several stages the sum of theirs."""
    return Estimate(sum(float(it["min_s"]) for it in rows) * time_scale(cell, rows)), ""


def ratio(cell: Cell, rows: list[Row]) -> tuple[Estimate, str]:
    ratio = time_of(rows).times(reference_of(cell, rows).inverse())
    return (ratio.scaled(100), " %") if cell.option("unit") == "%" else (ratio, " ×")


def speedup(cell: Cell, rows: list[Row]) -> tuple[Estimate, str]:
    return time_of(rows).inverse().times(reference_of(cell, rows)), " ×"


def rate(cell: Cell, rows: list[Row]) -> tuple[Estimate, str]:
    return time_of(rows).inverse().scaled(float(rows[0]["items"]) * rate_scale(cell, "M/s")), ""


def bandwidth(cell: Cell, rows: list[Row]) -> tuple[Estimate, str]:
    return time_of(rows).inverse().scaled(amount_of(cell, rows, "bytes_per_s") * rate_scale(cell, "GB/s")), ""


def share(cell: Cell, rows: list[Row]) -> tuple[Estimate, str]:
    """The share of the copy bandwidth, or of that of the link."""
    return time_of(rows).inverse().scaled(100 * amount_of(cell, rows, "peak_fraction")), " %"


def floor(cell: Cell, rows: list[Row]) -> tuple[Estimate, str]:
    """What `over=` refers to: minimum bytes at the speed of a copy, or a time."""
    return reference_of(cell, rows).scaled(time_scale(cell, rows)), ""


def memory(cell: Cell, rows: list[Row]) -> tuple[Estimate, str]:
    return Estimate(float(rows[0]["memory_ratio"])), " ×"


QUANTITIES = {it.__name__: it for it in (median, minimum, ratio, speedup, rate, bandwidth, share, floor, memory)}


def text_of(cell: Cell) -> str:
    """The text of a cell; a dash where the run has no such row."""
    value = cell.option("value", "median")
    if value == "text":
        return cell.option("text")
    if "samples" in cell.words:
        return text_of_samples(cell, value)
    rows = rows_of_stages(cell)
    if not rows or lacks_rate(cell, rows[0], value):
        return "–"
    text = figure(cell, rows, value)
    is_bold = rows[0].get("variant") in cell.option("bold").split(",")
    return f"**{text}**" if is_bold and text and value != "variant" else text


def text_of_samples(cell: Cell, value: str) -> str:
    """Median or minimum of a column of samples, in the unit of that column."""
    samples = [float(it[cell.option("samples")]) for it in cell.rows()]
    if not samples:
        return "–"
    estimate = Estimate(min(samples)) if value == "minimum" else Estimate.of_samples(samples)
    return written(estimate, cell.option("interval", "no"), int(cell.option("digits", "3")))


def lacks_rate(cell: Cell, row: Row, value: str) -> bool:
    """Whether a share or a bandwidth is asked of a stage whose bytes are not known."""
    return value in NEEDED and not cell.option("bytes-of") and not row[NEEDED[value]]


def figure(cell: Cell, rows: list[Row], value: str) -> str:
    row, digits = rows[0], int(cell.option("digits", "3"))
    if value == "variant":
        return f"`{row['variant']}`"
    if value == "fastest":
        return f"{number(median(cell, rows)[0].value, digits)}, `{row['variant']}`"
    if value in row:
        return column_of(cell, value, row[value], digits)
    if value not in QUANTITIES:
        names = ", ".join([*QUANTITIES, "variant", "fastest", "text"])
        raise cell.table.error(f"value={value}: write one of {names}, or a column of the file")
    estimate, suffix = QUANTITIES[value](cell, rows)
    if suffix == " %" and "digits" not in cell.words:
        digits = max(2, len(str(int(estimate.value))))
    return written(estimate, cell.option("interval", "no"), digits, suffix)


def column_of(cell: Cell, name: str, text: str, digits: int) -> str:
    """A column of the file: counts and texts as they are, times, rates and energies in the cell's unit."""
    unit = cell.option("unit")
    try:
        value = float(text)
    except ValueError:
        return text or "–"
    if unit == "%":
        return f"{value * 100:.0f} %"
    if unit in QUANTITY_UNITS:
        return number(value * QUANTITY_UNITS[unit], digits)
    scale = (TIMES | RATES).get(unit, 1.0) if name.endswith("_s") else 1.0
    return text if text.isdigit() else number(value * scale, digits)
