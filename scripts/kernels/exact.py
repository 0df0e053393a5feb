"""Finds kernels that may contract exact formulas to fused multiply-adds, which round once instead of
twice.

    exact.py FOLDER --include FOLDER...

A header whose results must be those of the host to the last bit has a line `// nvcc: -fmad=false`.
Each kernel file below FOLDER that includes it, directly or not, must begin with the same line: nvcc
takes flags from there.
"""

import argparse
import re
import sys
from pathlib import Path

FLAG = "// nvcc: -fmad=false"
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def included(source, folders):
    """All headers that a file includes, itself not among them; those not found are the system's."""
    found, waiting = set(), [source]
    while waiting:
        file = waiting.pop()
        for name in INCLUDE.findall(file.read_text()):
            candidates = (folder / name for folder in (file.parent, *folders))
            header = next((path.resolve() for path in candidates if path.is_file()), None)
            if header and header not in found:
                found.add(header)
                waiting.append(header)
    return found


def is_exact(header):
    return FLAG in header.read_text().splitlines()


def complaints(sources, folders):
    """One line for each kernel file that lacks the flag."""
    for source in sorted(sources.rglob("*.cu")):
        begin = source.read_text().split("\n", 1)[0]
        headers = sorted(header.name for header in included(source, folders) if is_exact(header))
        if headers and begin != FLAG:
            yield f"{source} includes the exact formulas of {', '.join(headers)}: begin it with `{FLAG}`"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("sources", type=Path)
    parser.add_argument("--include", type=Path, nargs="+", required=True)
    options = parser.parse_args()
    found = list(complaints(options.sources, options.include))
    if found:
        sys.exit("\n".join(found))


if __name__ == "__main__":
    main()
