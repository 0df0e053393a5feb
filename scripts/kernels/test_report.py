"""What is read from ptxas and cuobjdump, and how it is judged.

    python3 -m unittest discover -s scripts/kernels
"""

import tempfile
import unittest
from collections import Counter
from pathlib import Path

from ptxas import Resources, read_log
from report import COLUMNS, rows, table
from rules import ListError, judge_spills, judge_widths
from sass import Accesses, is_wide, read_sass

LOG = """
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'scan' for 'sm_90'
ptxas info    : Function properties for scan
    16 bytes stack frame, 8 bytes spill stores, 24 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 16 bytes cumulative stack size, 1024 bytes smem
ptxas info    : Function properties for helper
    32 bytes stack frame, 4 bytes spill stores, 0 bytes spill loads
ptxas info    : Compiling entry function 'copy' for 'sm_90'
ptxas info    : Function properties for copy
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 12 registers, used 0 barriers
"""

SASS = """
\tcode for sm_90
\t\tFunction : scan
        /*0070*/              @!P0 LDG.E.128.CONSTANT R4, desc[UR4][R2.64] ;  /* 0x0000000402048981 */
                                                                             /* 0x000ea2000c1e9d00 */
        /*0080*/                   LDG.E.U8 R4, desc[UR4][R2.64] ;  /* 0x0000000402048981 */
        /*0090*/             @!UP1 LDGSTS.E.BYPASS.128 [R9], desc[UR4][R2.64] ;
        /*00a0*/                   STG.E.64 desc[UR4][R2.64], R4 ;
        /*00b0*/                   STS.128 [R2], R4 ;
        /*00c0*/                   LDC.64 R2, c[0x0][0x210] ;
        /*00d0*/                   UBLKCP.G.S [UR4], [UR6], UR7 ;
\tcode for sm_80
\t\tFunction : scan
        /*0070*/                   LDG.E R4, [R2.64] ;
        /*0080*/              @P1  LD.E.STRONG.GPU R21, [R14.64+0x4] ;
"""

SPILLING = Resources("scan", "sm_90", spill_stores=8, spill_loads=24)
WIDE = {("scan", "sm_90"): Accesses(Counter({128: 2, 8: 1}), Counter({64: 1}))}


class Reading(unittest.TestCase):
    """What the tools print."""

    def test_functions_count_with_their_kernel(self):
        self.assertEqual(
            read_log(LOG),
            [Resources("scan", "sm_90", 40, 48, 12, 24, 1024), Resources("copy", "sm_90", 12)],
        )

    def test_accesses_are_told_apart_by_width_and_architecture(self):
        found = read_sass(SASS)
        self.assertEqual(found["scan", "sm_90"], Accesses(Counter({128: 2, 8: 1}), Counter({64: 1, 128: 1})))
        self.assertEqual(found["scan", "sm_80"], Accesses(Counter({32: 2})))

    def test_a_table_has_a_row_a_kernel_and_architecture(self):
        older = Resources("scan", "sm_80")
        newer = Resources("scan", "sm_100")
        accesses = {("scan", arch): Accesses() for arch in ("sm_80", "sm_90", "sm_100")}
        lines = table(rows([newer, SPILLING, older], accesses)).splitlines()
        self.assertEqual(len({len(line) for line in lines}), 1)
        self.assertEqual(lines[0].count("|"), len(COLUMNS) + 1)
        self.assertEqual([line.split()[3] for line in lines[2:]], ["sm_80", "sm_90", "sm_100"])


class Judging(unittest.TestCase):
    """The rules, each kept and broken."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.list = Path(folder.name, "list.txt")

    def spills(self, text):
        self.list.write_text(text)
        return list(judge_spills([SPILLING, Resources("copy", "sm_90")], self.list))

    def widths(self, text):
        self.list.write_text(text)
        return list(judge_widths(WIDE, self.list))

    def test_a_spill_is_accepted_to_the_byte(self):
        self.assertEqual(self.spills("# head\nscan sm_90 32 # cold path\n"), [])
        self.assertIn("accepted are 0", self.spills("")[0])
        self.assertIn("accepted are 28", self.spills("scan sm_90 28 # cold path\n")[0])
        self.assertIn("lower", self.spills("scan sm_90 40 # cold path\n")[0])

    def test_an_accepted_spill_needs_its_kernel_and_a_reason(self):
        self.assertIn("there is no gone", self.spills("scan sm_90 32 # x\ngone sm_90 4 # x\n")[0])
        for line in ("scan sm_90 32", "scan sm_90 # x", "scan sm_90 many # x"):
            with self.assertRaisesRegex(ListError, "list.txt:1"):
                self.spills(line)

    def test_half_of_the_bytes_must_be_wide(self):
        self.assertTrue(is_wide({128: 1, 64: 2}))
        self.assertTrue(is_wide({256: 1, 32: 2}))
        self.assertFalse(is_wide({128: 1, 64: 3}))
        self.assertFalse(is_wide({}))

    def test_narrow_kernels_are_named_with_their_counts(self):
        self.assertEqual(self.widths("scan loads # streams\n"), [])
        self.assertEqual(
            self.widths("scan loads stores\n"),
            ["scan on sm_90: stores are not 16 bytes wide (64: 1)"],
        )
        self.assertIn("there is no kernel gone", self.widths("gone loads\n")[0])
        for line in ("scan", "scan writes"):
            with self.assertRaisesRegex(ListError, "list.txt:1"):
                self.widths(line)


if __name__ == "__main__":
    unittest.main()
