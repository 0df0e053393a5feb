//! The winners of a run as tables.

use std::cmp::Ordering;

use super::{Evidence, Ranking, rankings, varying};
use crate::frame::Frame;
use crate::grouped::grouped;
use crate::rank::{Rank, has_kernels};
use crate::record::{RunRecord, SummaryRow};
use crate::row::{Record, row};
use crate::screen::Screen;
use crate::shape::{self, AxisName, name};
use crate::table::{Side, Table, Tabular, known};
use crate::units;

/// The winner at each setting of each task of a run.
#[derive(Clone, Copy, Debug)]
pub struct Winners<'a> {
    /// `run.json`.
    pub run: &'a RunRecord,
    /// The rows of `summary.csv`.
    pub rows: &'a [SummaryRow],
    /// Time by which variants are ranked.
    pub rank: Rank,
}

impl Tabular for Winners<'_> {
    fn tables(&self, _: Screen) -> Vec<Table> {
        let tables =
            grouped(self.rows, |row| &row.algorithm).into_iter().filter_map(|(task, rows)| {
                let rankings = rankings(&rows, self.rank);
                let ranked_by = has_kernels(rows.iter().copied()).then_some(self.rank);
                (!rankings.is_empty()).then(|| table(task, ranked_by, &rankings))
            });
        tables.collect()
    }

    fn frame(&self) -> Frame {
        let tasks = grouped(self.rows, |row| &row.algorithm).into_iter();
        let rankings: Vec<_> = tasks.flat_map(|(_, rows)| rankings(&rows, self.rank)).collect();
        let empty = SummaryRow::default();
        let empty = Ranking { axes: Vec::new(), first: &empty, second: None };
        Frame::new(&record(&empty), rankings.iter().map(record))
    }

    fn run(&self) -> Option<&RunRecord> {
        Some(self.run)
    }
}

row! {
    /// A row of `bench winners`.
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    pub(crate) struct Winner<'a> {
        /// The task.
        algorithm: &'a str,
        /// The winner's point: see the rows of the run.
        point_id: String,
        /// The variant with the smallest median.
        winner: &'a str,
        /// Device of the winner.
        device: &'a str,
        /// Stage of the median: `total` or `kernel`.
        stage: &'a str,
        /// Median in seconds.
        median_s: Option<f64>,
        /// Lower end of the 95 % confidence interval of the median, in seconds.
        ci95_low_s: Option<f64>,
        /// Upper end of the 95 % confidence interval of the median, in seconds.
        ci95_high_s: Option<f64>,
        /// The second variant; empty without one.
        next: &'a str,
        /// Device of the second.
        next_device: &'a str,
        /// The second's point.
        next_point_id: String,
        /// The second's median over the winner's.
        lead: Option<f64>,
        /// Certainty of the lead.
        evidence: Evidence,
    }
}

/// A ranking for programs.
fn record<'a>(ranking: &'a Ranking) -> Record<'a> {
    let Ranking { first, second, .. } = ranking;
    let winner = Winner {
        algorithm: &first.algorithm,
        point_id: first.point().id(),
        winner: &first.variant,
        device: &first.device,
        stage: &first.stage,
        median_s: first.median_s,
        ci95_low_s: first.ci95_low_s,
        ci95_high_s: first.ci95_high_s,
        next: second.map_or("", |second| &second.variant),
        next_device: second.map_or("", |second| &second.device),
        next_point_id: second.map_or_else(String::new, |second| second.point().id()),
        lead: ranking.lead(),
        evidence: ranking.evidence(),
    };
    let axes = ranking.axes.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    Record::from(winner).spread("axis", axes)
}

fn table(task: &str, ranked_by: Option<Rank>, rankings: &[Ranking]) -> Table {
    let axes = varying(rankings);
    let common = shape::common(rankings.iter().map(|ranking| ranking.axes.clone()));
    let rank = ranked_by.map(Rank::sentence).into_iter();
    let words = std::iter::once(shape::phrases(&common)).chain(rank);
    let words: Vec<String> = words.filter(|words| !words.is_empty()).collect();
    let named = axes.iter().map(|axis| (axis.as_str(), Side::Right));
    let others = [
        ("winner", Side::Left),
        ("median", Side::Right),
        ("lead", Side::Right),
        ("next", Side::Left),
        ("", Side::Left),
    ];
    let columns: Vec<_> = named.chain(others).collect();
    let rows = in_order(rankings, &axes).into_iter().map(|ranking| cells(ranking, &axes));
    Table::new(&columns, rows).under(format!("{task}: {}", words.join(shape::SEPARATOR)))
}

/// Sorted by their values on the axes.
fn in_order<'r, 'a>(rankings: &'r [Ranking<'a>], axes: &[AxisName]) -> Vec<&'r Ranking<'a>> {
    let mut rankings: Vec<&Ranking> = rankings.iter().collect();
    rankings.sort_by(|a, b| {
        let value = |ranking: &'r Ranking<'a>, axis| ranking.value(axis).unwrap_or_default();
        let orders = axes.iter().map(|axis| shape::order(value(a, axis), value(b, axis)));
        orders.fold(Ordering::Equal, Ordering::then)
    });
    rankings
}

fn cells(ranking: &Ranking, axes: &[AxisName]) -> Vec<String> {
    let mut cells: Vec<String> = axes
        .iter()
        .map(|axis| known(ranking.value(axis), |value| shape::value(axis, value)))
        .collect();
    let evidence = match ranking.evidence() {
        Evidence::Clear => "",
        Evidence::Overlap => "intervals overlap",
        Evidence::TooFew => "too few samples",
    };
    cells.extend([
        name(ranking.first),
        units::seconds(ranking.first.median_s.unwrap_or(f64::NAN), 3),
        known(ranking.lead(), units::times),
        known(ranking.second, name),
        evidence.to_owned(),
    ]);
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::fixture::row;
    use crate::table::Format;

    fn rendered(format: Format) -> String {
        let few = SummaryRow { samples: 3, ..row("a", "digis=2000;order=time", 1e-3) };
        let rows = [
            row("a", "digis=1000;order=time", 1e-3),
            row("b", "digis=1000;order=time", 2e-3),
            few,
            row("b", "digis=2000;order=time", 3e-3),
        ];
        let run = crate::charts::fixture::run();
        let winners = Winners { run: &run, rows: &rows, rank: Rank::Total };
        winners.render(format, Screen::default()).expect("a table")
    }

    #[test]
    fn tables_show_winners_and_leads() {
        let text = rendered(Format::Table);
        let lines: Vec<Vec<&str>> = text
            .lines()
            .map(|line| line.split("  ").filter(|cell| !cell.is_empty()).collect())
            .collect();
        assert_eq!(text.lines().next(), Some("sort: order time · 2 threads · cache hot"));
        let trimmed =
            |line: &[&str]| line.iter().map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
        assert_eq!(trimmed(&lines[2]), ["1 k", "a", "1.00 ms", "2.00 ×", "b"]);
        assert_eq!(trimmed(&lines[3]), ["2 k", "a", "1.00 ms", "3.00 ×", "b", "too few samples"]);
    }

    #[test]
    fn other_tools_get_a_column_an_axis() {
        let text = rendered(Format::Csv);
        let header = text.lines().next().expect("a header");
        assert!(header.starts_with("algorithm,point_id,winner,"), "{header}");
        assert!(header.contains(",evidence,axis_bind,axis_cache,axis_digis,"), "{header}");
        let last = text.lines().last().expect("a row");
        assert!(last.contains(",3,too-few,"), "{last}");
        assert_eq!(text.lines().count(), 3);
        let document: serde_json::Value =
            serde_json::from_str(&rendered(Format::Json)).expect("JSON");
        let first = &document["rows"][0];
        assert_eq!(first["axis_digis"], 1000);
        assert_eq!((&first["winner"], &first["evidence"]), (&"a".into(), &"clear".into()));
    }
}
