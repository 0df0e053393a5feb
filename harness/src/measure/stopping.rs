//! When a visit is long enough, and when a candidate has enough samples.
//!
//! Looking again and again whether the interval is narrow enough favours samples
//! that happen to lie close together, and the intervals of those who stop early
//! then hold less than they promise. So the first visits are a pilot: they say how
//! many visits there have to be, and nobody looks again until these are done (Stein
//! 1945; Kalibera and Jones 2013). What the pilot said of the scatter is no part of
//! the interval (see the crate `statistics`), so that having stopped early says
//! nothing about it.

use std::fmt;
use std::time::Duration;

use statistics::{PILOT, visits_for};

use super::series::{Series, VisitSoFar};

/// Samples in a visit: enough for a median, few enough for many visits. Where
/// visits differ more than samples, more visits tell more.
const SAMPLES_A_VISIT: usize = 5;
/// So many visits at least should fit into the time of a candidate: those that it takes to end by the
/// interval, also where a sample takes longer than its share.
const VISITS_IN_TIME: u32 = 15;
/// A single sample has no interval: time is over only after so many.
const LEAST_SAMPLES: usize = 2;

/// The rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Policy {
    /// At least so many samples.
    pub min_samples: usize,
    /// Whether somebody asked for them: then time does not end it before.
    pub min_is_given: bool,
    /// At most so many samples.
    pub max_samples: usize,
    /// The time for a candidate, with all that surrounds its samples.
    pub max_time: Duration,
    /// The width of the 95 % interval of the median, relative to it, that is
    /// enough.
    pub precision: f64,
}

/// What ended the sampling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// So many visits as the pilot found enough for a narrow interval.
    Interval,
    /// The samples are as many as allowed.
    Samples,
    /// The time is over.
    Time,
    /// The user asked for an end.
    Interrupt,
}

impl Policy {
    /// Whether a candidate has enough samples for this visit.
    pub fn ends_visit<T>(&self, visit: &VisitSoFar, series: &Series<T>) -> bool {
        let visit_time = self.max_time / VISITS_IN_TIME;
        let late = visit.spent >= visit_time || series.spent >= self.max_time;
        let full = visit.samples >= SAMPLES_A_VISIT || series.samples.len() >= self.max_samples;
        full || (late && visit.samples > 0 && series.samples.len() >= LEAST_SAMPLES)
    }

    /// Whether, and why, to stop after these visits.
    pub fn stops<T>(&self, series: &Series<T>) -> Option<StopReason> {
        let taken = series.samples.len();
        if series.seconds.len() >= self.min_samples && self.has_planned_visits(series) {
            return Some(StopReason::Interval);
        }
        if taken >= self.max_samples {
            return Some(StopReason::Samples);
        }
        let least =
            if self.min_is_given { self.min_samples } else { LEAST_SAMPLES.min(self.max_samples) };
        (taken >= least && series.spent >= self.max_time).then_some(StopReason::Time)
    }

    /// Whether there are as many visits as the first ones said that it takes.
    fn has_planned_visits<T>(&self, series: &Series<T>) -> bool {
        let visits = series.visit_starts.len();
        let planned = || {
            let end = series.visit_starts.get(PILOT).copied();
            let pilot = &series.seconds[..end.unwrap_or(series.seconds.len())];
            let pilot = statistics::Series::new(pilot, &series.visit_starts[..PILOT]);
            let width = pilot.interval()?.relative_width(pilot.median());
            Some(visits_for(self.precision, width))
        };
        visits >= PILOT && planned().is_some_and(|planned| visits >= planned)
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StopReason::Interval => "interval",
            StopReason::Samples => "samples",
            StopReason::Time => "time",
            StopReason::Interrupt => "interrupt",
        })
    }
}

#[cfg(test)]
mod coverage;
#[cfg(test)]
mod tests;
