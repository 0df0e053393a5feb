"""The choice of a binary, and what is missing where none can run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from importlib.metadata import PackagePath
from pathlib import Path

import pytest

from recobench import Error, _binary
from recobench._binary import Machine, best_level, cpu_flags, glibc_version, needed_glibc, problem

ROOT = Path(__file__).parents[2]
LEVELS = ["x86-64-v2", "x86-64-v3", "x86-64-v4"]

CPUINFO = """processor\t: 0
vendor_id\t: GenuineIntel
flags\t\t: fpu cx16 lahf_lm popcnt pni sse4_1 sse4_2 ssse3 {further}
bugs\t\t: spectre_v1

processor\t: 1
flags\t\t: fpu
"""
V3 = "abm avx avx2 bmi1 bmi2 f16c fma movbe xsave"
V4 = f"{V3} avx512bw avx512cd avx512dq avx512f avx512vl"

MACHINE = Machine("x86_64", (2, 36), cpu_flags(CPUINFO.format(further=V3)))


@pytest.mark.parametrize(
    ("further", "available", "expected"),
    [
        ("", LEVELS, "x86-64-v2"),
        (V3, LEVELS, "x86-64-v3"),
        (V4, LEVELS, "x86-64-v4"),
        (V4, ["x86-64-v3"], "x86-64-v3"),
        (V3, ["x86-64-v4"], None),
        (V3.replace("fma", ""), LEVELS, "x86-64-v2"),
        # A level needs the lower ones.
        (V4.replace("bmi1", ""), LEVELS, "x86-64-v2"),
        (V4, [], None),
        (V4, ["__pycache__"], None),
    ],
)
def test_the_highest_level_of_the_cpu_is_chosen(
    further: str, available: list[str], expected: str | None
) -> None:
    assert best_level(available, cpu_flags(CPUINFO.format(further=further))) == expected


def test_a_file_without_flags_has_none() -> None:
    assert cpu_flags("processor\t: 0\nFeatures\t: fp asimd\n") == frozenset()


@pytest.mark.parametrize(
    ("text", "expected"),
    [("glibc 2.36", (2, 36)), ("glibc 2.5.1", (2, 5)), ("musl 1.2", None), ("", None)],
)
def test_versions_of_glibc(text: str, expected: tuple[int, int] | None) -> None:
    assert glibc_version(text) == expected


def test_the_oldest_glibc_is_in_the_tags_of_the_wheel() -> None:
    wheel = "Wheel-Version: 1.0\nTag: py3-none-manylinux_2_34_x86_64\n"
    assert needed_glibc(wheel) == (2, 34)
    assert needed_glibc(wheel + "Tag: py3-none-manylinux_2_9_x86_64\n") == (2, 9)
    assert needed_glibc("Tag: py3-none-linux_x86_64\n") is None


def test_nothing_is_missing_where_all_is_there() -> None:
    assert problem(MACHINE, (2, 36)) is None
    assert problem(MACHINE, None) is None
    # The binary looks for itself where the flags are unknown, and on other architectures.
    assert problem(replace(MACHINE, cpu_flags=frozenset()), None) is None
    assert problem(replace(MACHINE, architecture="aarch64", cpu_flags=frozenset("x")), None) is None


@pytest.mark.parametrize(
    ("machine", "expected"),
    [
        (replace(MACHINE, glibc=(2, 9)), "needs glibc 2.28, and this system has 2.9"),
        (replace(MACHINE, glibc=None), "not glibc, perhaps musl"),
        (replace(MACHINE, cpu_flags=MACHINE.cpu_flags - {"sse4_2", "popcnt"}), "popcnt, sse4_2"),
    ],
)
def test_what_is_missing_is_named_in_a_sentence(machine: Machine, expected: str) -> None:
    sentence = problem(machine, (2, 28))
    assert sentence is not None
    assert expected in sentence
    assert "\n" not in sentence


def test_the_base_level_is_that_of_the_wheel() -> None:
    project = (ROOT / "pyproject.toml").read_text().replace("\\", "")
    for architecture, level in _binary.BASE_LEVELS.items():
        assert f"'cfg(target_arch = \"{architecture}\")'.rustflags = ['-Ctarget-cpu={level}'" in project


class _Package:
    """An installed wheel with a binary in the folder of scripts."""

    def __init__(self, root: Path, tag: str) -> None:
        self.root = root
        self.tag = tag
        self.files = [PackagePath("bin/recobench"), PackagePath("bin/bench")]
        for file in self.files:
            file.dist = self  # type: ignore[assignment]

    def locate_file(self, path: PackagePath) -> Path:
        return self.root / path

    def read_text(self, name: str) -> str | None:
        return f"Tag: py3-none-{self.tag}\n" if name == "WHEEL" else None


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A wheel that is installed on a machine of the level x86-64-v3 with glibc 2.36."""
    package = _Package(tmp_path, "manylinux_2_28_x86_64")
    monkeypatch.delenv(_binary.OVERRIDE)
    monkeypatch.setattr(_binary, "_package", lambda: package)
    monkeypatch.setattr(_binary, "this_machine", lambda: MACHINE)
    monkeypatch.setattr(_binary, "_LEVELS", tmp_path / "levels")
    for folder in ("bin", "levels/x86-64-v3", "levels/x86-64-v4"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "bench").touch(0o755)
    return tmp_path


def test_the_binary_of_the_highest_level_is_started(installed: Path) -> None:
    assert _binary.usable_binary() == installed / "levels/x86-64-v3/bench"


def test_the_binary_of_the_wheel_is_started_without_others(installed: Path) -> None:
    shutil.rmtree(installed / "levels")
    assert _binary.usable_binary() == installed / "bin/bench"
    (installed / "bin/bench").unlink()
    with pytest.raises(Error, match="bin/bench, the package's binary, does not exist"):
        _binary.usable_binary()


def test_a_machine_that_lacks_something_starts_nothing(
    installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_binary, "this_machine", lambda: replace(MACHINE, glibc=(2, 17)))
    with pytest.raises(Error, match="needs glibc 2.28, and this system has 2.17"):
        _binary.usable_binary()


def _start(binary: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "RECOBENCH_BINARY": str(binary), "PYTHONPATH": str(ROOT / "python")}
    command = [sys.executable, "-m", "recobench", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True)


def test_the_module_runs_the_binary_and_returns_its_exit_code() -> None:
    binary = Path(os.environ["RECOBENCH_BINARY"]).absolute()
    version = _start(binary, "--version")
    assert (version.returncode, version.stdout.split()[0]) == (0, "recobench")
    wrong = _start(binary, "sort", "--segmants", "24")
    assert wrong.returncode == 2
    assert "--segments" in wrong.stderr


@pytest.mark.parametrize(
    ("mode", "expected"), [(None, "does not exist"), (0o644, "not executable"), (0o755, "cannot start")]
)
def test_a_binary_that_cannot_run_is_a_sentence(
    tmp_path: Path, mode: int | None, expected: str
) -> None:
    binary = tmp_path / "bench"
    if mode is not None:
        binary.write_text("neither a script nor a program\n")
        binary.chmod(mode)
    result = _start(binary)
    assert result.returncode == 2
    assert result.stderr.startswith("recobench: ")
    assert expected in result.stderr
    assert result.stderr.count("\n") == 1


def test_other_systems_are_refused_at_import() -> None:
    code = "import sys; sys.platform = 'darwin'; import recobench"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    result = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True
    )
    assert "ImportError: recobench runs on Linux only, not on darwin" in result.stderr
