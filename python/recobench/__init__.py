"""recobench from Python: load, run, compare and plot performance runs.

>>> import recobench
>>> run = recobench.run(["sort", "--segments", "24"])
>>> run.summary           # a polars or pandas frame, a row for each point and stage
>>> run.units["median_s"]
's'

The package brings the binary `bench`, which does all measuring and statistics.
"""

from __future__ import annotations

import sys

if not sys.platform.startswith("linux"):
    raise ImportError(f"recobench runs on Linux only, not on {sys.platform}")

from importlib.metadata import PackageNotFoundError, version

from ._compare import Comparison, compare
from ._error import Error
from ._load import Run, load
from ._plot import Chart, plot
from ._run import run

try:
    __version__ = version("recobench")
except PackageNotFoundError:
    # Imported from the sources.
    __version__ = "unknown"

__all__ = ["Chart", "Comparison", "Error", "Run", "compare", "load", "plot", "run"]
