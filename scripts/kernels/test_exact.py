"""Which kernel files are refused since they may fuse exact formulas.

    python3 -m unittest discover -s scripts/kernels
"""

import tempfile
import unittest
from pathlib import Path

from exact import FLAG, complaints


class ExactFormulas(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.sources = Path(folder.name)

    def write(self, name, *lines):
        path = self.sources / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n")

    def refused(self):
        return [line.split(" ", 1)[0] for line in complaints(self.sources, [self.sources / "shared"])]

    def test_a_kernel_that_includes_exact_formulas_in_any_way_needs_the_flag(self):
        self.write("shared/formulas.h", "// Exact.", FLAG, "#pragma once")
        self.write("stage/middle.h", '#include "formulas.h"', '#include "missing.h"')
        self.write("stage/other.h", "#pragma once")
        self.write("stage/wrong.cu", "// A kernel.", '#include "middle.h"')
        self.write("stage/right.cu", FLAG, '  #  include "middle.h"')
        self.write("stage/inexact.cu", '#include "other.h"')
        self.assertEqual(self.refused(), [str(self.sources / "stage/wrong.cu")])

    def test_the_flag_counts_in_the_first_line_only(self):
        self.write("formulas.h", FLAG)
        self.write("late.cu", "// A kernel.", FLAG, '#include "formulas.h"')
        self.assertEqual(len(self.refused()), 1)

    def test_headers_may_include_each_other(self):
        self.write("a.h", '#include "b.h"')
        self.write("b.h", '#include "a.h"', FLAG)
        self.write("k.cu", '#include "a.h"')
        self.assertEqual(len(self.refused()), 1)


if __name__ == "__main__":
    unittest.main()
