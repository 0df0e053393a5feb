"""Compiles a kernel file with all combinations of its tuned constants, without a GPU.

    combinations.py KERNEL --arch NUMBER --to FOLDER

FOLDER/KERNEL has a folder for each combination, with the images that include the table, and
sweep.json, which has all that measure.py has to know. Needs what find_toolkit exports.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/kernels"))

from exact import included  # noqa: E402
from ptxas import read_log  # noqa: E402
from rules import accepted_spill, read_list  # noqa: E402
from sweep import ARCHITECTURES, TuneError, kernel_name, label, load  # noqa: E402
from table import render, values  # noqa: E402
from visible import interface, refuse_visible  # noqa: E402

INCLUDES = tuple(map(Path, ("algorithms/sts/kernels", "gpu/build/include", "cuda-emulator/build/include")))
ACCEPTED = ROOT / "scripts/kernels/accepted-spills.txt"
# Characters of a compiler's complaint that are kept.
MAX_MESSAGE = 2000


def users(sweep):
    """The kernel files that include the table, and all files that they need."""
    table = (ROOT / sweep.table).resolve()
    folders = [ROOT / folder for folder in INCLUDES]
    sources = {}
    for source in sorted((ROOT / sweep.crate / "src").rglob("cuda/*.cu")):
        headers = included(source, folders)
        if table in headers:
            sources[source.relative_to(ROOT)] = [header.relative_to(ROOT) for header in headers]
    if sweep.source not in sources:
        raise TuneError(f"{sweep.source} does not include {sweep.table}")
    return sources


def compile_combination(sweep, sources, architecture, own, folder):
    """Compiles all images of a combination into a folder; returns its state and the interfaces."""
    with tempfile.TemporaryDirectory() as temporary:
        tree = Path(temporary)
        copy_sources(sources, tree)
        (tree / sweep.table).write_text(render(ROOT, sweep, {architecture: own}))
        spills, interfaces = [], {}
        for source in sources:
            command = ["scripts/kernels/compile.sh", str(source), str(architecture)]
            done = subprocess.run(command, cwd=tree, capture_output=True, text=True)
            if done.returncode != 0:
                return {"state": "does not compile", "why": done.stderr.strip()[-MAX_MESSAGE:]}, {}
            built = tree / "target/kernels" / kernel_name(source)
            shutil.copy(f"{built}.fatbin", folder)
            spills += spilling(read_log(Path(f"{built}.log").read_text()))
            interfaces[source] = interface(Path(f"{built}.parts/{architecture}.ptx").read_text())
    if spills:
        return {"state": "spills", "why": "; ".join(spills)}, interfaces
    return {"state": "compiled"}, interfaces


def copy_sources(sources, tree):
    """A copy of all that is compiled, with the same paths: the table in it can be replaced."""
    for path in {path for source, headers in sources.items() for path in (source, *headers)}:
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, tree / path)
    (tree / "scripts").symlink_to(ROOT / "scripts")
    (tree / "target/kernels").mkdir(parents=True)


def spilling(resources):
    """Sentences about the kernels that spill more than is accepted."""
    accepted = dict(accepted_spill(line) for line in read_list(ACCEPTED))
    for each in resources:
        if each.spilled > accepted.get((each.kernel, each.arch), 0):
            yield f"{each.kernel} spills {each.spilled} bytes"


def compile_all(sweep, architecture, to):
    refuse_visible(ROOT, sweep, INCLUDES)
    sources = users(sweep)
    folder = to / sweep.kernel
    shutil.rmtree(folder, ignore_errors=True)
    present = values(ROOT, sweep, architecture)
    combinations = sweep.combinations(present)

    def compiled(own):
        to_folder = folder / label(own)
        to_folder.mkdir(parents=True)
        return compile_combination(sweep, sources, architecture, own, to_folder)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(compiled, combinations))
    expected = found[0][1]
    if found[0][0]["state"] != "compiled":
        raise TuneError(f"{sweep.kernel} with its present values {found[0][0]['state']}: {found[0][0]['why']}")
    for own, (_, interfaces) in zip(combinations, found):
        if interfaces and interfaces != expected:
            raise TuneError(
                f"{sweep.declaration}: with {label(own)} threads, parameters or dynamic shared memory differ, which"
                " launchers rely on: leave the constant out"
            )
    states = {label(own): {"values": own, **state} for own, (state, _) in zip(combinations, found)}
    write_sweep(sweep, architecture, label(present), states, folder)
    return states


def write_sweep(sweep, architecture, present, states, folder):
    content = {
        "kernel": sweep.kernel,
        "architecture": architecture,
        "present": present,
        "verify": sweep.verify,
        "points": [asdict(each) for each in (sweep.judged, *sweep.guards)],
        "combinations": states,
    }
    (folder / "sweep.json").write_text(json.dumps(content, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("kernel")
    parser.add_argument("--arch", type=int, default=90)
    parser.add_argument("--to", type=Path, required=True)
    options = parser.parse_args()
    if options.arch not in ARCHITECTURES:
        raise TuneError(f"--arch {options.arch}: images have {', '.join(map(str, ARCHITECTURES))}")
    states = compile_all(load(ROOT, options.kernel), options.arch, options.to.absolute())
    for name, each in states.items():
        print(f"{name}: {each['state']}{': ' + each['why'] if 'why' in each else ''}")
    print(f"images are in {options.to / options.kernel}; next: scripts/tune.sh {options.kernel} --measure, with a GPU")


if __name__ == "__main__":
    try:
        main()
    except TuneError as error:
        sys.exit(f"tune.sh: {error}")
