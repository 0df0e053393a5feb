"""Versions, names of archives, and the recipes in packaging/, which are evaluated with stand-ins for their systems."""

import re
import sys
import tomllib
import types
import unittest
from pathlib import Path
from unittest import mock

import jinja2
import yaml

ROOT = Path(__file__).resolve().parents[2]


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


MANIFEST = tomllib.loads(read("Cargo.toml"))
VERSION = MANIFEST["workspace"]["package"]["version"]


def archives() -> set[str]:
    """Names of the archives that the release workflow makes."""
    release = yaml.safe_load(read(".github/workflows/release.yml"))
    matrix = release["jobs"]["archive"]["strategy"]["matrix"]["include"]
    return {f"recobench-v{VERSION}-{entry['cpu']}-linux" for entry in matrix}


class Versions(unittest.TestCase):
    def test_all_files_have_the_version_of_the_workspace(self):
        self.assertIn(f"\nversion: {VERSION}\n", read("CITATION.cff"))
        self.assertRegex(read("CHANGELOG.md"), rf"(?m)^## \[{re.escape(VERSION)}\] - \d{{4}}-\d\d-\d\d$")
        folders = [ROOT / member / "Cargo.toml" for member in MANIFEST["workspace"]["members"]]
        crates = {tomllib.loads(path.read_text(encoding="utf-8"))["package"]["name"] for path in folders}
        for lock in ("Cargo.lock", "examples/own-task/Cargo.lock", "fuzz/Cargo.lock", "plugins/cubecl/Cargo.lock"):
            packages = tomllib.loads(read(lock))["package"]
            ours = {package["version"] for package in packages if package["name"] in crates and "source" not in package}
            self.assertEqual(ours, {VERSION}, lock)

    def test_archives_of_the_workflow_are_those_of_the_script(self):
        script = read("scripts/release.sh")
        for name in archives():
            cpu = name.removeprefix(f"recobench-v{VERSION}-").removesuffix("-linux")
            self.assertIn(cpu, script)
        self.assertEqual(len(archives()), 4)

    def test_binstall_finds_the_archives(self):
        metadata = MANIFEST["package"]["metadata"]["binstall"]
        values = {"repo": "https://host/owner/name", "version": VERSION, "bin": "bench", "binary-ext": ""}
        for templates in (metadata, *metadata["overrides"].values()):
            filled = {
                key: re.sub(r"\{ ([a-z-]+) \}", lambda found: values[found[1]], templates[key])
                for key in ("pkg-url", "bin-dir")
            }
            folder, program = filled["bin-dir"].split("/")
            self.assertEqual(program, "bench")
            self.assertIn(folder, archives())
            self.assertEqual(filled["pkg-url"], f"https://host/owner/name/releases/download/v{VERSION}/{folder}.tar.gz")


class Conda(unittest.TestCase):
    def recipe(self, *selectors: str) -> dict:
        text = jinja2.Template(read("packaging/conda/meta.yaml")).render(compiler=lambda language: f"{language}_linux-64")
        lines = []
        for line in text.splitlines():
            condition = re.search(r"# \[(.*)\]$", line)
            if condition is None or condition[1] in selectors:
                lines.append(line)
        return yaml.safe_load("\n".join(lines))

    def test_the_recipe_builds_this_version_of_this_checkout(self):
        for selector, cpu in (("x86_64", "x86-64-v3"), ("aarch64", "generic")):
            recipe = self.recipe(selector)
            self.assertEqual(recipe["package"], {"name": "recobench", "version": VERSION})
            builds = [line for line in recipe["build"]["script"] if line.startswith("cargo build")]
            self.assertEqual(len(builds), 1)
            self.assertIn(f"-Ctarget-cpu={cpu}'", builds[0])
            self.assertIn("rust_linux-64", recipe["requirements"]["build"])
            self.assertNotIn("skip", recipe["build"])
            source = ROOT / "packaging/conda" / recipe["source"]["path"]
            self.assertEqual(source.resolve(), ROOT)
            self.assertTrue((source / recipe["about"]["license_file"]).is_file())
            self.assertEqual(recipe["about"]["license"], MANIFEST["workspace"]["package"]["license"])

    def test_other_systems_are_skipped(self):
        self.assertTrue(self.recipe("not linux")["build"]["skip"])


class Spec:
    """A concrete package: variants that are on, and the target's level."""

    def __init__(self, level: str, *variants: str):
        self.target = types.SimpleNamespace(generic=level)
        self.variants = variants

    def satisfies(self, condition: str) -> bool:
        return condition.removeprefix("+") in self.variants


class Spack(unittest.TestCase):
    def setUp(self):
        self.declared: dict[str, list] = {}
        self.commands: list[tuple] = []
        spack = types.ModuleType("spack.package")
        spack.Package = type("Package", (), {})
        for directive in ("license", "version", "variant", "depends_on", "conflicts"):
            spack.__dict__[directive] = lambda *arguments, _name=directive, **named: self.declared.setdefault(
                _name, []
            ).append((arguments, named))
        spack.join_path = lambda *parts: "/".join(map(str, parts))
        spack.which = spack.Executable = lambda name: lambda *arguments: self.commands.append((name, *arguments))
        spack.mkdirp = lambda path: self.commands.append(("mkdirp", path))
        spack.install = lambda *paths: self.commands.append(("install", *paths))
        path = ROOT / "packaging/spack/package.py"
        names = {"__file__": str(path), "__name__": "recobench"}
        with mock.patch.dict(sys.modules, {"spack": types.ModuleType("spack"), "spack.package": spack}):
            exec(compile(path.read_text(encoding="utf-8"), path, "exec"), names)
        self.package = names["Recobench"]()

    def built(self, spec: Spec) -> list[str]:
        self.package.spec = spec
        prefix = type("Prefix", (str,), {"bin": property(lambda self: self + "/bin")})("/opt/recobench")
        self.commands.clear()
        self.package.install(spec, prefix)
        self.assertEqual(self.commands[-1][:2], ("/opt/recobench/bin/bench", "man"))
        self.assertIn(("install", "target/dist/bench", "/opt/recobench/bin"), self.commands)
        return list(self.commands[0])

    def test_the_recipe_has_this_version_and_the_oldest_compiler(self):
        self.assertIn(((VERSION,), {"tag": f"v{VERSION}"}), self.declared["version"])
        rust = MANIFEST["workspace"]["package"]["rust-version"]
        self.assertIn(((f"rust@{rust}:",), {"type": "build"}), self.declared["depends_on"])
        self.assertEqual(self.package.git, f"file://{ROOT}")

    def test_variants_and_targets_reach_cargo(self):
        built = self.built(Spec("x86_64_v3", "emulator", "wgpu"))
        self.assertEqual(built[:6], ["cargo", "build", "--locked", "--profile", "dist", "--bin"])
        self.assertEqual(built[-3:], ["emulator,wgpu", "--config", "build.rustflags=['-Ctarget-cpu=x86-64-v3']"])
        self.assertNotIn("--features", self.built(Spec("x86_64")))
        self.assertIn("-Ctarget-cpu=x86-64'", self.built(Spec("x86_64"))[-1])
        self.assertIn("-Ctarget-cpu=generic'", self.built(Spec("aarch64"))[-1])
        for feature in ("emulator", "wgpu"):
            self.assertIn(feature, MANIFEST["features"])


if __name__ == "__main__":
    unittest.main()
