"""Calls of the binary."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence

from ._binary import NAME, usable_binary
from ._error import Error

EXIT_CODES = {
    0: "done",
    1: "the program failed: I/O, damaged input, or internal",
    2: "the command line is invalid, or asks for more than the machine has",
    3: "a variant's output was wrong, or the variant failed",
    4: "a regression was found",
    5: "nothing was measured, or not everything could be measured or judged",
    130: "interrupted; the results so far are kept",
}
"""Meaning of the binary's exit codes."""

_LAST_LINES = 5


def start(
    arguments: Sequence[str], stdout: int, *, own_session: bool = False
) -> subprocess.Popen[str]:
    """Starts the binary; its messages are read from standard error. In a session of its own it
    gets no signals from the terminal.

    Raises:
        Error: If it can't be started.
    """
    binary = usable_binary()
    try:
        return subprocess.Popen(
            [NAME, *arguments],
            executable=binary,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            start_new_session=own_session,
        )
    except (OSError, ValueError) as error:
        raise Error(f"cannot start {binary}: {error}") from error


def output(arguments: Sequence[str], accepted: Sequence[int] = (0,)) -> tuple[str, int]:
    """Standard output and exit code of a command.

    Raises:
        Error: With the binary's message, if the exit code is not an accepted one.
    """
    with start(arguments, subprocess.PIPE) as process:
        stdout, stderr = process.communicate()
    if process.returncode not in accepted:
        raise failure(stderr.splitlines(), process.returncode)
    return stdout, process.returncode


def failure(messages: Sequence[str], exit_code: int) -> Error:
    """The error that the last messages of the binary describe."""
    prefix = f"{NAME}: "
    own = [line.removeprefix(prefix) for line in messages if line.startswith(prefix)]
    text = own[-1] if own else "\n".join(messages[-_LAST_LINES:])
    if exit_code < 0:
        return Error(f"the process was ended by signal {-exit_code}: {text}", exit_code)
    meaning = EXIT_CODES.get(exit_code, "unknown")
    return Error(text if own else f"{text}\nexit code {exit_code}: {meaning}".lstrip(), exit_code)
