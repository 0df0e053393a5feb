//! Figures of a load in a configuration, block by block.

use statistics::{Estimate, RatioEstimate, mean_of_blocks, ratio_of_blocks};

use super::LoadWindowRow;

/// Share of the due events by which a backlog grows at least if it grows for good.
const GROWTH: f64 = 0.02;

/// Name of a configuration of loads.
pub fn configuration<'a>(loads: impl IntoIterator<Item = &'a str>) -> String {
    loads.into_iter().collect::<Vec<_>>().join("+")
}

/// True if a load with `streams` streams does not keep up with its schedule in a window: more of the
/// due events are left than can be in progress, or than the ends of a window explain.
pub fn is_unbounded(row: &LoadWindowRow, streams: usize) -> bool {
    let due = row.due.unwrap_or_default() as f64;
    row.backlog_growth.is_some_and(|growth| growth > streams as f64 + 1.0 + GROWTH * due)
}

/// Windows of one attempt.
#[derive(Clone, Copy)]
pub struct Windows<'a>(pub &'a [LoadWindowRow]);

/// Windows of a load in a configuration, one a block.
pub struct LoadWindows<'a>(Vec<&'a LoadWindowRow>);

impl<'a> Windows<'a> {
    /// Windows of a load with these neighbours; the configuration may name them in any order.
    pub fn of_load(self, load: &str, neighbours: &[&str]) -> LoadWindows<'a> {
        let mut members: Vec<&str> = neighbours.iter().copied().chain([load]).collect();
        members.sort_unstable();
        let rows = self.0.iter().filter(|row| {
            let mut names: Vec<&str> = row.configuration.split('+').collect();
            names.sort_unstable();
            row.load == load && names == members
        });
        LoadWindows(rows.collect())
    }
}

/// A figure of a window.
pub type Figure = fn(&LoadWindowRow) -> Option<f64>;

impl LoadWindows<'_> {
    pub fn blocks(&self) -> usize {
        self.0.len()
    }

    /// Mean over blocks, with its interval.
    pub fn mean(&self, figure: Figure) -> Option<Estimate> {
        let values: Vec<f64> = self.0.iter().filter_map(|row| figure(row)).collect();
        mean_of_blocks(&values)
    }

    /// Mean over blocks.
    pub fn value(&self, figure: Figure) -> Option<f64> {
        self.mean(figure).map(|estimate| estimate.value)
    }

    /// True if the backlog of an open loop grows in most blocks.
    pub fn is_unbounded(&self, streams: usize) -> bool {
        let growing = self.0.iter().filter(|row| is_unbounded(row, streams)).count();
        2 * growing > self.0.len()
    }

    /// Ratio of a figure to that of other windows in the same blocks, and the number of these.
    pub fn over(&self, other: &LoadWindows<'_>, figure: Figure) -> (Option<RatioEstimate>, usize) {
        let pairs = self.0.iter().filter_map(|row| {
            let other = other.0.iter().find(|other| other.block == row.block)?;
            Some((figure(row)?, figure(other)?))
        });
        let pairs: Vec<(f64, f64)> = pairs.collect();
        (ratio_of_blocks(pairs.iter().copied()), pairs.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(due: u64, growth: f64) -> LoadWindowRow {
        LoadWindowRow { due: Some(due), backlog_growth: Some(growth), ..LoadWindowRow::default() }
    }

    #[test]
    fn a_backlog_grows_if_it_exceeds_what_is_in_progress() {
        assert!(!is_unbounded(&row(1000, 21.0), 1), "two per cent and one in progress");
        assert!(is_unbounded(&row(1000, 23.0), 1));
        assert!(!is_unbounded(&row(1000, 23.0), 4), "four may be in progress");
        assert!(!is_unbounded(&row(10, -3.0), 1), "it shrinks");
        assert!(!is_unbounded(&LoadWindowRow::default(), 1), "a closed loop");
    }

    #[test]
    fn windows_are_found_by_the_set_of_loads() {
        let window = |configuration: &str, load: &str, block| LoadWindowRow {
            configuration: configuration.into(),
            load: load.into(),
            block,
            events_per_s: Some(10.0 * (block + 1) as f64),
            ..LoadWindowRow::default()
        };
        let rows = [
            window("a", "a", 0),
            window("b+a", "a", 0),
            window("b+a", "b", 0),
            window("a+b", "a", 1),
            window("a+b+c", "a", 0),
        ];
        let windows = Windows(&rows);
        let pair = windows.of_load("a", &["b"]);
        assert_eq!((pair.blocks(), pair.value(|row| row.events_per_s)), (2, Some(15.0)));
        let (ratio, blocks) = windows.of_load("a", &[]).over(&pair, |row| row.events_per_s);
        assert_eq!((ratio.map(|it| it.ratio), blocks), (Some(1.0), 1), "of block 0 only");
    }
}
