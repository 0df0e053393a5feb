//! Lines over a numeric axis: the time, the speed-up by threads, and where a GPU
//! breaks even.
//!
//! | module | does |
//! |---|---|
//! | `grouping` | parts the rows into panels and lines |
//! | `time`, `speedup` | turn the rows of lines into values |
//! | `break_even` | the fastest on CPU and GPU over the size, and where they cross |
//! | `x_axis` | the axis that the lines run over |

pub mod break_even;
mod grouping;
pub mod speedup;
pub mod time;
pub mod x_axis;

use super::axes::Axis;
use super::study::Study;

/// The axis of the scaling of a program.
pub const THREADS: &str = "threads";
/// The axis that moves the work from few large pieces to many small ones.
const SEGMENTS: &str = "segments";

/// The axes that readers want the time over: the numeric one with the most
/// values, and those that say how a variant scales. Others would repeat, in
/// further panels, what these show.
pub fn axes<'a>(study: &'a Study) -> Vec<&'a Axis> {
    let numeric = || study.varying.iter().filter(|axis| axis.numbers().is_some());
    let longest = numeric().rev().max_by_key(|axis| axis.values.len());
    let is_asked_for = |axis: &&Axis| [THREADS, SEGMENTS].contains(&axis.name.as_str());
    let others = numeric().filter(|axis| is_asked_for(axis) && Some(*axis) != longest);
    longest.into_iter().chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{row, run};
    use super::super::study::SeriesNames;
    use super::*;
    use crate::record::SummaryRow;

    fn names(rows: &[SummaryRow]) -> Vec<String> {
        let (run, names) = (run(), SeriesNames::new(rows));
        let study = Study::new(&run, "sort", rows, &[], &names);
        let axes = axes(&study).into_iter();
        axes.map(|axis| axis.name.clone()).collect()
    }

    #[test]
    fn words_are_no_axis_for_a_line() {
        let rows = [row("a", "order=random", 1e-3), row("a", "order=sorted", 1e-3)];
        assert!(names(&rows).is_empty());
    }

    #[test]
    fn segments_and_threads_are_axes_beside_the_longest() {
        let mut rows = Vec::new();
        for (digis, skew) in [(1, 1), (2, 2), (3, 1)] {
            for segments in [24, 1792] {
                for threads in [1, 2] {
                    let params = format!("digis={digis};segments={segments};skew={skew}");
                    rows.push(SummaryRow { threads, ..row("a", &params, 1e-3) });
                }
            }
        }
        assert_eq!(names(&rows), ["digis", "segments", "threads"]);
    }
}
