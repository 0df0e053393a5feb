"""Counts global loads and stores by width in disassembled kernels.

    cuobjdump -sass IMAGE | sass.py
"""

import re
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, field

ARCHITECTURE = re.compile(r"\s*code for (sm_\w+)")
FUNCTION = re.compile(r"\s*Function : (\S+)")
INSTRUCTION = re.compile(r"\s*/\*[0-9a-f]+\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)")

# LD and ST are of global memory too unless a kernel mixes pointers; LDGSTS loads
# past the registers into shared memory, UBLKCP copies blocks of 16 bytes and more.
LOADS = {"LDG", "LD", "LDGSTS", "UBLKCP.S.G"}
STORES = {"STG", "ST", "UBLKCP.G.S"}
# Bits of an access by the word in its name; 32 go without saying.
BITS = {"U8": 8, "S8": 8, "U16": 16, "S16": 16, "64": 64, "128": 128, "256": 256}
DEFAULT_BITS = 32
WIDE_BITS = 128
BULK = "UBLKCP"


@dataclass
class Accesses:
    """How many instructions access global memory, by their width in bits."""

    loads: Counter = field(default_factory=Counter)
    stores: Counter = field(default_factory=Counter)

    def count(self, instruction):
        words = instruction.split(".")
        name = ".".join(words[:3]) if words[0] == BULK else words[0]
        if name in LOADS:
            self.loads[width(words)] += 1
        elif name in STORES:
            self.stores[width(words)] += 1


def width(words):
    """Bits that an instruction moves a thread; of bulk copies at least."""
    if words[0] == BULK:
        return WIDE_BITS
    return next((BITS[word] for word in words if word in BITS), DEFAULT_BITS)


def is_wide(counts):
    """Whether at least half of the bits that the code names move 16 bytes at a time.

    The rest is for what is left over before and behind the vectors.
    """
    total = sum(bits * count for bits, count in counts.items())
    wide = sum(bits * count for bits, count in counts.items() if bits >= WIDE_BITS)
    return total > 0 and 2 * wide >= total


def describe(counts):
    """Such as `128: 4, 32: 1`."""
    widths = sorted(counts.items(), reverse=True)
    return ", ".join(f"{bits}: {count}" for bits, count in widths) or "none"


def arch_number(arch):
    """Sorts `sm_90` before `sm_100`."""
    return int("".join(filter(str.isdigit, arch)))


def by_kernel_and_arch(item):
    """Sorts the items of what `read_sass` gives."""
    (kernel, arch), _ = item
    return kernel, arch_number(arch)


def read_sass(text):
    """The accesses of each (kernel, architecture)."""
    found = defaultdict(Accesses)
    arch = kernel = ""
    for line in text.splitlines():
        if match := ARCHITECTURE.match(line):
            arch = match[1]
        elif match := FUNCTION.match(line):
            kernel = match[1]
            found[kernel, arch] = Accesses()
        elif match := INSTRUCTION.match(line):
            found[kernel, arch].count(match[1])
    return dict(found)


if __name__ == "__main__":
    for (kernel, arch), accesses in sorted(read_sass(sys.stdin.read()).items(), key=by_kernel_and_arch):
        print(f"{kernel} {arch}  loads {describe(accesses.loads)}  stores {describe(accesses.stores)}")
