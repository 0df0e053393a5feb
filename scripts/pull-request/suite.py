"""Names of suites that come from outside: from a comment, or the inputs of a workflow."""

import re
import sys

# A suite that comes with the program, or a file below the root of the repository.
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*(?:[./]+[A-Za-z0-9_-]+)*")
MAX_LENGTH = 100


class BadSuite(ValueError):
    """The text is not the name of a suite."""


def checked(name: str) -> str:
    """Returns the name if it is safe as an argument of a program and as a path."""
    if not NAME.fullmatch(name) or len(name) > MAX_LENGTH or ".." in name or "//" in name:
        raise BadSuite(f"{name[:MAX_LENGTH]!r} is not the name of a suite")
    return name


if __name__ == "__main__":
    try:
        checked(sys.argv[1])
    except BadSuite as problem:
        sys.exit(f"suite: {problem}")
