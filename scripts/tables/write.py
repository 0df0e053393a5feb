#!/usr/bin/env python3
"""Writes the tables of results in all pages from kept runs in docs/results.

    scripts/tables/write.py            write them
    scripts/tables/write.py --check    exit code 1 if a page is not what would be written
    scripts/tables/write.py PAGE ...   only these pages

A table is between `<!-- table: OPTIONS -->` and `<!-- /table -->`; spec.py says what the options are. Tables between
`<!-- headline -->` and `<!-- /headline -->` are those of headline.py.
"""

import argparse
import itertools
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import headline
from cells import Cell, text_of
from runs import field_of
from spec import BEGIN, END, Line, Table, TableError, read_table

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(f"{BEGIN}(?P<options>.*?)-->(?P<table>.*?){END}", re.DOTALL)
NAMES = {"variant", "zs"}  # columns with names of code


def lines_of(table: Table, option: str, written: tuple[Line, ...]) -> list[Line]:
    """Rows or columns: those made of all combinations of values of some columns, then those that are written."""
    if option not in table.words:
        return list(written)
    names, values = [], []
    for part in table.words[option].split(";"):
        name, _, listed = part.partition(":")
        names.append(name)
        values.append(listed.split(",") if listed else values_of(table, name))
    made = []
    for combination in itertools.product(*values):
        labels = tuple(f"`{it}`" if name in NAMES else it for name, it in zip(names, combination))
        words = dict(zip(names, combination))
        made.append(Line(labels if option == "rows" else (", ".join(labels),), words))
    return made + list(written)


def values_of(table: Table, column: str) -> list[str]:
    rows = Cell(table, table.words).rows()
    values = dict.fromkeys(field_of(it, column) for it in rows)
    values.pop(None, None)
    if not values:
        raise table.error(f"no rows have a column or parameter '{column}'; correct the filters or the name")
    return list(values)


def cells_of(table: Table, row: Line, columns: list[Line]) -> list[Cell]:
    return [Cell(table, with_names(table.words | row.words | it.words)) for it in columns]


def with_names(words: dict[str, str]) -> dict[str, str]:
    """The words with `$name` replaced by the word `$name=` of the row; a cell is empty where the row has none."""
    done = {}
    for key, value in words.items():
        for name in re.findall(r"\$\w+", value):
            if name not in words:
                return {"value": "text"}
            value = value.replace(name, words[name])
        done[key] = value
    return done


def sort_key(cells: list[Cell]) -> float:
    """The time of the first cell that has one."""
    for cell in cells:
        rows = cell.rows() if cell.option("value", "median") != "text" else []
        if rows:
            return min(float(it["median_s"]) for it in rows)
    return float("inf")


def table_text(table: Table) -> str:
    columns = lines_of(table, "columns", table.columns) or [Line(("",))]
    rows, texts = rows_with_texts(table, columns)
    depth = max(len(it.labels) for it in rows)
    labels = [list(it.labels) + [""] * (depth - len(it.labels)) for it in rows]
    heads = heads_of(table, depth) + [it.labels[0] for it in columns]
    rule = [rule_of(it) for it in zip(*labels)] + [rule_of_texts(it) for it in columns]
    body = [label + text for label, text in zip(labels, texts)]
    return "\n".join([joined(heads), "|" + "|".join(rule) + "|", *map(joined, body)])


def rows_with_texts(table: Table, columns: list[Line]) -> tuple[list[Line], list[list[str]]]:
    """Rows and the texts of their cells; combinations of values that the run does not have are left out."""
    rows = lines_of(table, "rows", table.rows)
    if not rows:
        raise table.error("no rows; write rows=COLUMN or lines 'row LABEL: WORDS'")
    if ":" not in table.words.get("rows", ":"):
        rows.sort(key=lambda it: sort_key(cells_of(table, it, columns)))
    texts = [[text_of(cell) for cell in cells_of(table, it, columns)] for it in rows]
    require_figures(table, "row", [it for it in zip(rows, texts) if it[0] in table.rows])
    require_figures(table, "column", zip(columns, zip(*texts)))
    found = [it for it in zip(rows, texts) if has_figures(it[1])]
    return [row for row, _ in found], [text for _, text in found]


def heads_of(table: Table, depth: int) -> list[str]:
    """Headings of the columns of labels: `head=`, or the column that rows are made of."""
    made = " | ".join(it.partition(":")[0] for it in table.words.get("rows", "").split(";"))
    heads = [it.strip() for it in table.words.get("head", made).split("|")]
    return heads + [""] * (depth - len(heads))


def rule_of(labels: tuple[str, ...]) -> str:
    """Numbers are aligned to the right, words to the left."""
    are_numbers = all(re.fullmatch(r"([\d.,]+( [%×M]| ms)?)?", it) for it in labels)
    return "--:" if are_numbers and any(labels) else "---"


def rule_of_texts(column: Line) -> str:
    return "---" if column.words.get("value") in ("text", "variant") else "--:"


def joined(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def has_figures(cells: Sequence[str]) -> bool:
    return any(it not in ("–", "") for it in cells)


def require_figures(table: Table, kind: str, lines: Iterable[tuple[Line, Sequence[str]]]) -> None:
    for line, cells in lines:
        if not has_figures(cells):
            raise table.error(f"{kind} '{' | '.join(line.labels)}' has no figures; correct its words")


def with_tables(page: str, text: str) -> str:
    """The page with all of its tables written anew."""

    def updated(block: re.Match[str]) -> str:
        line = text.count("\n", 0, block.start()) + 1
        if BEGIN in block["table"]:
            raise TableError(f"{page}:{line}: no '{END}' after the block's table; write it")
        table = read_table(block["options"].strip(), page, line)
        return f"{BEGIN}{block['options']}-->\n{table_text(table)}\n{END}"

    written = BLOCK.sub(updated, text)
    if text.count(BEGIN) != text.count(END):
        raise TableError(f"{page}: {text.count(BEGIN)} times '{BEGIN}' and {text.count(END)} times '{END}'; write both")
    return written


def pages() -> list[str]:
    names = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, check=True, capture_output=True, text=True)
    return names.stdout.splitlines()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing; exit code 1 if a page is out of date")
    parser.add_argument("pages", nargs="*", metavar="PAGE", help="pages, as git ls-files names them; all if none")
    options = parser.parse_args()
    failed = False
    for name in options.pages or pages():
        path = ROOT / name
        page = path.read_text(encoding="utf-8")
        try:
            updated = with_tables(name, headline.with_headline(name, page))
        except TableError as error:
            print(error, file=sys.stderr)
            failed = True
            continue
        if updated != page and options.check:
            print(f"{name}: its tables are not those of docs/results; run scripts/tables/write.py", file=sys.stderr)
            failed = True
        elif updated != page:
            path.write_text(updated, encoding="utf-8")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
