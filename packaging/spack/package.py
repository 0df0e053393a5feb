"""A recipe for Spack, of the checkout that it lies in: see docs/install.md."""

from pathlib import Path

from spack.package import *


class Recobench(Package):
    """A performance lab for online reconstruction in particle physics: measures and compares reconstruction algorithms
    of CBM, ALICE and LHCb on CPUs and GPUs, and checks every result before it is timed."""

    git = f"file://{Path(__file__).resolve().parents[2]}"

    license("Apache-2.0")

    version("main", branch="main")
    version("0.3.0", tag="v0.3.0")

    variant("emulator", default=True, description="CUDA kernels on the CPU")
    variant("wgpu", default=False, description="GPUs of any make, through Vulkan")

    depends_on("rust@1.95:", type="build")
    depends_on("cxx", type="build")

    conflicts("platform=darwin", msg="recobench runs on Linux only")
    conflicts("platform=windows", msg="recobench runs on Linux only")

    def target_cpu(self):
        """The name that rustc has for the level of the target, such as x86-64-v3 for zen3."""
        level = str(self.spec.target.generic)
        return level.replace("_", "-") if level.startswith("x86_64") else "generic"

    def install(self, spec, prefix):
        features = [name for name in ("emulator", "wgpu") if spec.satisfies(f"+{name}")]
        arguments = ["build", "--locked", "--profile", "dist", "--bin", "bench"]
        if features:
            arguments += ["--features", ",".join(features)]
        which("cargo")(*arguments, "--config", f"build.rustflags=['-Ctarget-cpu={self.target_cpu()}']")
        mkdirp(prefix.bin)
        install(join_path("target", "dist", "bench"), prefix.bin)
        Executable(join_path(prefix.bin, "bench"))("man", join_path(prefix, "share", "man", "man1"))

    def test_verify(self):
        """every variant of sorting gives the right output"""
        Executable(join_path(self.prefix.bin, "bench"))("verify", "sort", "--seeds", "1", "--quiet")
