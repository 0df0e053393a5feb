//! Counts of what was measured.

use std::collections::BTreeSet;

use super::TOTAL;
use crate::record::SummaryRow;
use crate::shape::{self, Axes, name};

/// Counts of a run, or of a task of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Points with a time.
    pub points: usize,
    /// Points without one: wrong, refused, not run.
    pub refused: usize,
    /// Combinations of variant and device.
    pub variants: usize,
    /// Combinations of all other axes.
    pub settings: usize,
    /// Samples of total times.
    pub samples: usize,
}

impl Tally {
    /// Counts rows.
    pub fn from_rows<'a>(rows: impl IntoIterator<Item = &'a SummaryRow>) -> Self {
        let mut tally = Tally::default();
        let mut variants: BTreeSet<(String, String)> = BTreeSet::new();
        let mut settings: BTreeSet<(String, Axes)> = BTreeSet::new();
        for row in rows.into_iter().filter(|row| row.stage == TOTAL) {
            match row.valid_median() {
                Some(_) => tally.points += 1,
                None => tally.refused += 1,
            }
            tally.samples += row.samples;
            variants.insert((row.algorithm.clone(), name(row)));
            settings.insert((row.algorithm.clone(), shape::axes(row)));
        }
        tally.variants = variants.len();
        tally.settings = settings.len();
        tally
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::row;
    use super::*;

    #[test]
    fn points_are_counted_and_not_their_stages() {
        let mut stage = row("a", "n=1", 0.5);
        stage.stage = "scatter".into();
        let mut refused = row("b", "n=1", 1.0);
        refused.median_s = None;
        refused.samples = 0;
        let rows = [row("a", "n=1", 1.0), stage, row("a", "n=2", 1.0), refused];
        let expected = Tally { points: 2, refused: 1, variants: 2, settings: 2, samples: 20 };
        assert_eq!(Tally::from_rows(&rows), expected);
    }
}
