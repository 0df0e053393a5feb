"""Constants that launchers read: these must be equal on all architectures, and so can't be tuned.

Launchers are compiled once, with what the build reads from the sources of kernels: constants, threads
of a block, parameters, and dynamic shared memory. A constant is refused if one of these is made of it.
"""

import re

from exact import included
from sweep import TuneError

CONSTANT = re.compile(r"constexpr\s+\w+\s+(\w+)\s*=([^;]*);")
# Threads are the first of the bounds of a launch.
BOUNDS = re.compile(r"__launch_bounds__\(([^,)]*)|KERNEL_INSTANCE\(\s*\w+\s*,[^,]*,\s*\(([^,)]*)")
WORD = re.compile(r"\b[A-Za-z_]\w*\b")
# What the PTX says of a kernel's interface.
ENTRY = re.compile(r"\.entry (\w+)\((.*?)\)\s*((?:\.\w+ [^\n]*\n)*)", re.DOTALL)
THREADS = re.compile(r"\.maxntid (\d+)")
PARAMETER = re.compile(r"\.param ([^,\n]*?)\w+(\[\d+\])?\s*(?:,|$)", re.MULTILINE)
SHARED = re.compile(r"\.global \.align \d+ \.u32 (\w+_shared_bytes) = (\d+)")


def refuse_visible(root, sweep, folders):
    """Refuses constants that do not exist, and those that launchers read."""
    files = [root / sweep.source, *included(root / sweep.source, [root / folder for folder in folders])]
    texts = {path: path.read_text() for path in files if path.resolve() != (root / sweep.table).resolve()}
    launchers = [path for path in (root / sweep.crate / "src").rglob("*.rs") if "kernels::" in path.read_text()]
    launcher_words = {word: path for path in launchers for word in WORD.findall(path.read_text())}
    for constant in sweep.constants:
        name = constant.name
        where = f"{sweep.declaration}: {name}"
        if any(name == defined for text in texts.values() for defined, _ in CONSTANT.findall(text)):
            raise TuneError(f"{where} is defined in the kernel too: only the table {sweep.table} defines it")
        if not any(name in WORD.findall(text) for text in texts.values()):
            raise TuneError(f"{where} is not used by {sweep.source} or its headers: name a constant that they use")
        for derived in derived_from(name, texts.values()):
            reason = "" if derived == name else f" through {derived}"
            if derived in launcher_words:
                launcher = launcher_words[derived].relative_to(root)
                raise TuneError(
                    f"{where} is read by the launcher{reason} ({launcher}), which is the same for all architectures:"
                    " only constants of the device alone can be tuned"
                )
            if any(derived in bounds for text in texts.values() for bounds in threads(text)):
                raise TuneError(f"{where} determines the threads of a block{reason}, with which launchers start it")


def derived_from(name, texts):
    """A constant and all that are made of it."""
    names = {name}
    definitions = [definition for text in texts for definition in CONSTANT.findall(text)]
    while True:
        more = {derived for derived, value in definitions if names & set(WORD.findall(value))} - names
        if not more:
            return sorted(names, key=lambda each: each != name)
        names |= more


def threads(text):
    """The words in the numbers of threads of all kernels."""
    return [WORD.findall(one or other) for one, other in BOUNDS.findall(text)]


def interface(ptx):
    """What launchers rely on: threads and parameters of kernels, and their dynamic shared memory."""
    kernels = {
        name: (THREADS.findall(directives), PARAMETER.findall(parameters))
        for name, parameters, directives in ENTRY.findall(ptx)
    }
    return kernels, dict(SHARED.findall(ptx))
