"""Tables what the kernels take, and says which break a rule.

    report.py FOLDER --accepted FILE --wide FILE [--markdown FILE]

FOLDER has the logs and disassemblies that compile.sh leaves there.
"""

import argparse
import sys
from pathlib import Path

from ptxas import read_log
from rules import ListError, judge_spills, judge_widths
from sass import arch_number, describe, read_sass

COLUMNS = (
    "kernel", "arch", "registers", "spill stores", "spill loads", "stack", "static shared",
    "global loads (bits: count)", "global stores (bits: count)",
)


def rows(resources, accesses):
    """One row a kernel and architecture, as texts."""
    for each in sorted(resources, key=lambda each: (each.kernel, arch_number(each.arch))):
        moved = accesses[each.kernel, each.arch]
        sizes = (each.registers, each.spill_stores, each.spill_loads, each.stack, each.shared)
        yield (each.kernel, each.arch, *map(str, sizes), describe(moved.loads), describe(moved.stores))


def table(lines):
    """Markdown whose columns stand below each other, so it reads as text too."""
    lines = [COLUMNS, *lines]
    widths = [max(map(len, column)) for column in zip(*lines)]
    ruled = [lines[0], ["-" * width for width in widths], *lines[1:]]
    padded = ([cell.ljust(width) for cell, width in zip(line, widths)] for line in ruled)
    return "\n".join(f"| {' | '.join(line)} |" for line in padded) + "\n"


def read(folder):
    """Resources and accesses of all kernels; each name must be there once."""
    resources, accesses, home = [], {}, {}
    for log in sorted(folder.glob("*.log")):
        found = read_log(log.read_text())
        for kernel in {each.kernel for each in found}:
            if home.setdefault(kernel, log.stem) != log.stem:
                raise ListError(f"the kernel {kernel} is in {home[kernel]} and in {log.stem}")
        resources += found
        accesses |= read_sass(log.with_suffix(".sass").read_text())
    return resources, accesses


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--accepted", type=Path, required=True)
    parser.add_argument("--wide", type=Path, required=True)
    parser.add_argument("--markdown", type=Path)
    return parser.parse_args()


def main():
    options = arguments()
    resources, accesses = read(options.folder)
    text = table(rows(resources, accesses))
    print(text)
    if options.markdown:
        options.markdown.write_text(f"# What the kernels take\n\nSizes in bytes; registers a thread.\n\n{text}")
    complaints = [*judge_spills(resources, options.accepted), *judge_widths(accesses, options.wide)]
    if complaints:
        sys.exit("\n".join(complaints))


if __name__ == "__main__":
    try:
        main()
    except ListError as error:
        sys.exit(str(error))
