//! Rows of one data shape, fastest first.

use super::Detail;
use super::cells::{DISPENSABLE, Entry, Fastest, Line, OptionalColumns, Ratios, columns, entries};
use super::remarks::{self, Note};
use crate::grouped::{distinct, grouped};
use crate::rank::{Rank, TOTAL, has_kernels};
use crate::record::{FULL_LEVEL, SummaryRow, YesNo};
use crate::shape::{self, Axes};
use crate::table::{Highlight, Table};

/// End of a heading if variants have different kinds of input.
const ALIKE: &str = " · ratios: among equal inputs";

/// A table of variants that ran on the same data.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// The rows under a heading with the data shape.
    pub table: Table,
    /// The data shape as names and values.
    pub axes: Axes,
    /// Time by which variants are ranked, if both exist.
    pub ranked_by: Option<Rank>,
    /// Notes on variants.
    pub notes: Vec<Note>,
}

impl Block {
    /// The table with its notes below.
    pub fn into_table(self) -> Table {
        self.table.with_notes(self.notes.iter().map(Note::to_string).collect())
    }
}

/// Common settings of the tables of one run.
#[derive(Clone, Copy, Debug)]
struct Naming {
    with_algorithm: bool,
    with_device: bool,
    rank: Rank,
    detail: Detail,
}

/// The blocks of a run with their stages, in the order in which their shapes first occur.
pub fn blocks(rows: &[SummaryRow], rank: Rank) -> Vec<Block> {
    of_detail(rows, rank, Detail::Stages)
}

/// The blocks of a run with or without stages.
pub fn of_detail(rows: &[SummaryRow], rank: Rank, detail: Detail) -> Vec<Block> {
    let naming = Naming {
        with_algorithm: differ(rows, |row| &row.algorithm),
        with_device: differ(rows, |row| &row.device),
        rank,
        detail,
    };
    let shapes = grouped(rows, |row| (&row.algorithm, shape::axes(row)));
    shapes.iter().map(|(_, rows)| naming.block(rows)).collect()
}

impl Naming {
    fn block(&self, rows: &[&SummaryRow]) -> Block {
        let with_kernels = has_kernels(rows.iter().copied());
        let ranked_by = with_kernels.then_some(self.rank);
        let entries = entries(rows, self.rank);
        let fastest = Fastest::new(&entries);
        let columns = columns(OptionalColumns {
            device: self.with_device,
            kernels: with_kernels,
            given: fastest.differ(),
            levels: rows.iter().any(|row| row.interval_level() < FULL_LEVEL),
            energy: rows.iter().any(|row| row.joules_per_item().is_some()),
        });
        let headings: Vec<_> = columns.iter().map(|(name, side, _)| (*name, *side)).collect();
        let max = match self.detail {
            Detail::Ranking => 1,
            Detail::Stages => usize::MAX,
        };
        let lines = entries.iter().flat_map(|entry| lines(entry, &fastest).into_iter().take(max));
        let cells =
            lines.map(|line| columns.iter().map(|(_, _, say)| say(&line)).collect::<Vec<String>>());
        let heading = rows.first().map_or_else(String::new, |row| self.heading(row, ranked_by));
        let heading = if fastest.differ() { format!("{heading}{ALIKE}") } else { heading };
        let highlights = entries.iter();
        Block {
            table: Table::new(&headings, cells)
                .under(heading)
                .with_highlights(
                    highlights
                        .flat_map(|entry| {
                            highlights_of(fastest.is(entry, self.rank), entry).into_iter().take(max)
                        })
                        .collect(),
                )
                .without_if_narrow(&DISPENSABLE),
            axes: rows.first().map_or_else(Vec::new, |row| shape::axes(row)),
            ranked_by,
            notes: self.notes(&entries),
        }
    }

    fn heading(&self, row: &SummaryRow, ranked_by: Option<Rank>) -> String {
        let shape = shape::words(row);
        let rank = ranked_by
            .map_or_else(String::new, |rank| format!("{}{}", shape::SEPARATOR, rank.sentence()));
        if self.with_algorithm {
            format!("{}: {shape}{rank}", row.algorithm)
        } else {
            format!("{shape}{rank}")
        }
    }

    fn notes(&self, entries: &[Entry]) -> Vec<Note> {
        let rows = entries.iter().flat_map(|entry| &entry.rows);
        distinct(rows.filter_map(|row| self.note(row)))
    }

    /// Note of a row; a row that is not valid always has one.
    fn note(&self, row: &SummaryRow) -> Option<Note> {
        let stage = match row.stage.as_str() {
            TOTAL => String::new(),
            stage => format!(" {stage}"),
        };
        let device = if self.with_device { format!(" ({})", row.device) } else { String::new() };
        Note::from_row(row, format!("{}{stage}{device}", row.variant))
    }
}

/// Lines of an entry; its stages are indented under it.
fn lines<'a>(entry: &Entry<'a>, fastest: &Fastest) -> Vec<Line<'a>> {
    let line = |(i, row): (usize, &&'a SummaryRow)| {
        let (label, ratios) = match i {
            0 if row.stage == TOTAL => (row.variant.clone(), entry.ratios(fastest)),
            0 => (format!("{} {}", row.variant, row.stage), Ratios::default()),
            _ => (indented(&row.stage), Ratios::default()),
        };
        Line { row, label, ratios }
    };
    entry.rows.iter().enumerate().map(line).collect()
}

/// Styles of the rows of an entry.
fn highlights_of(is_fastest: bool, entry: &Entry) -> Vec<Highlight> {
    // Refusing the input is not an error.
    let is_wrong = |row: &SummaryRow| row.valid == YesNo::No && !remarks::is_refusal(row);
    let whole = if entry.rows.iter().any(|row| is_wrong(row)) {
        Highlight::NotValid
    } else if is_fastest {
        Highlight::Winner
    } else {
        Highlight::Plain
    };
    let stages = std::iter::repeat_n(Highlight::Plain, entry.rows.len().saturating_sub(1));
    std::iter::once(whole).chain(stages).collect()
}

/// A stage indented under its variant, or under the stage that it is a part of.
fn indented(stage: &str) -> String {
    let (depth, name) = match stage.rsplit_once('/') {
        Some((scope, name)) => (scope.split('/').count(), name),
        None => (0, stage),
    };
    format!("{}{name}", "  ".repeat(1 + depth))
}

fn differ(rows: &[SummaryRow], field: fn(&SummaryRow) -> &String) -> bool {
    rows.iter().any(|row| field(row) != field(&rows[0]))
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::charts::fixture;
    use crate::rank::KERNEL;

    /// The blocks, ranked by the total.
    pub fn blocks(rows: &[SummaryRow]) -> Vec<Block> {
        super::blocks(rows, Rank::Total)
    }

    fn phrases(block: &Block) -> Vec<String> {
        block.notes.iter().map(Note::to_string).collect()
    }

    /// A valid row of `sort` with this median.
    pub fn row(variant: &str, median: f64) -> SummaryRow {
        SummaryRow {
            ci95_high_s: Some(median * 1.01),
            items_per_s: Some(2e6 / median),
            ..fixture::row(variant, "digis=2000000;order=random;segments=24", median)
        }
    }

    /// A row that its check rejected.
    pub fn wrong(variant: &str, note: &str) -> SummaryRow {
        SummaryRow { valid: YesNo::No, median_s: None, note: note.into(), ..row(variant, 1.0) }
    }

    #[test]
    fn the_fastest_comes_first_and_the_wrong_last() {
        let rows = [wrong("a", "row 3 differs"), row("slow", 0.02), row("fast", 0.01)];
        let block = &blocks(&rows)[0];
        assert_eq!(block.table.column("variant"), ["fast", "slow", "a"]);
        assert_eq!(block.table.column("ratio"), ["1.00 ×", "2.00 ×", "-"]);
        assert_eq!(block.table.column("median"), ["10.0 ms", "20.0 ms", "-"]);
        assert_eq!(block.table.column("items/s"), ["200 M/s", "100 M/s", "-"]);
        assert_eq!(phrases(block), ["a: not valid: row 3 differs"]);
    }

    #[test]
    fn energy_has_a_column_where_it_is_known() {
        let measured = SummaryRow {
            j_per_item: Some(7.81e-8),
            energy_source: "cpu".into(),
            ..row("measured", 0.01)
        };
        let block = &blocks(&[measured, row("unknown", 0.02)])[0];
        assert_eq!(block.table.column("J/item"), ["78.1 nJ", "-"]);
        assert!(!blocks(&[row("a", 0.01)])[0].table.names().contains(&"J/item"));
    }

    #[test]
    fn only_equal_inputs_are_compared() {
        let given = |variant: &str, median: f64, given: &str| SummaryRow {
            given: given.into(),
            ..row(variant, median)
        };
        let rows = [
            given("insertion", 0.001, "clusters nearly by time"),
            given("tiles", 0.010, "clusters in any order"),
            given("blocks", 0.030, "clusters in any order"),
        ];
        let block = &blocks(&rows)[0];
        assert_eq!(block.table.column("variant"), ["insertion", "tiles", "blocks"]);
        assert_eq!(block.table.column("ratio"), ["-", "1.00 ×", "3.00 ×"]);
        assert_eq!(block.table.column("given")[0], "clusters nearly by time");
        assert_eq!(
            block.table.highlights(),
            [Highlight::Plain, Highlight::Winner, Highlight::Plain]
        );
        assert!(block.table.heading().ends_with(ALIKE));
        let alike = &blocks(&rows[1..])[0];
        assert!(!alike.table.names().contains(&"given"));
        assert!(!alike.table.heading().ends_with(ALIKE));
    }

    #[test]
    fn a_wrong_row_with_a_time_is_not_ranked() {
        let mut fast_but_wrong = row("wrong", 1e-6);
        fast_but_wrong.valid = YesNo::No;
        let block = &blocks(&[fast_but_wrong, row("right", 1.0)])[0];
        assert_eq!(block.table.column("variant"), ["right", "wrong"]);
        assert_eq!(block.table.column("ratio"), ["1.00 ×", "-"]);
        assert_eq!(block.table.column("median")[1], "-");
        assert_eq!(phrases(block), ["wrong: not valid"]);
    }

    #[test]
    fn each_shape_has_a_block_of_its_own() {
        let mut other = row("a", 0.03);
        other.threads = 1;
        let blocks = blocks(&[row("a", 0.01), other, row("b", 0.02)]);
        let headings: Vec<_> = blocks.iter().map(|block| block.table.heading()).collect();
        let shape = "2 M digis · 24 segments · order random";
        assert_eq!(
            headings,
            [format!("{shape} · 2 threads · cache hot"), format!("{shape} · 1 thread · cache hot")]
        );
        assert_eq!(blocks[0].table.column("variant"), ["a", "b"]);
        assert_eq!(blocks[1].table.column("ratio"), ["1.00 ×"]);
    }

    #[test]
    fn stages_are_indented_under_their_variant() {
        let mut kernel = row("a", 0.004);
        kernel.stage = "kernel".into();
        let block = &blocks(&[kernel, row("b", 0.02), row("a", 0.01)])[0];
        assert_eq!(block.table.column("variant"), ["a", "  kernel", "b"]);
        assert_eq!(block.table.column("ratio"), ["1.00 ×", "-", "2.00 ×"]);
    }

    #[test]
    fn a_sample_of_the_work_is_not_ranked() {
        let sample = SummaryRow { stage: "sample".into(), ..row("naive", 1e-6) };
        let block = &blocks(&[sample, row("whole", 0.02)])[0];
        assert_eq!(block.table.column("variant"), ["whole", "naive sample"]);
        assert_eq!(block.table.column("ratio"), ["1.00 ×", "-"]);
    }

    #[test]
    fn parts_of_a_stage_are_indented_under_it() {
        let stage = |stage: &str| SummaryRow { stage: stage.into(), ..row("a", 0.004) };
        let rows = [row("a", 0.01), stage("again"), stage("again/sort")];
        let block = &blocks(&rows)[0];
        assert_eq!(block.table.column("variant"), ["a", "  again", "    sort"]);
    }

    #[test]
    fn devices_are_named_only_if_there_are_several() {
        assert!(!blocks(&[row("a", 1.0)])[0].table.names().contains(&"device"));
        let mut gpu = wrong("a", "no room");
        gpu.device = "cuda:0".into();
        let block = &blocks(&[row("a", 1.0), gpu])[0];
        assert_eq!(block.table.column("device"), ["cpu", "cuda:0"]);
        assert_eq!(phrases(block), ["a (cuda:0): not valid: no room"]);
    }

    #[test]
    fn intervals_of_few_samples_say_their_level() {
        let mut few = row("few", 1e-3);
        few.ci95_low_s = Some(0.99e-3);
        few.metrics.set("interval_level", "0.50");
        let many = SummaryRow { ci95_low_s: Some(1.99e-3), ..row("many", 2e-3) };
        let block = &blocks(&[few, many])[0];
        assert!(!block.table.names().contains(&"95 % CI"));
        assert_eq!(
            block.table.column("CI (level)"),
            ["[0.990, 1.01] (50 %)", "[1.99, 2.02] (95 %)"]
        );
    }

    #[test]
    fn rates_above_memory_are_in_a_cache() {
        let mut cached = row("cached", 1e-3);
        cached.peak_fraction = Some(1.34);
        let near = SummaryRow { peak_fraction: Some(1.03), ..row("near", 2e-3) };
        let block = &blocks(&[cached, near])[0];
        assert_eq!(block.table.column("of copy"), ["in cache", "103 %"]);
    }

    #[test]
    fn the_interval_is_in_the_unit_of_the_median() {
        let mut row = row("a", 1.005e-3);
        row.ci95_low_s = Some(0.995e-3);
        let block = &blocks(&[row])[0];
        assert_eq!(block.table.column("95 % CI"), ["[0.995, 1.02]"]);
    }

    /// A variant on a GPU with its kernels.
    fn on_gpu(variant: &str, total: f64, kernel: f64) -> [SummaryRow; 2] {
        [(TOTAL, total), (KERNEL, kernel)].map(|(stage, median)| SummaryRow {
            stage: stage.into(),
            device: "cuda:0".into(),
            ..row(variant, median)
        })
    }

    #[test]
    fn kernels_have_a_column_and_rank_if_they_are_to() {
        let rows = [
            on_gpu("link", 0.010, 0.003).to_vec(),
            on_gpu("device", 0.011, 0.001).to_vec(),
            vec![row("host", 0.020)],
        ]
        .concat();
        let block = &blocks(&rows)[0];
        assert!(block.table.heading().ends_with("· ranked by: end to end"));
        assert_eq!(block.table.highlights()[0], Highlight::Winner);
        let variants = ["link", "  kernel", "device", "  kernel", "host"];
        assert_eq!(block.table.column("variant"), variants);
        assert_eq!(block.table.column("total")[0], "10.0 ms");
        assert_eq!(block.table.column("ratio"), ["1.00 ×", "-", "1.10 ×", "-", "2.00 ×"]);
        assert_eq!(block.table.column("kernel"), ["3.00 ms", "-", "1.00 ms", "-", "-"]);
        let by_kernel = ["3.00 ×", "-", "1.00 ×", "-", "20.0 ×"];
        assert_eq!(block.table.column("kernel ratio"), by_kernel);
        let block = &super::blocks(&rows, Rank::Kernel)[0];
        assert!(block.table.heading().ends_with("· ranked by: kernels"));
        let variants = ["device", "  kernel", "link", "  kernel", "host"];
        assert_eq!(block.table.column("variant"), variants);
    }

    #[test]
    fn without_a_gpu_kernels_are_not_mentioned() {
        let rows = [row("a", 0.02), row("b", 0.01)];
        let block = &super::blocks(&rows, Rank::Kernel)[0];
        assert_eq!((block.ranked_by, block.table.names().len()), (None, 10));
        assert_eq!(block.table.column("variant"), ["b", "a"]);
    }
}
