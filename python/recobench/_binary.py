"""Finds the binary for this machine, and says what is missing where none can run.

The wheel has one binary, `bench`, for the lowest CPU level, and optionally others for higher levels
in the folder `levels`. The checks come before the start, because a missing C library or instruction
ends a process with a message of the loader, or with a signal.
"""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from ._error import Error

NAME = "recobench"
OVERRIDE = "RECOBENCH_BINARY"

# Level of the binary that each wheel has, by architecture: as in pyproject.toml.
BASE_LEVELS = {"x86_64": "x86-64-v2"}

# Flags in /proc/cpuinfo that each level adds to the previous one.
_LEVEL_FLAGS = {
    "x86-64-v2": {"cx16", "lahf_lm", "popcnt", "pni", "sse4_1", "sse4_2", "ssse3"},
    "x86-64-v3": {"abm", "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe", "xsave"},
    "x86-64-v4": {"avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"},
}

_LEVELS = Path(__file__).parent / "levels"


@dataclass(frozen=True)
class Machine:
    """What the binary relies on."""

    architecture: str
    """As `uname -m` prints it."""
    glibc: tuple[int, int] | None
    """Version of glibc; None for another C library."""
    cpu_flags: frozenset[str]
    """Instruction sets; empty if unknown."""


def this_machine() -> Machine:
    """Describes the machine that runs this process."""
    try:
        cpuinfo = Path("/proc/cpuinfo").read_text(errors="replace")
    except OSError:
        cpuinfo = ""
    return Machine(platform.machine(), _glibc(), cpu_flags(cpuinfo))


def _glibc() -> tuple[int, int] | None:
    try:
        text = os.confstr("CS_GNU_LIBC_VERSION") or ""
    except (OSError, ValueError):
        # musl does not know the name.
        return None
    return glibc_version(text)


def glibc_version(text: str) -> tuple[int, int] | None:
    """Version in a text such as `glibc 2.36`; None for another C library."""
    match = re.fullmatch(r"glibc (\d+)\.(\d+).*", text)
    return (int(match[1]), int(match[2])) if match else None


def cpu_flags(cpuinfo: str) -> frozenset[str]:
    """Instruction sets of the first CPU in the text of /proc/cpuinfo."""
    match = re.search(r"^flags\s*:(.*)$", cpuinfo, re.MULTILINE)
    return frozenset(match[1].split()) if match else frozenset()


def missing_flags(level: str, flags: frozenset[str]) -> list[str]:
    """Instruction sets of a level that the CPU lacks, those of lower levels first."""
    missing: list[str] = []
    for name, needed in _LEVEL_FLAGS.items():
        missing += sorted(needed - flags)
        if name == level:
            return missing
    raise ValueError(f"{level} is not a level of x86-64")


def best_level(available: Iterable[str], flags: frozenset[str]) -> str | None:
    """Highest available level whose instruction sets the CPU has; None if there is none."""
    highest_first = sorted(set(available) & set(_LEVEL_FLAGS), reverse=True)
    return next((level for level in highest_first if not missing_flags(level, flags)), None)


def needed_glibc(wheel: str) -> tuple[int, int] | None:
    """Oldest glibc that a wheel runs with, by the tags in its file WHEEL."""
    versions = re.findall(r"^Tag: .*manylinux_(\d+)_(\d+)_", wheel, re.MULTILINE)
    return min(((int(major), int(minor)) for major, minor in versions), default=None)


def problem(machine: Machine, glibc: tuple[int, int] | None) -> str | None:
    """A sentence that names what the machine lacks; None if nothing is missing.

    Args:
        machine: The machine.
        glibc: The oldest glibc that the binary runs with; None if unknown.
    """
    if machine.glibc is None:
        return (
            "this system's C library is not glibc, perhaps musl: use a distribution with glibc, "
            "such as Debian, or the container image"
        )
    if glibc is not None and machine.glibc < glibc:
        return (
            f"this package needs glibc {_dotted(glibc)}, and this system has "
            f"{_dotted(machine.glibc)}: use a newer distribution, or build from the sources here"
        )
    level = BASE_LEVELS.get(machine.architecture)
    if level is not None and machine.cpu_flags:
        missing = missing_flags(level, machine.cpu_flags)
        if missing:
            return (
                f"this package is for CPUs of the level {level}, and this one lacks "
                f"{', '.join(missing)}: build from the sources here (cargo build --release)"
            )
    return None


def _dotted(version: tuple[int, int]) -> str:
    return ".".join(map(str, version))


def usable_binary() -> Path:
    """The binary for the highest level of this CPU.

    Raises:
        Error: If there is none, or the machine lacks something that it needs.
    """
    override = os.environ.get(OVERRIDE)
    if override:
        return _executable(Path(override).absolute(), f"the file that {OVERRIDE} names")
    machine = this_machine()
    package = _package()
    lacking = problem(machine, needed_glibc(package.read_text("WHEEL") or ""))
    if lacking is not None:
        raise Error(lacking)
    level = best_level((folder.name for folder in _LEVELS.glob("*")), machine.cpu_flags)
    binary = _installed_binary(package) if level is None else _LEVELS / level / "bench"
    return _executable(binary, "the package's binary")


def _package() -> Distribution:
    try:
        return distribution(NAME)
    except PackageNotFoundError:
        raise Error(
            f"{NAME} is not installed: pip install a wheel, or name a binary in the environment "
            f"variable {OVERRIDE}"
        ) from None


def _installed_binary(package: Distribution) -> Path:
    for file in package.files or []:
        if file.name == "bench" and file.parent.name == "bin":
            return Path(str(file.locate())).resolve()
    raise Error(f"the installed package has no binary: pip install --force-reinstall {NAME}")


def _executable(path: Path, description: str) -> Path:
    if not path.is_file():
        raise Error(f"{path}, {description}, does not exist")
    if not os.access(path, os.X_OK):
        raise Error(f"{path}, {description}, is not executable: chmod +x {path}")
    return path
