//! Lines over a numeric axis: time, speed-up by threads, quality, and where a GPU breaks even.
//!
//! | module | does |
//! |---|---|
//! | `grouping` | groups the rows into panels and lines |
//! | `time`, `speedup` | turn the rows of lines into values |
//! | `quality` | quality of outputs, by metric |
//! | `break_even` | the fastest on CPU and GPU over the size, and their crossings |
//! | `x_axis` | the horizontal axis |

pub mod break_even;
mod grouping;
pub mod quality;
pub mod speedup;
pub mod time;
pub mod x_axis;

use super::axes::Axis;
use super::line_panels::Point;
use super::scale::{Scale, Spread};
use super::study::{Study, interval, median};
use crate::record::SummaryRow;

/// The axis of strong scaling.
pub const THREADS: &str = "threads";
/// The axis that moves the work from few large pieces to many small ones.
const SEGMENTS: &str = "segments";

/// Axes of the charts of time: the numeric one with the most values, and those that show scaling.
/// Further axes would repeat in their panels what these show.
pub fn axes<'a>(study: &'a Study) -> Vec<&'a Axis> {
    let numeric = || study.varying.iter().filter(|axis| axis.numbers().is_some());
    let longest = longest(study);
    let is_asked_for = |axis: &&Axis| [THREADS, SEGMENTS].contains(&axis.name.as_str());
    let others = numeric().filter(|axis| is_asked_for(axis) && Some(*axis) != longest);
    longest.into_iter().chain(others).collect()
}

/// The numeric axis with the most values; of several, the first.
fn longest<'a>(study: &'a Study) -> Option<&'a Axis> {
    let numeric = study.varying.iter().filter(|axis| axis.numbers().is_some());
    numeric.rev().max_by_key(|axis| axis.values.len())
}

/// Logarithmic if the values span a decade, from zero otherwise.
fn scale(low: f64, high: f64) -> Scale {
    let around = Scale::around(low, high);
    match around.spread {
        Spread::Log => around,
        Spread::Linear => Scale::from_zero(high),
    }
}

/// The median of a row with its whisker, divided by `items`.
fn point(x: f64, row: &SummaryRow, items: f64) -> Point {
    let interval = interval(row).map(|(low, high)| (low / items, high / items));
    Point { x, y: median(row) / items, interval }
}
