"""The command `recobench`, and `python -m recobench`."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from ._binary import NAME, usable_binary
from ._error import Error

# The binary's exit code for a request for more than the machine has.
_USAGE = 2


def main() -> NoReturn:
    """Replaces this process by the binary, with the same arguments."""
    try:
        binary = usable_binary()
        os.execv(binary, [NAME, *sys.argv[1:]])
    except Error as error:
        problem = str(error)
    except OSError as error:
        problem = f"cannot start {binary}: {error.strerror}"
    print(f"{NAME}: {problem}", file=sys.stderr)
    sys.exit(_USAGE)


if __name__ == "__main__":
    main()
