//! Breakdown of the time of variants into stages.

use crate::grouped::{distinct, grouped};
use crate::rank::{KERNEL, TOTAL};
use crate::record::SummaryRow;
use crate::shape::{self, Axes};

/// Name of the remainder of the total.
pub const OTHER: &str = "other";
/// Stages of a GPU other than kernels.
const TRANSFERS: [&str; 2] = ["h2d", "d2h"];

/// Breakdowns of the variants with stages at one setting.
#[derive(Clone, Debug, PartialEq)]
pub struct Breakdown {
    /// The setting.
    pub axes: Axes,
    /// A bar for each variant, the fastest first.
    pub bars: Vec<Bar>,
}

/// Breakdown of a variant.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// Displayed name of the variant.
    pub variant: String,
    /// Median total time in seconds.
    pub total_s: f64,
    /// Stages in the order of the run; the remainder of the total last.
    pub parts: Vec<Part>,
}

/// A stage of a variant.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The stage.
    pub stage: String,
    /// Median time in seconds.
    pub seconds: f64,
    /// Kind of input of the stage, if it is not the same for all variants.
    pub given: String,
}

impl Bar {
    /// Sum of the parts; it exceeds the total if stages overlap.
    pub fn sum_s(&self) -> f64 {
        self.parts.iter().map(|part| part.seconds).sum()
    }
}

/// Breakdowns of rows by setting; `name` returns the displayed name of a variant.
pub fn breakdowns(rows: &[&SummaryRow], name: impl Fn(&SummaryRow) -> String) -> Vec<Breakdown> {
    let is_timed = |row: &&SummaryRow| row.valid_median().is_some();
    let timed = rows.iter().copied().filter(is_timed);
    let settings = grouped(timed, |row| shape::axes(row));
    let breakdowns = settings.into_iter().filter_map(|(axes, rows)| {
        let variants = grouped(rows, |row| name(row));
        let mut bars: Vec<Bar> =
            variants.into_iter().filter_map(|(variant, rows)| bar(variant, &rows)).collect();
        bars.sort_by(|a, b| a.total_s.total_cmp(&b.total_s));
        (!bars.is_empty()).then_some(Breakdown { axes, bars })
    });
    breakdowns.collect()
}

fn bar(variant: String, rows: &[&SummaryRow]) -> Option<Bar> {
    let total = rows.iter().find(|row| row.stage == TOTAL);
    let total_s = total?.valid_median()?;
    let part = |row: &&SummaryRow| {
        let stage = row.stage.clone();
        let given = row.given.clone();
        Some(Part { stage, seconds: row.valid_median()?, given })
    };
    let parts = rows.iter().filter(|row| row.stage != TOTAL);
    let mut parts: Vec<Part> = parts.filter_map(part).collect();
    outermost(&mut parts);
    if parts.is_empty() {
        return None;
    }
    let mut bar = Bar { variant, total_s, parts };
    let rest = total_s - bar.sum_s();
    if rest > 0.0 {
        let stage = OTHER.to_owned();
        bar.parts.push(Part { stage, seconds: rest, given: String::new() });
    }
    Some(bar)
}

/// Names of all stages, ordered as in the bar with the most stages, the remainder last, so that a
/// stage has the same index at all settings.
pub fn stages(breakdowns: &[Breakdown]) -> Vec<&str> {
    let bars = breakdowns.iter().flat_map(|breakdown| &breakdown.bars);
    let mut bars: Vec<&Bar> = bars.collect();
    bars.sort_by_key(|bar| std::cmp::Reverse(bar.parts.len()));
    let parts = bars.into_iter().flat_map(|bar| &bar.parts);
    let mut names = distinct(parts.map(|part| part.stage.as_str()));
    names.sort_by_key(|name| *name == OTHER);
    names
}

/// Removes parts that others include already: stages of stages, which are too many to distinguish
/// by colour, and the sum of the kernels if these are listed.
pub(crate) fn outermost(parts: &mut Vec<Part>) {
    let names: Vec<String> = parts.iter().map(|part| part.stage.clone()).collect();
    let is_part = |stage: &str| names.iter().any(|other| is_within(stage, other));
    parts.retain(|part| !is_part(&part.stage));
    let is_kernel = |part: &Part| part.stage != KERNEL && !TRANSFERS.contains(&part.stage.as_str());
    if parts.iter().any(is_kernel) {
        parts.retain(|part| part.stage != KERNEL);
    }
}

/// True if a stage is a part of another one: `scope/stage` of `scope`.
pub(crate) fn is_within(stage: &str, scope: &str) -> bool {
    let rest = stage.strip_prefix(scope);
    rest.is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::fixture::row;

    fn stage(variant: &str, stage: &str, median: f64) -> SummaryRow {
        SummaryRow { stage: stage.into(), ..row(variant, "n=1", median) }
    }

    fn bars(rows: &[SummaryRow]) -> Vec<Bar> {
        let rows: Vec<_> = rows.iter().collect();
        let name = |row: &SummaryRow| row.variant.clone();
        breakdowns(&rows, name).into_iter().flat_map(|b| b.bars).collect()
    }

    #[test]
    fn the_remainder_of_the_stages_is_other() {
        let rows = [
            stage("a", "total", 10.0),
            stage("a", "count", 2.0),
            stage("a", "scatter", 5.0),
            stage("b", "total", 1.0),
        ];
        let bars = bars(&rows);
        assert_eq!(bars.len(), 1, "b has no stages");
        let parts = [("count", 2.0), ("scatter", 5.0), ("other", 3.0)];
        let found = bars[0].parts.iter().map(|part| (part.stage.as_str(), part.seconds));
        assert_eq!(found.collect::<Vec<_>>(), parts);
        assert_eq!(bars[0].sum_s(), 10.0);
    }

    #[test]
    fn kernels_are_not_counted_twice() {
        let rows = [
            stage("a", "total", 10.0),
            stage("a", "kernel", 4.0),
            stage("a", "h2d", 3.0),
            stage("a", "d2h", 3.0),
        ];
        assert_eq!(bars(&rows)[0].parts.len(), 3);
        let named = [&rows[..], &[stage("a", "scan", 1.0), stage("a", "sort", 3.0)]].concat();
        let stages: Vec<_> = bars(&named)[0].parts.iter().map(|part| part.stage.clone()).collect();
        assert_eq!(stages, ["h2d", "d2h", "scan", "sort"]);
    }

    #[test]
    fn a_stage_with_parts_is_shown_as_one() {
        let rows = [
            stage("a", "total", 10.0),
            stage("a", "again", 4.0),
            stage("a", "again/sort", 3.0),
            stage("a", "again/count", 1.0),
            stage("a", "against", 2.0),
        ];
        let stages: Vec<_> = bars(&rows)[0].parts.iter().map(|part| part.stage.clone()).collect();
        assert_eq!(stages, ["again", "against", "other"]);
    }
}
