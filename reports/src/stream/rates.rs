//! Due and completed rates over time.

use std::ops::Range;

use super::row::{StreamRow, TimesliceRow};

/// Maximum number of intervals of time in which rates are counted.
const PARTS: usize = 40;
/// Minimum number of timeslices per interval, to avoid steps of the rate.
const IN_PART: f64 = 10.0;

/// Rates over time: the middle of each interval in seconds, and the amount per second.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rates {
    /// The rate of the detector, which is uniform within a timeslice.
    pub due: Vec<(f64, f64)>,
    /// The rate of results.
    pub done: Vec<(f64, f64)>,
}

impl Rates {
    /// The rates of a speed, for an amount that each of its timeslices has.
    pub fn new<'a>(
        row: &StreamRow,
        own: impl IntoIterator<Item = &'a TimesliceRow> + Clone,
        amount: impl Fn(&TimesliceRow) -> f64,
    ) -> Self {
        let parts = (row.due as f64 / IN_PART).clamp(1.0, PARTS as f64) as usize;
        let count = own.clone().into_iter().count();
        // Only some of many timeslices are recorded.
        let written = row.due as f64 / count.max(1) as f64;
        let length = row.duration_s / parts as f64;
        let mut due = vec![0.0; parts];
        let mut done = vec![0.0; parts];
        let arrival = row.timeslice_s / row.speed;
        for timeslice in own {
            let amount = amount(timeslice);
            spread(&mut due, length, timeslice.due_s - arrival..timeslice.due_s, amount);
            let part = timeslice.ended_s.and_then(|at| done.get_mut((at / length) as usize));
            if let Some(part) = part {
                *part += amount;
            }
        }
        let rates = |sums: Vec<f64>| -> Vec<(f64, f64)> {
            let middle = |part: usize| (part as f64 + 0.5) * length;
            let sums = sums.into_iter().enumerate();
            sums.map(|(part, sum)| (middle(part), sum * written / length)).collect()
        };
        Rates { due: rates(due), done: rates(done) }
    }

    /// The highest rate of results.
    pub fn highest(&self) -> Option<f64> {
        self.done.iter().map(|(_, rate)| *rate).reduce(f64::max)
    }
}

/// Adds an amount that is uniform over `span` to intervals of this length.
fn spread(parts: &mut [f64], length: f64, span: Range<f64>, amount: f64) {
    for (index, part) in parts.iter_mut().enumerate() {
        let from = index as f64 * length;
        let to = (index + 1) as f64 * length;
        let within = span.end.min(to) - span.start.max(from);
        if within > 0.0 {
            *part += amount * within / (span.end - span.start);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{row, timeslice};
    use super::*;

    #[test]
    fn uniform_input_has_one_rate_and_late_results_end_later() {
        let all: Vec<TimesliceRow> = (0..400).map(|index| timeslice(index, 2.0)).collect();
        let rates = Rates::new(&row(1.0), &all, |it| it.bytes as f64);
        assert_eq!((rates.due.len(), rates.done.len()), (PARTS, PARTS));
        // 7.2 MB each 50 ms, in intervals of half a second.
        let close = |rate: f64| (rate / 144e6 - 1.0).abs() < 1e-6;
        assert!(close(rates.due[20].1) && close(rates.done[20].1), "{rates:?}");
        assert_eq!(rates.done[2].1, 0.0, "nothing before 2 s");
        assert!(rates.highest().is_some_and(close));
    }
}
