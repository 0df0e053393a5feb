//! A run as a table.
//!
//! People get a block for each data shape, fastest variant first, in suitable units; then the
//! stages of variants with many stages, side by side, kernels with hardware counters, and the
//! quality of outputs, if known.
//! Programs get the rows as they are.

mod block;
mod cells;
mod kernels;
mod remarks;
mod stages;

pub(crate) use block::{Block, blocks};
pub(crate) use cells::{Entry, Fastest, entries, level, share_of_ceiling};
pub(crate) use kernels::DRAM;

use crate::frame::Frame;
use crate::rank::{Rank, TOTAL};
use crate::record::{RunRecord, SummaryRow};
use crate::screen::Screen;
use crate::shape::{self, Axes};
use crate::table::{Table, Tabular};
use crate::units;

/// Hint for a ranking without stages.
const STAGES: &str = "times of stages and kernels: --stages, or summary.csv";
/// Minimum number of rows of a table, even on a small screen.
const MIN_ROWS: usize = 10;

/// Level of detail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// The ranking of total times.
    #[default]
    Ranking,
    /// Stages and kernels, too.
    Stages,
}

/// The rows of a run in a view.
#[derive(Clone, Copy, Debug)]
pub struct RunTable<'a> {
    /// `run.json`.
    pub run: &'a RunRecord,
    /// The rows of `summary.csv`.
    pub rows: &'a [SummaryRow],
    /// Time by which variants are ranked, if both exist.
    pub rank: Rank,
    /// Selected rows.
    pub detail: Detail,
}

impl Tabular for RunTable<'_> {
    fn tables(&self, screen: Screen) -> Vec<Table> {
        let RunTable { run, rows, rank, detail } = *self;
        let mut blocks = block::of_detail(rows, rank, detail);
        let remarks = gather(&mut blocks);
        let mut tables: Vec<Table> = blocks.into_iter().map(Block::into_table).collect();
        if let Some(size) = screen.size {
            tables = screenful(tables, size.rows);
        }
        if detail == Detail::Ranking && rows.iter().any(|row| row.stage != TOTAL) {
            tables.push(Table::default().with_notes(vec![STAGES.to_owned()]));
        }
        if !remarks.is_empty() {
            tables.push(Table::default().under("Remarks").with_notes(remarks));
        }
        if detail == Detail::Stages {
            tables.extend(stages::tables(rows));
        }
        tables.extend(kernels::tables(run, rows));
        tables.extend(stages::quality_tables(rows));
        tables
    }

    fn frame(&self) -> Frame {
        Frame::from_summary(self.rows)
    }

    fn run(&self) -> Option<&RunRecord> {
        Some(self.run)
    }
}

/// The first tables, and rows of the last one of them, that fill a screen.
fn screenful(tables: Vec<Table>, rows: usize) -> Vec<Table> {
    let all = tables.len();
    let mut left = rows;
    let mut shown = Vec::new();
    for table in tables {
        if !shown.is_empty() && table.lines_of_rows() > left {
            break;
        }
        let table = table.at_most(left.max(MIN_ROWS));
        left = left.saturating_sub(table.lines_of_rows());
        shown.push(table);
    }
    if shown.len() < all {
        let more = units::counted(all - shown.len(), "setting");
        shown.push(Table::default().under(format!("… and {more} more: see summary.csv")));
    }
    shown
}

/// Axes of rows except for threads.
fn axes_but_threads(row: &SummaryRow) -> Axes {
    let mut axes = shape::axes(row);
    axes.retain(|(name, _)| name != "threads");
    axes
}

/// Removes notes of many points from their blocks; returns them, each with its count.
pub(crate) fn gather(blocks: &mut [Block]) -> Vec<String> {
    let mut notes: Vec<_> = blocks.iter_mut().map(|block| &mut block.notes).collect();
    remarks::gather(&mut notes)
}

#[cfg(test)]
mod tests {
    use block::tests::row;

    use super::*;
    use crate::rank::KERNEL;
    use crate::screen::Paint;
    use crate::screen::Size;
    use crate::table::Format;

    /// Variants of a GPU, each with kernels, at several settings.
    fn on_gpus(variants: usize, settings: usize) -> Vec<SummaryRow> {
        let mut rows = Vec::new();
        for setting in 0..settings {
            for variant in 0..variants {
                for stage in [TOTAL, KERNEL, "kernel/count_digis", "h2d", "d2h"] {
                    rows.push(SummaryRow {
                        stage: stage.to_owned(),
                        device: "cuda:0".to_owned(),
                        params: format!("digis={}", 1000 + setting).parse().expect("well formed"),
                        ..row(&format!("a-variant-{variant:02}"), 1e-3 * (1 + variant) as f64)
                    });
                }
            }
        }
        rows
    }

    fn shown(rows: &[SummaryRow], size: Option<Size>, detail: Detail) -> String {
        let screen = Screen { paint: Paint::Plain, size };
        let run = RunRecord::default();
        RunTable { run: &run, rows, rank: Rank::Total, detail }.text(Format::Table, screen)
    }

    #[test]
    fn a_ranking_has_a_line_for_each_variant_and_stages_are_asked_for() {
        let rows = on_gpus(3, 1);
        let ranking = shown(&rows, None, Detail::Ranking);
        assert_eq!(ranking.lines().filter(|line| line.contains("a-variant-")).count(), 3);
        assert!(!ranking.contains("count_digis") && ranking.contains("--stages"), "{ranking}");
        let stages = shown(&rows, None, Detail::Stages);
        assert!(stages.contains("count_digis") && !stages.contains("--stages"), "{stages}");
        let without = shown(&[row("a", 1.0)], None, Detail::Ranking);
        assert!(!without.contains("--stages"), "there are none: {without}");
    }

    #[test]
    fn a_terminal_has_about_a_screen_of_rows_that_fit() {
        for (variants, settings) in [(3, 1), (60, 1), (5, 40), (1, 1)] {
            let rows = on_gpus(variants, settings);
            for detail in [Detail::Ranking, Detail::Stages] {
                let size = Size { columns: 80, rows: 40 };
                let text = shown(&rows, Some(size), detail);
                let longest = text.lines().map(|line| line.chars().count()).max();
                assert!(longest <= Some(80), "{text}");
                let ranked = text.lines().take_while(|line| !line.starts_with("sort, ")).count();
                assert!(ranked <= 60, "{ranked} lines: {text}");
            }
            let all = shown(&rows, None, Detail::Ranking);
            let lines = all.lines().filter(|line| line.starts_with("a-variant-"));
            assert_eq!(lines.count(), variants * settings, "what is no terminal has all");
        }
        let text = shown(&on_gpus(60, 1), Some(Size { columns: 80, rows: 40 }), Detail::Ranking);
        assert!(text.contains("… and 20 more: see summary.csv"), "{text}");
        let text = shown(&on_gpus(5, 40), Some(Size { columns: 80, rows: 40 }), Detail::Ranking);
        assert!(text.contains("settings more: see summary.csv"), "{text}");
    }
}
