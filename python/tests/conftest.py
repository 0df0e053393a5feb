"""Fixtures of the tests: kept runs, a run that is measured once, and data frames of both libraries."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import recobench

ROOT = Path(__file__).parents[2]
KEPT_RUNS = ROOT / "docs" / "results"
TASK = ["sort", "--segments", "24", "--digis", "50k", "--variant", "std-*"]
SHORT = [*TASK, "--samples", "6..6"]


@pytest.fixture(scope="session", autouse=True)
def _binary() -> None:
    if "RECOBENCH_BINARY" not in os.environ:
        pytest.exit("name a built bench in RECOBENCH_BINARY, as .ci/python does", returncode=2)


@pytest.fixture(scope="session")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a short run of two variants."""
    folder = tmp_path_factory.mktemp("measured") / "run"
    recobench.run(SHORT, out=folder, progress=False)
    return folder
