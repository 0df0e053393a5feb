"""The error of this package."""

from __future__ import annotations


class Error(Exception):
    """A request that failed, with a message that says what to do.

    Attributes:
        exit_code: Exit code of the binary, or None if it was not started.
    """

    def __init__(self, message: str, exit_code: int | None = None) -> None:
        super().__init__(message)
        self.exit_code = exit_code
