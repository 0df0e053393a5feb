//! The samples of a candidate, visit by visit.

use std::time::Duration;

/// A sample that was taken.
pub trait Taken {
    /// The time of the sample in seconds.
    fn seconds(&self) -> f64;
    /// Whether the sample is one to be counted.
    fn counts(&self) -> bool;
    /// The time that the sample cost, with all that surrounds it.
    fn spent(&self) -> Duration;
}

/// All samples of one candidate so far.
#[derive(Clone, Debug, Default)]
pub struct Series<T> {
    /// The samples of all visits.
    pub samples: Vec<T>,
    /// The times of those that count, in seconds.
    pub seconds: Vec<f64>,
    /// Where in `seconds` each visit begins.
    pub visit_starts: Vec<usize>,
    /// The time that all of them cost, with all that surrounds them, and warming up.
    pub spent: Duration,
    /// That part of it in which runs were for warming up only.
    pub warming: Duration,
    /// What the last run cost.
    pub last: Duration,
    /// Why there are no more.
    pub failure: Option<String>,
}

/// What a candidate did in a visit until now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VisitSoFar {
    /// Samples taken.
    pub samples: usize,
    /// The time that all of them cost, and warming up.
    pub spent: Duration,
}

impl<T: Taken> Series<T> {
    /// The next samples are those of another visit.
    pub fn begin_visit(&mut self) {
        self.visit_starts.push(self.seconds.len());
    }

    /// Takes a sample.
    pub fn push(&mut self, sample: T) {
        if sample.counts() {
            self.seconds.push(sample.seconds());
        }
        self.samples.push(sample);
    }
}
