//! The winners of a run as tables.

use std::cmp::Ordering;

use super::{Evidence, Ranking, rankings_by, varying};
use crate::frame::Frame;
use crate::grouped::grouped;
use crate::rank::{Rank, RankedBy, has_kernels};
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
    /// Quantity by which they are ranked.
    pub by: RankedBy,
}

impl Tabular for Winners<'_> {
    fn tables(&self, _: Screen) -> Vec<Table> {
        let tables =
            grouped(self.rows, |row| &row.algorithm).into_iter().filter_map(|(task, rows)| {
                let rankings = rankings_by(&rows, self.rank, self.by);
                let ranked_by = match self.by {
                    RankedBy::Time if has_kernels(rows.iter().copied()) => self.rank.sentence(),
                    RankedBy::Time => String::new(),
                    RankedBy::Energy => "ranked by: energy of an item".to_owned(),
                };
                (!rankings.is_empty()).then(|| table(task, ranked_by, self.by, &rankings))
            });
        tables.collect()
    }

    fn frame(&self) -> Frame {
        let tasks = grouped(self.rows, |row| &row.algorithm).into_iter();
        let rankings: Vec<_> =
            tasks.flat_map(|(_, rows)| rankings_by(&rows, self.rank, self.by)).collect();
        let empty = SummaryRow::default();
        let empty = Ranking { axes: Vec::new(), first: &empty, second: None, by: self.by };
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
        /// The variant with the smallest value.
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
        /// The second's value over the winner's.
        lead: Option<f64>,
        /// Certainty of the lead.
        evidence: Evidence,
        /// Quantity by which variants are ranked, and of the lead.
        by: RankedBy,
        /// Energy of an item of the winner in joules, if it was measured.
        j_per_item: Option<f64>,
        /// Lower end of its 95 % confidence interval.
        j_per_item_low: Option<f64>,
        /// Upper end of its 95 % confidence interval.
        j_per_item_high: Option<f64>,
        /// Meters of that energy.
        energy_source: &'a str,
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
        by: ranking.by,
        j_per_item: first.joules_per_item(),
        j_per_item_low: first.j_per_item_low,
        j_per_item_high: first.j_per_item_high,
        energy_source: &first.energy_source,
    };
    let axes = ranking.axes.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    Record::from(winner).spread("axis", axes)
}

fn table(task: &str, ranked_by: String, by: RankedBy, rankings: &[Ranking]) -> Table {
    let axes = varying(rankings);
    let common = shape::common(rankings.iter().map(|ranking| ranking.axes.clone()));
    let words = [shape::phrases(&common), ranked_by].into_iter();
    let words: Vec<String> = words.filter(|words| !words.is_empty()).collect();
    let named = axes.iter().map(|axis| (axis.as_str(), Side::Right));
    let others = [
        ("winner", Side::Left),
        (value_name(by), Side::Right),
        ("lead", Side::Right),
        ("next", Side::Left),
        ("", Side::Left),
    ];
    let columns: Vec<_> = named.chain(others).collect();
    let rows = in_order(rankings, &axes).into_iter().map(|ranking| cells(ranking, &axes));
    Table::new(&columns, rows).under(format!("{task}: {}", words.join(shape::SEPARATOR)))
}

fn value_name(by: RankedBy) -> &'static str {
    match by {
        RankedBy::Time => "median",
        RankedBy::Energy => "J/item",
    }
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
    let evidence = match (ranking.evidence(), ranking.by) {
        _ if ranking.differs_in_source() => "measured by different meters",
        (Evidence::Clear, _) => "",
        (Evidence::Overlap, _) => "intervals overlap",
        (Evidence::TooFew, RankedBy::Time) => "too few samples",
        (Evidence::TooFew, RankedBy::Energy) => "too few windows",
    };
    cells.extend([
        name(ranking.first),
        known(ranking.by.value(ranking.first), |value| ranking.by.words(value)),
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
        rendered_by(format, RankedBy::Time)
    }

    fn rendered_by(format: Format, by: RankedBy) -> String {
        let few = SummaryRow { samples: 3, ..row("a", "digis=2000;order=time", 1e-3) };
        let rows = [
            row("a", "digis=1000;order=time", 1e-3),
            SummaryRow {
                j_per_item: Some(2.5e-8),
                energy_source: "command".into(),
                ..row("b", "digis=1000;order=time", 2e-3)
            },
            few,
            row("b", "digis=2000;order=time", 3e-3),
        ];
        let run = crate::charts::fixture::run();
        let winners = Winners { run: &run, rows: &rows, rank: Rank::Total, by };
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
    fn energy_is_ranked_where_it_is_known() {
        let text = rendered_by(Format::Table, RankedBy::Energy);
        assert!(text.contains("ranked by: energy of an item") && text.contains("J/item"), "{text}");
        let last = text.lines().last().expect("a row");
        assert!(last.contains("25.0 nJ") && last.contains('b'), "{text}");
        let document: serde_json::Value =
            serde_json::from_str(&rendered_by(Format::Json, RankedBy::Energy)).expect("JSON");
        let rows = document["rows"].as_array().expect("rows");
        assert_eq!(rows.len(), 1);
        assert_eq!((&rows[0]["by"], &rows[0]["winner"]), (&"energy".into(), &"b".into()));
        assert_eq!(rows[0]["j_per_item"], 2.5e-8);
        assert_eq!(rows[0]["energy_source"], "command");
        assert!(rows[0]["j_per_item_low"].is_null());
    }

    #[test]
    fn other_tools_get_a_column_an_axis() {
        let text = rendered(Format::Csv);
        let header = text.lines().next().expect("a header");
        assert!(header.starts_with("algorithm,point_id,winner,"), "{header}");
        assert!(header.contains(",energy_source,axis_bind,axis_cache,axis_digis,"), "{header}");
        let last = text.lines().last().expect("a row");
        assert!(last.contains(",3,too-few,time,"), "{last}");
        assert_eq!(text.lines().count(), 3);
        let document: serde_json::Value =
            serde_json::from_str(&rendered(Format::Json)).expect("JSON");
        let first = &document["rows"][0];
        assert_eq!(first["axis_digis"], 1000);
        assert_eq!((&first["winner"], &first["evidence"]), (&"a".into(), &"clear".into()));
    }
}
