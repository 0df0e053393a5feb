"""What a block says: its options, rows and columns.

    <!-- table: run=sts-cuda stage=kernel rows=variant unit=ms
    column ms:
    column interval: interval=only
    -->

The words of the first line hold for all cells; a line `row LABEL: WORDS` or `column LABEL: WORDS` adds a row or a
column with words of its own, which come before those of the first line. Labels with `|` fill several columns.
A column may use words of its rows: `variant=$best` is the variant of the word `$best=…` of the row.

`rows=COLUMN` makes a row of each value of a column of the file, sorted by the first column of the table;
`rows=COLUMN:a,b,c` makes these, in this order; `rows=COLUMN;OTHER:d,e` makes all combinations. `columns=` does the
same for columns.

All words that are not in OPTIONS are filters: a column of the file, an axis or a parameter, and its value; `a|b` is
one of two, `a*` what begins with a, `variant!=a` all others. A cell needs filters that leave one row; of several
variants, `variant=a|b`, it is the fastest.
"""

import shlex
from dataclasses import dataclass, field

BEGIN = "<!-- table:"
END = "<!-- /table -->"

# Words that are no filters, and what they mean.
OPTIONS = {
    "run": "folder in docs/results",
    "file": "name of the file in it; summary.csv if not given",
    "kernels": "stages with + in between, of each of which the times of its kernels are summed, without copies",
    "rows": "column whose values become rows",
    "columns": "column whose values become columns",
    "head": "headings of the columns of labels",
    "value": "quantity of a cell, see cells.py, or a column of the file",
    "unit": "unit of times, rates and energies; of ratios %, or per-item for inputs of unlike sizes",
    "interval": "also or only: write the 95 % interval too, or alone",
    "digits": "number of significant digits, 3 if not given",
    "over": "what a ratio refers to: filters with commas in between, a time such as 0.735ms, floor (bytes_min at the "
            "speed of a copy), link (all copies one after the other) or link-overlapped (both ways at once)",
    "link-of": "variant whose copies count for over=link, if not those of the cell",
    "bytes-of": "stage whose bytes count for value=share, where a stage has none",
    "samples": "column of samples: value=median and value=minimum are of all rows that match",
    "bold": "variants whose cells are bold",
    "text": "text of a cell with value=text",
}


class TableError(Exception):
    """A block that cannot be written, with the page, the line and what to do."""


@dataclass(frozen=True)
class Line:
    """A row or column: its labels, and the words of its cells."""

    labels: tuple[str, ...]
    words: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Table:
    """A block of a page."""

    where: str
    words: dict[str, str]
    rows: tuple[Line, ...]
    columns: tuple[Line, ...]

    def error(self, message: str) -> TableError:
        return TableError(f"{self.where}: {message}")


def read_words(text: str, where: str) -> dict[str, str]:
    words = {}
    for word in shlex.split(text):
        key, equals, value = word.partition("=")
        if not (key and equals):
            raise TableError(f"{where}: '{word}' is not KEY=VALUE; write quotes around values with spaces")
        words[key] = value
    return words


def read_line(text: str, where: str) -> tuple[str, Line]:
    kind, _, rest = text.partition(" ")
    label, colon, words = f"{rest} ".partition(": ")
    if kind not in ("row", "column") or not colon:
        raise TableError(f"{where}: '{text}' is not 'row LABEL: WORDS' or 'column LABEL: WORDS'")
    labels = tuple(it.strip() for it in label.split("|"))
    return kind, Line(labels, read_words(words, where))


def read_table(text: str, page: str, line: int) -> Table:
    """Reads what is between BEGIN and `-->`; `line` is where the block begins in the page."""
    first, *others = text.split("\n")
    lines: dict[str, list[Line]] = {"row": [], "column": []}
    for offset, other in enumerate(others, start=1):
        if other.strip():
            kind, read = read_line(other.strip(), f"{page}:{line + offset}")
            lines[kind].append(read)
    where = f"{page}:{line}"
    words = read_words(first, where)
    return Table(where, words, tuple(lines["row"]), tuple(lines["column"]))
