"""Sweeps of constants, as `tuned/VARIANT.toml` next to a kernel file declares them."""

import itertools
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

# Architectures with machine code in images, and the one of their PTX.
ARCHITECTURES = (80, 90, 100)
PTX_ARCHITECTURE = 75
# More take too long on a GPU that is lent.
MAX_COMBINATIONS = 16
NAME = re.compile(r"[A-Z][A-Z0-9_]*")


class TuneError(Exception):
    """Bad input, with the file and what to do."""


@dataclass(frozen=True)
class Constant:
    """A constant of a kernel with the values of its sweep."""

    name: str
    meaning: str
    default: int
    values: tuple
    # Values by architecture that were not found by a sweep.
    known: dict


@dataclass(frozen=True)
class Measurement:
    """A run of `bench`, and the stage of its summary that counts."""

    task: str
    variant: str
    stage: str
    arguments: tuple


@dataclass(frozen=True)
class Sweep:
    """What is swept of a kernel file, how it is checked and measured."""

    kernel: str
    source: Path
    constants: tuple
    verify: tuple
    judged: Measurement
    guards: tuple

    @property
    def declaration(self):
        return self.source.parent / "tuned" / f"{self.source.stem}.toml"

    @property
    def table(self):
        return self.declaration.with_suffix(".h")

    @property
    def crate(self):
        return Path(*self.source.parts[: self.source.parts.index("src")])

    def combinations(self, present):
        """Values of all constants: the present ones first, then all others in order."""
        names = [constant.name for constant in self.constants]
        values = (constant.values for constant in self.constants)
        swept = [dict(zip(names, combination)) for combination in itertools.product(*values)]
        return [present, *(each for each in swept if each != present)]


def label(values):
    """Name of a combination: its folder and its key in results."""
    return ",".join(f"{name}={value}" for name, value in values.items())


def kernel_name(source):
    """TASK-VARIANT, as the image of a kernel file is named."""
    return f"{source.parent.parent.name}-{source.stem}"


def declared_sweeps(root):
    """The kernel files with a declaration, by name; paths are relative to the repository."""
    crates = [root / "gpu", *root.glob("algorithms/*")]
    found = [path for crate in crates for path in (crate / "src").glob("**/cuda/tuned/*.toml")]
    sources = (path.relative_to(root).parent.parent / f"{path.stem}.cu" for path in found)
    return {kernel_name(source): source for source in sorted(sources)}


def load(root, kernel):
    """The sweep of a kernel file."""
    declared = declared_sweeps(root)
    if kernel not in declared:
        known = ", ".join(sorted(declared)) or "none"
        raise TuneError(f"there is no sweep of {kernel}; declared are {known}: see docs/cuda.md, Tuning tables")
    source = declared[kernel]
    path = source.parent / "tuned" / f"{source.stem}.toml"
    if not (root / source).is_file():
        raise TuneError(f"{path}: there is no kernel file {source}")
    try:
        content = tomllib.loads((root / path).read_text())
    except tomllib.TOMLDecodeError as error:
        raise TuneError(f"{path}: {error}") from error
    return read(path, kernel, source, content)


def read(path, kernel, source, content):
    check_keys(path, content, {"constants", "verify", "judged"}, {"guards"})
    constants = tuple(constant(path, name, entry) for name, entry in content["constants"].items())
    if not constants:
        raise TuneError(f"{path}: no constants; add [constants.NAME]")
    sweep = Sweep(
        kernel,
        source,
        constants,
        tuple(map(str, content["verify"])),
        measurement(f"{path}: judged", content["judged"]),
        tuple(measurement(f"{path}: guards", entry) for entry in content.get("guards", [])),
    )
    count = len(sweep.combinations({each.name: each.default for each in constants}))
    if count > MAX_COMBINATIONS:
        raise TuneError(f"{path}: {count} combinations, at most {MAX_COMBINATIONS} are swept: leave values out")
    return sweep


def constant(path, name, entry):
    where = f"{path}: constants.{name}"
    if not NAME.fullmatch(name):
        raise TuneError(f"{where}: names of constants have capital letters, digits and underscores")
    check_keys(where, entry, {"meaning", "default", "values"}, {"known"})
    known = {architecture_number(where, arch): value for arch, value in entry.get("known", {}).items()}
    numbers = [entry["default"], *entry["values"], *known.values()]
    if not entry["values"] or not all(isinstance(value, int) and 0 < value < 2**32 for value in numbers):
        raise TuneError(f"{where}: values are whole numbers from 1 on")
    return Constant(name, entry["meaning"], entry["default"], tuple(dict.fromkeys(entry["values"])), known)


def architecture_number(where, arch):
    numbers = {f"sm_{number}": number for number in (PTX_ARCHITECTURE, *ARCHITECTURES)}
    if arch not in numbers:
        raise TuneError(f"{where}: unknown architecture {arch}; there are {', '.join(numbers)}")
    return numbers[arch]


def measurement(where, entry):
    check_keys(where, entry, {"task", "variant", "stage"}, {"arguments"})
    arguments = tuple(map(str, entry.get("arguments", [])))
    return Measurement(entry["task"], entry["variant"], entry["stage"], arguments)


def check_keys(where, entry, required, optional):
    if missing := required - entry.keys():
        raise TuneError(f"{where}: {', '.join(sorted(missing))} missing")
    if unknown := entry.keys() - required - optional:
        raise TuneError(f"{where}: unknown {', '.join(sorted(unknown))}")
