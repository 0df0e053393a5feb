"""Declarations, tables, and which constants are refused.

    python3 -m unittest discover -s scripts/tune
"""

import json
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/kernels"))

import combinations  # noqa: E402
import write  # noqa: E402
from sweep import TuneError, declared_sweeps, label, load  # noqa: E402
from table import render, result_path, values  # noqa: E402
from visible import interface, refuse_visible  # noqa: E402

CUDA = Path("algorithms/sts/src/sort/cuda")
DECLARATION = """
verify = ["--seeds", 1]
[constants.BATCH]
meaning = "Items that a thread loads at once."
default = 4
values = [2, 4, 8]
known = { sm_75 = 2 }
[judged]
task = "sort"
variant = "fast"
stage = "sort_tiles"
arguments = ["--digis", 1000]
"""
KERNEL = """
#include "tuned/tiles.h"
constexpr u32 THREADS = 256;
constexpr u32 BLOCK_ITEMS = 4;
constexpr u32 TILE = THREADS * BLOCK_ITEMS;
constexpr u32 WARPS = THREADS / 32;
KERNEL_INSTANCE(sort_tiles, Sort, (THREADS, 2), sort<BATCH, WARPS, TILE>)
"""
LAUNCHER = "use crate::kernels::sort_tiles::{SORT_TILES, TILE};"
RUN = {"median": 1.0, "low": 0.99, "high": 1.01, "level": 0.95, "samples": [1.0], "registers": 40}
FAST = {"median": 0.8, "low": 0.79, "high": 0.81, "level": 0.95, "samples": [0.8], "registers": 40}
RESULT = {
    "kernel": "sort-tiles",
    "architecture": 90,
    "present": "BATCH=4",
    "stages": ["sort_tiles of sort"],
    "measured": {"gpus": ["fake, driver 1"], "cpu": "fake", "git_commit": "abc", "started": "2026-11-29T11:40:53Z"},
    "combinations": {
        "BATCH=4": {"values": {"BATCH": 4}, "state": "right", "runs": [[RUN], [RUN]]},
        "BATCH=8": {"values": {"BATCH": 8}, "state": "right", "runs": [[FAST], [FAST]]},
        "BATCH=2": {"values": {"BATCH": 2}, "state": "spills", "why": "by 8 bytes"},
    },
    "confirmation": {"winner": "BATCH=8", "runs": [[FAST]] * 3, "present": [[RUN]] * 3},
}
PTX = """
.global .align 4 .u32 sort_tiles_shared_bytes = 1024;
.visible .entry sort_tiles(
\t.param .u64 sort_tiles_param_0,
\t.param .align 8 .b8 sort_tiles_param_1[48]
)
.maxntid 256, 1, 1
.minnctapersm 2
{
"""


class Repository(unittest.TestCase):
    """A repository with a kernel."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.put("tuned/tiles.toml", DECLARATION)
        self.put("tiles.cu", KERNEL)
        self.put("tiles.rs", LAUNCHER)

    def put(self, name, text):
        path = self.root / CUDA / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def load(self):
        return load(self.root, "sort-tiles")

    def keep(self, result):
        file = self.root / "result.json"
        file.write_text(json.dumps(result))
        return write.keep(self.root, "sort-tiles", file)


class Declarations(Repository):
    def test_combinations_begin_with_the_present_values(self):
        combinations = self.load().combinations({"BATCH": 8})
        self.assertEqual(list(map(label, combinations)), ["BATCH=8", "BATCH=2", "BATCH=4"])

    def test_unknown_kernels_are_named_with_those_there_are(self):
        with self.assertRaisesRegex(TuneError, "no sweep of sort-bins; declared are sort-tiles"):
            load(self.root, "sort-bins")

    def test_bad_declarations_name_the_entry(self):
        for old, new, message in [
            ("[2, 4, 8]", "[2, 0]", "BATCH: values are whole numbers"),
            ("[2, 4, 8]", "[]", "BATCH: values are whole numbers"),
            ("[2, 4, 8]", str(list(range(1, 30))), "29 combinations, at most 16"),
            ("sm_75", "sm_76", "unknown architecture sm_76"),
            ("constants.BATCH", "constants.batch", "capital letters"),
            ('stage = "sort_tiles"', "", "judged: stage missing"),
            ("verify", "checked", "verify missing"),
            ("[judged]", "[judged", "tiles.toml"),
        ]:
            self.put("tuned/tiles.toml", DECLARATION.replace(old, new))
            with self.assertRaisesRegex(TuneError, message):
                self.load()


class Launchers(Repository):
    """What they read can't be tuned."""

    def refused(self, name, message):
        self.put("tuned/tiles.toml", DECLARATION.replace("BATCH", name))
        self.put("tiles.cu", KERNEL.replace(f"constexpr u32 {name} = 4;\n", ""))
        with self.assertRaisesRegex(TuneError, message):
            refuse_visible(self.root, self.load(), [])

    def test_a_constant_of_the_device_alone_is_accepted(self):
        refuse_visible(self.root, self.load(), [])

    def test_one_that_a_launcher_reads_through_another_is_refused(self):
        self.refused("BLOCK_ITEMS", "read by the launcher through TILE .*tiles.rs")

    def test_one_that_a_launcher_reads_is_refused(self):
        self.put("tiles.rs", LAUNCHER.replace("TILE}", "BATCH}"))
        self.refused("BATCH", "read by the launcher .*only constants of the device alone")

    def test_threads_are_refused(self):
        self.put("tiles.rs", "")
        self.put("tuned/tiles.toml", DECLARATION.replace("BATCH", "THREADS"))
        self.put("tiles.cu", KERNEL.replace("constexpr u32 THREADS = 256;\n", ""))
        with self.assertRaisesRegex(TuneError, "threads of a block"):
            refuse_visible(self.root, self.load(), [])

    def test_one_that_does_not_exist_or_stays_in_the_kernel_is_refused(self):
        self.refused("LOADS", "is not used by .*tiles.cu")
        self.put("tuned/tiles.toml", DECLARATION.replace("BATCH", "WARPS"))
        self.put("tiles.cu", KERNEL)
        with self.assertRaisesRegex(TuneError, "defined in the kernel too"):
            refuse_visible(self.root, self.load(), [])

    def test_interfaces_differ_by_threads_parameters_and_shared_memory(self):
        own = interface(PTX)
        self.assertEqual(own, interface(PTX.replace(".minnctapersm 2", ".minnctapersm 4")))
        changes = [("= 1024", "= 2048"), ("maxntid 256", "maxntid 128"), ("[48]", "[56]"), (".u64 sort", ".u32 sort")]
        for old, new in changes:
            self.assertNotEqual(own, interface(PTX.replace(old, new)), old)


class Tables(Repository):
    def test_defaults_are_for_the_host_and_known_values_for_their_architecture(self):
        text = render(self.root, self.load())
        self.assertIn("#if !defined(__CUDA_ARCH__)\nconstexpr u32 BATCH = 4;", text)
        self.assertIn("#elif __CUDA_ARCH__ == 750\nconstexpr u32 BATCH = 2;\n#else\nconstexpr u32 BATCH = 4;", text)

    def test_a_kept_sweep_is_in_the_table_of_its_architecture_alone(self):
        self.keep(RESULT)
        sweep = self.load()
        self.assertEqual([values(self.root, sweep, arch)["BATCH"] for arch in (75, 80, 90, 100)], [2, 4, 8, 4])
        path = result_path("sort-tiles", 90)
        self.assertIn(f"#elif __CUDA_ARCH__ == 900\n// {path}\nconstexpr u32 BATCH = 8;", render(self.root, sweep))

    def test_a_sweep_without_a_gain_keeps_the_present_values(self):
        self.keep(RESULT | {"present": "BATCH=8", "confirmation": None})
        self.assertEqual(values(self.root, self.load(), 90), {"BATCH": 8})

    def test_the_page_has_times_states_and_the_verdict(self):
        self.keep(RESULT)
        page = write.outputs(self.root)[write.PAGE]
        self.assertIn("`BATCH=8` is 20.0% faster, confirmed by a second measurement.", page)
        self.assertIn("| `BATCH=2` | spills |  |  |  |", page)
        self.assertIn("| `BATCH=4`, present | right | 1000.0000 (990.0000 to 1010.0000) |", page)

    def test_results_that_do_not_fit_are_refused(self):
        other = json.loads(json.dumps(RESULT).replace("BATCH", "ITEMS"))
        for result, message in [
            (RESULT | {"kernel": "sort-bins"}, "is a sweep of sort-bins"),
            (RESULT | {"measured": None}, "was not measured"),
            (other, "has other constants"),
        ]:
            with self.assertRaisesRegex(TuneError, message):
                self.keep(result)
        with self.assertRaisesRegex(TuneError, "--measure writes it"):
            write.keep(self.root, "sort-tiles", self.root / "none.json")


class Kept(unittest.TestCase):
    """The sweeps of this repository."""

    def test_tables_and_page_are_those_of_declarations_and_sweeps(self):
        for path, text in write.outputs(ROOT).items():
            self.assertEqual((ROOT / path).read_text(), text, f"scripts/tune.sh --tables writes {path}")

    def test_no_declared_constant_is_read_by_a_launcher(self):
        kernels = declared_sweeps(ROOT)
        self.assertGreaterEqual(len(kernels), 3)
        for kernel in kernels:
            sweep = load(ROOT, kernel)
            refuse_visible(ROOT, sweep, combinations.INCLUDES)
            self.assertIn(sweep.source, combinations.users(sweep))


if __name__ == "__main__":
    unittest.main()
