//! How the groups of a chart are spread over panels.

use std::ops::Range;

use super::super::axes::{self, Axis};
use super::super::study::Study;
use super::quantity::Quantity;
use crate::record::SummaryRow;

/// A panel with more bars is split.
const BARS_A_PANEL: usize = 96;
/// Beyond this ratio between groups a common scale hides the smaller ones.
const COMMON_SCALE: f64 = 30.0;
/// The ratio between the groups of one panel if scales differ.
const OWN_SCALE: f64 = 12.0;

/// Groups of neighbours that share a panel.
#[derive(Clone, Debug, PartialEq)]
pub struct Bands {
    /// Positions of the groups among the axis' values.
    pub ranges: Vec<Range<usize>>,
    /// Whether each panel has a scale of its own.
    pub own_scales: bool,
}

impl Bands {
    /// The bands of `group`; without one, each variant is a group.
    pub fn new(study: &Study, group: Option<&Axis>, quantity: Quantity) -> Bands {
        let series = study.legend().len();
        let Some(axis) = group else {
            return Bands { ranges: even(series, BARS_A_PANEL), own_scales: false };
        };
        let heights = heights(&study.rows, axis, quantity);
        let limit = (BARS_A_PANEL / series.max(1)).max(1);
        let own_scales = ratio(&heights) > COMMON_SCALE;
        let ranges = match own_scales {
            true => like_sizes(&heights, limit),
            false => even(heights.len(), limit),
        };
        Bands { ranges, own_scales }
    }

    /// The groups of the longest band.
    pub fn longest(&self) -> usize {
        self.ranges.iter().map(Range::len).max().unwrap_or(1).max(1)
    }
}

/// The highest point of the rows at each value of an axis.
fn heights(rows: &[&SummaryRow], axis: &Axis, quantity: Quantity) -> Vec<f64> {
    let positions = axis.positions();
    let mut heights = vec![0.0; axis.values.len()];
    for row in rows {
        if let Some(&position) = positions.get(axes::value_of(row, &axis.name).as_str()) {
            heights[position] = quantity.top(row).max(heights[position]);
        }
    }
    heights
}

/// Ranges of neighbours whose heights stay within [`OWN_SCALE`].
fn like_sizes(heights: &[f64], limit: usize) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut start = 0;
    for end in 1..=heights.len() {
        let fits = |end: usize| end - start <= limit && ratio(&heights[start..end]) <= OWN_SCALE;
        if end == heights.len() || !fits(end + 1) {
            ranges.push(start..end);
            start = end;
        }
    }
    ranges
}

/// Ranges of the same length, at most `limit`; the last may be shorter.
fn even(count: usize, limit: usize) -> Vec<Range<usize>> {
    let pieces = count.div_ceil(limit).max(1);
    let length = count.div_ceil(pieces).max(1);
    let starts = (0..count).step_by(length);
    starts.map(|start| start..(start + length).min(count)).collect()
}

fn ratio(heights: &[f64]) -> f64 {
    let most = heights.iter().copied().fold(0.0, f64::max);
    let least = heights.iter().copied().fold(f64::INFINITY, f64::min);
    most / least
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_leave_no_group_out() {
        assert_eq!(even(30, 8), [0..8, 8..16, 16..24, 24..30]);
        assert_eq!(even(3, 8).len(), 1);
    }

    #[test]
    fn groups_of_like_size_stay_together() {
        let heights = [1.0, 3.0, 10.0, 30.0, 100.0];
        assert_eq!(like_sizes(&heights, 8), [0..3, 3..5]);
        assert_eq!(like_sizes(&[1.0, 1.0, 1.0], 2), [0..2, 2..3]);
    }
}
