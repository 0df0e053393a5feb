"""What scripts/release.sh refuses: archives are made of a program of the system here; .ci/run packs a real one."""

import platform
import re
import shutil
import subprocess
import tarfile
import tempfile
import unittest
from pathlib import Path

from test_packaging import ROOT, VERSION

FILES = (
    "LICENSE", "README.md", "CHANGELOG.md", "man/man1/bench.1", "man/man1/bench-sort.1", "completions/bench.bash",
    "completions/bench.zsh", "completions/bench.fish",
)
HERE, OTHER = ("aarch64", "x86-64-v3") if platform.machine() == "aarch64" else ("x86-64-v3", "aarch64")


class Archives(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def archive(self, cpu=HERE, version=VERSION, without=(), extra=()) -> Path:
        """An archive whose program is one of the system, which is no `bench`."""
        name = f"recobench-v{version}-{cpu}-linux"
        tree = self.folder / "tree" / name
        for file in FILES:
            (tree / file).parent.mkdir(parents=True, exist_ok=True)
            (tree / file).write_text("text")
        shutil.copy(shutil.which("true"), tree / "bench")
        for file in without:
            (tree / file).write_text("")
        path = self.folder / f"{name}.tar.gz"
        with tarfile.open(path, "w:gz") as packed:
            packed.add(tree, name)
            for other in extra:
                packed.add(tree / "LICENSE", other)
        return path

    def refused(self, path: Path, **environment: str) -> str:
        command = [ROOT / "scripts/release.sh", "--check", path]
        done = subprocess.run(command, env=environment | {"PATH": "/usr/bin:/bin"}, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1, done.stdout)
        return done.stderr

    def test_archives_that_lack_something_are_refused_by_name(self):
        for file in FILES[-3:]:
            self.assertIn(f"{file} is missing or empty", self.refused(self.archive(without=[file])))
        self.assertIn("files outside of", self.refused(self.archive(extra=["elsewhere"])))
        self.assertIn("no such file", self.refused(self.folder / "none.tar.gz"))
        (self.folder / "damaged.tar.gz").write_text("text")
        self.assertIn("not an archive", self.refused(self.folder / "damaged.tar.gz"))

    def test_names_say_for_which_machine_and_version_the_program_is(self):
        self.assertIn("the name is not that of", self.refused(self.archive("riscv")))
        self.assertIn("the name is not that of", self.refused(self.archive(version="0.0.1")))
        self.assertRegex(self.refused(self.archive(OTHER)), "bench is not for (AArch64|Advanced Micro Devices)")
        self.assertIn(f"not version {VERSION}", self.refused(self.archive()))

    def test_a_program_for_a_newer_glibc_is_refused(self):
        self.assertRegex(self.refused(self.archive(), MAX_GLIBC="2.1"), r"bench needs GLIBC \S+, more than 2.1")


class Notes(unittest.TestCase):
    def test_the_notes_are_those_of_this_version_and_their_links_lead_to_the_repository(self):
        command = [ROOT / "scripts/release.sh", "--notes", "https://host/o/n"]
        notes = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        self.assertIn("### Added", notes)
        self.assertNotIn("## [0.2.0]", notes)
        self.assertIn(f"](https://host/o/n/blob/v{VERSION}/docs/install.md)", notes)
        self.assertEqual([link for link in re.findall(r"\]\(([^)]*)\)", notes) if "://" not in link], [])


if __name__ == "__main__":
    unittest.main()
