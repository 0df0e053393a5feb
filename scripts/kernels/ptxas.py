"""Reads what ptxas says of a compilation (-Xptxas -v)."""

import re
from dataclasses import dataclass

ENTRY = re.compile(r"Compiling entry function '(\S+)' for '(\S+)'")
STACK = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
REGISTERS = re.compile(r"Used (\d+) registers")
SHARED = re.compile(r"(\d+) bytes smem")


@dataclass
class Resources:
    """What one kernel takes on one architecture: registers a thread, bytes."""

    kernel: str
    arch: str
    registers: int = 0
    stack: int = 0
    spill_stores: int = 0
    spill_loads: int = 0
    shared: int = 0

    @property
    def spilled(self):
        """Bytes of spill stores and loads in the code, each counted once."""
        return self.spill_stores + self.spill_loads

    def add_stack(self, stack, stores, loads):
        self.stack += stack
        self.spill_stores += stores
        self.spill_loads += loads


def read_log(text):
    """The resources of each kernel and architecture of a log.

    Functions that were not inlined follow their kernel: they count with it.
    """
    found = []
    for line in text.splitlines():
        if match := ENTRY.search(line):
            found.append(Resources(*match.groups()))
        elif found and (match := STACK.search(line)):
            found[-1].add_stack(*map(int, match.groups()))
        elif found and (match := REGISTERS.search(line)):
            found[-1].registers = int(match[1])
            found[-1].shared = int(shared[1]) if (shared := SHARED.search(line)) else 0
    return found
