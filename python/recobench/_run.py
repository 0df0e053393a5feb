"""Measuring, with progress."""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ._command import failure, start
from ._error import Error
from ._frames import FrameLibrary, library
from ._load import Run, load

Progress = Callable[[str], None]

# The first message of a run.
_ANNOUNCED = "results go to "
_SHOWN_LINES = 12


def run(
    arguments: Sequence[str],
    *,
    out: str | os.PathLike[str] | None = None,
    frames: FrameLibrary | None = None,
    progress: bool | Progress = True,
) -> Run[Any]:
    """Runs a measuring command of `bench` and loads its results.

    Args:
        arguments: The command with its flags: `["sort", "--segments", "24"]`.
        out: Folder of the results; without it a new one below `results/`.
        frames: As for `load`.
        progress: True prints the progress, in a notebook to the output of the cell; a function
            is called with each line; False shows nothing.

    Raises:
        Error: With the message of `bench` and its exit code if that is not 0. What was measured
            until then stays in the folder.
    """
    # Before minutes of measuring.
    library(frames)
    flags = [] if out is None else ["--out", os.fspath(out)]
    show = _progress(progress)
    folder = None if out is None else Path(out)
    messages: list[str] = []
    # Ctrl-C in a terminal would reach it twice, and the second one ends it at once.
    with start([*arguments, *flags], subprocess.DEVNULL, own_session=True) as process:
        try:
            for line in process.stderr or ():
                messages.append(line.rstrip("\n"))
                if folder is None and line.startswith(_ANNOUNCED):
                    folder = Path(messages[-1].removeprefix(_ANNOUNCED))
                show(messages[-1])
        except BaseException:
            # It ends after the current sample, and keeps what was measured.
            process.send_signal(signal.SIGINT)
            process.wait()
            raise
    if process.returncode != 0:
        raise failure(messages, process.returncode)
    if folder is None:
        raise Error(f"{' '.join(arguments)} does not say where its results are: give out=")
    return load(folder, frames=frames)


def _progress(progress: bool | Progress) -> Progress:
    if callable(progress):
        return progress
    if not progress:
        return lambda line: None
    return _notebook() or (lambda line: print(line, file=sys.stderr, flush=True))


def _notebook() -> Progress | None:
    """Shows the last lines in one output that is updated; None outside of a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    display = importlib.import_module("IPython.display").display
    lines: list[str] = []
    handle = display({"text/plain": ""}, raw=True, display_id=True)

    def show(line: str) -> None:
        lines.append(line)
        handle.update({"text/plain": "\n".join(lines[-_SHOWN_LINES:])}, raw=True)

    return show
