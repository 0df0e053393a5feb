"""How blocks are read, rows of runs selected and cells written.

    python3 -m unittest discover -s scripts/tables
"""

import csv
import tempfile
import unittest
from pathlib import Path

import cells
import runs
from figures import Estimate, number, written
from spec import TableError, read_table
from write import with_tables

COLUMNS = ["variant", "stage", "threads", "device", "params", "items", "median_s", "min_s", "ci95_low_s", "ci95_high_s",
           "items_per_s", "bytes_per_s", "bytes_min", "peak_fraction", "memory_ratio", "valid", "axis_order"]


def row(variant, stage, threads, median_ms, order="random", valid="yes", share=""):
    median = median_ms / 1e3
    return dict(variant=variant, stage=stage, threads=threads, device="cpu", params=f"order={order};tracks=7",
                items="1000", median_s=median, min_s=median * 0.9, ci95_low_s=median * 0.95, ci95_high_s=median * 1.1,
                items_per_s=1000 / median, bytes_per_s=8e6 / median, bytes_min="8000000", peak_fraction=share,
                memory_ratio="2.02", valid=valid, axis_order=order)


ROWS = [
    row("slow", "total", 1, 8.0),
    row("slow", "total", 4, 2.5, share="0.25"),
    row("slow", "hits", 1, 5.0),
    row("slow", "hits/h2d", 1, 1.0),
    row("slow", "hits/find", 1, 3.0),
    row("slow", "hits/write", 1, 0.5),
    row("fast", "total", 1, 2.0),
    row("fast", "total", 4, 0.5),
    row("fast", "total", 1, 1.0, order="time"),
    row("gpu", "total", 2, 3.0),
    row("gpu", "h2d", 2, 2.0, share="0.5"),
    row("gpu", "hits/d2h", 2, 1.0, share="0.8"),
    row("wrong", "total", 1, 0.1, valid="no"),
]


class Block(unittest.TestCase):
    """Blocks of a page, with a kept run in a folder of its own."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        results = Path(self.folder.name) / "docs/results"
        (results / "run").mkdir(parents=True)
        with open(results / "run/summary.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(ROWS)
        (results / "run/run.json").write_text('{"ceilings": {"cpu": {"link": {"both_bytes_per_s": 1e10}}}}')
        self.results = cells.RESULTS
        cells.RESULTS = runs.RESULTS = results
        runs.read_rows.cache_clear()
        runs.read_ceilings.cache_clear()

    def tearDown(self):
        cells.RESULTS = runs.RESULTS = self.results
        self.folder.cleanup()

    def body(self, block):
        """The cells of the table that a block becomes, without the heading."""
        page = with_tables("page.md", f"# Title\n\n<!-- table: {block} -->\nold\n<!-- /table -->\nafter\n")
        self.assertTrue(page.endswith("<!-- /table -->\nafter\n"))
        lines = [it for it in page.split("\n") if it.startswith("|")]
        return [[it.strip() for it in line.split("|")[1:-1]] for line in lines[2:]]

    def error(self, block):
        with self.assertRaises(TableError) as caught:
            self.body(block)
        return str(caught.exception)

    def test_rows_are_sorted_by_the_first_column(self):
        block = "run=run order=random rows=variant\ncolumn one: threads=1\ncolumn four: threads=4\n"
        self.assertEqual(self.body(block), [["`fast`", "2.00", "0.500"], ["`slow`", "8.00", "2.50"]])

    def test_values_that_are_listed_keep_their_order(self):
        block = "run=run order=random rows=variant:slow,fast columns=threads:4,1"
        self.assertEqual(self.body(block), [["`slow`", "2.50", "8.00"], ["`fast`", "0.500", "2.00"]])

    def test_combinations_without_figures_are_left_out(self):
        block = "run=run threads=1 rows=variant:slow,fast;order:time,random"
        expected = [["`slow`", "random", "8.00"], ["`fast`", "time", "1.00"], ["`fast`", "random", "2.00"]]
        self.assertEqual(self.body(block), expected)

    def test_outputs_that_were_wrong_have_no_row(self):
        self.assertNotIn("wrong", str(self.body("run=run threads=1 order=random rows=variant")))

    def test_a_page_that_is_written_again_stays_the_same(self):
        once = with_tables("page.md", "<!-- table: run=run threads=4 rows=variant -->\n<!-- /table -->")
        self.assertEqual(with_tables("page.md", once), once)

    def test_quantities(self):
        def cell(words):
            return self.body(f"run=run variant=slow threads=4\nrow x: {words}\n")[0][1]

        self.assertEqual(cell("value=median unit=µs"), "2500")
        self.assertEqual(cell("value=median unit=ns/item"), "2500")
        self.assertEqual(cell("value=minimum"), "2.25")
        self.assertEqual(cell("value=rate unit=M/s"), "0.400")
        self.assertEqual(cell("value=bandwidth"), "3.20")
        self.assertEqual(cell("value=share"), "25 %")
        self.assertEqual(cell("value=floor over=floor"), "0.625")
        self.assertEqual(cell("value=ratio over=floor"), "4.00 ×")
        self.assertEqual(cell("value=ratio over=0.5ms"), "5.00 ×")
        self.assertEqual(cell("value=ratio over=variant=fast"), "5.00 ×")
        self.assertEqual(cell("value=ratio unit=% over=variant=fast"), "500 %")
        self.assertEqual(cell("value=speedup over=threads=1,stage=total order=random"), "3.20 ×")
        self.assertEqual(cell("value=memory"), "2.02 ×")
        self.assertEqual(cell("value=items"), "1000")
        self.assertEqual(cell("interval=also bold=slow"), "**2.50 [2.38, 2.75]**")
        self.assertEqual(cell("interval=only"), "2.38 – 2.75")

    def test_the_fastest_of_several_variants(self):
        block = "run=run threads=1 order=random variant=fast|slow\nrow x: value=fastest\nrow y: value=variant\n"
        self.assertEqual(self.body(block), [["x", "2.00, `fast`"], ["y", "`fast`"]])

    def test_times_of_stages_and_kernels_are_summed(self):
        block = "run=run variant=slow threads=1\nrow stages: stage=hits+total\nrow kernels: kernels=hits\n"
        self.assertEqual(self.body(block), [["stages", "13.0"], ["kernels", "3.50"]])

    def test_the_time_that_a_link_takes(self):
        block = "run=run threads=2 variant=gpu value=floor\nrow x: over=link\nrow y: over=link-overlapped\n"
        self.assertEqual(self.body(block), [["x", "1.80"], ["y", "1.60"]])
        block = "run=run variant=slow threads=1 order=random value=ratio over=link"
        self.assertIn("over=link: no copies whose bytes are known", self.error(f"{block}\nrow x:\n"))
        self.assertEqual(self.body("run=run variant=gpu threads=2 value=ratio over=link\nrow x:\n"), [["x", "1.67 ×"]])

    def test_columns_use_words_of_rows(self):
        block = "run=run threads=4\nrow x: $best=fast\nrow y: text=z\ncolumn a: variant=$best\ncolumn b: value=text\n"
        self.assertEqual(self.body(block), [["x", "0.500", ""], ["y", "", "z"]])

    def test_samples_are_summed_up(self):
        block = "run=run stage=total samples=items\nrow x: variant=fast\nrow y: variant=slow value=minimum\n"
        self.assertEqual(self.body(block), [["x", "1000"], ["y", "1000"]])

    def test_parameters_are_filters_too(self):
        self.assertEqual(self.body("run=run tracks=7 threads=4 rows=variant:fast"), [["`fast`", "0.500"]])

    def test_errors_name_the_line_and_what_to_do(self):
        self.assertEqual(self.error("run=run threads=1 rows=variant"),
                         "page.md:3: 2 rows match a cell; choose by order=random|time")
        self.assertIn("page.md:3: docs/results/gone/summary.csv does not exist; correct run= or file=",
                      self.error("run=gone rows=variant"))
        self.assertIn("row 'x' has no figures; correct its words", self.error("run=run\nrow x: variant=gone\n"))
        self.assertIn("column 'a' has no figures",
                      self.error("run=run threads=4 rows=variant\ncolumn a: device=cuda\ncolumn b: device=cpu\n"))
        self.assertIn("page.md:4: 'rov x' is not", self.error("run=run\nrov x\n"))
        self.assertIn("'variant' is not KEY=VALUE", self.error("run=run variant fast"))
        self.assertIn("value=speed: write one of median, minimum,",
                      self.error("run=run threads=4 rows=variant value=speed"))
        self.assertIn("run has no column or parameter 'varient'; correct the word",
                      self.error("run=run threads=4 rows=variant varient=fast"))
        self.assertIn("unit=kg: write one of", self.error("run=run threads=4 rows=variant unit=kg"))
        self.assertIn("name one that has by bytes-of=",
                      self.error("run=run threads=1 variant=slow\nrow x: value=ratio over=floor\n"))

    def test_a_block_needs_its_end(self):
        with self.assertRaisesRegex(TableError, "page.md: 1 times '<!-- table:' and 0 times '<!-- /table -->'"):
            with_tables("page.md", "<!-- table: run=run -->\n")
        with self.assertRaisesRegex(TableError, "page.md:2: no '<!-- /table -->'"):
            with_tables("page.md", "\n<!-- table: run=run -->\n<!-- table: run=run -->\n<!-- /table -->\n")


class Figures(unittest.TestCase):
    def test_numbers_have_three_digits_and_no_exponent(self):
        values = [0.0123456, 0.9996, 1.0, 9.996, 12.34, 999.6, 12345.0, 0.0]
        expected = ["0.0123", "1.00", "1.00", "10.0", "12.3", "1000", "12345", "0"]
        self.assertEqual([number(it) for it in values], expected)

    def test_ratios_have_the_far_ends_of_both_intervals(self):
        ratio = Estimate(6.0, 5.0, 8.0).times(Estimate(2.0, 1.0, 4.0).inverse())
        self.assertEqual(written(ratio, "also", 2), "3.0 [1.2, 8.0]")

    def test_medians_of_samples_have_intervals_of_order_statistics(self):
        self.assertEqual(Estimate.of_samples([float(it) for it in range(80, 0, -1)]), Estimate(40.5, 31.0, 50.0))
        self.assertEqual(Estimate.of_samples([3.0, 1.0, 2.0]), Estimate(2.0, 1.0, 3.0))

    def test_a_quantity_without_an_interval_is_written_without(self):
        self.assertEqual(written(Estimate(2.0), "also", 2, " ×"), "2.0 ×")


class Spec(unittest.TestCase):
    def test_labels_and_words(self):
        rows = 'row a | b: "written_as=shaders, checked" text="c: d"'
        table = read_table(f'run=a head="x | y"\n{rows}\ncolumn e:\n', "page.md", 1)
        self.assertEqual(table.words, {"run": "a", "head": "x | y"})
        self.assertEqual(table.rows[0].labels, ("a", "b"))
        self.assertEqual(table.rows[0].words, {"written_as": "shaders, checked", "text": "c: d"})
        self.assertEqual(table.columns[0].labels, ("e",))


if __name__ == "__main__":
    unittest.main()
