//! How much a median varies from one visit to the next.
//!
//! A point is measured in several visits, each with data and buffers of its
//! own and some time apart. Where buffers happen to lie in memory, and what
//! else the machine does in that minute, is the same for all samples of a
//! visit: the samples alone would promise more than the next run can keep. So
//! the medians of the visits are looked at, as if each were one sample.
//!
//! The first visits are a pilot: they say how many there have to be. Whoever
//! stops early does so because these happened to lie close together, so they may
//! say no more about the scatter once there are enough others (Stein 1945, and
//! Kalibera and Jones 2013 for benchmarks).

use super::description::median;
use super::evidence::Evidence;
use super::interval::first_of;
use super::student::t95;

/// Visits in fewer numbers don't show how they vary.
pub const MIN_VISITS: usize = 3;
/// So many visits at the beginning tell how many there have to be.
pub const PILOT: usize = 5;
/// From so many visits on those after the pilot tell the scatter.
const BEYOND_PILOT: usize = 2 * PILOT;
/// Nobody waits for more visits than this.
const MOST_VISITS: usize = 10_000;
/// The share of visits that are trimmed at either end.
pub(super) const TRIMMED: f64 = 0.2;

/// What visits with their samples in seconds say of their median; `None` for fewer than
/// [`MIN_VISITS`] that have any.
pub(super) fn evidence_of<'a>(visits: impl IntoIterator<Item = &'a [f64]>) -> Option<Evidence> {
    let visits = visits.into_iter().filter(|visit| !visit.is_empty());
    let medians: Vec<_> = visits.map(|visit| median(visit).ln()).collect();
    if medians.len() < MIN_VISITS {
        return None;
    }
    let all = Evidence::of_logarithms(&medians, TRIMMED)?;
    if medians.len() < BEYOND_PILOT {
        return Some(all);
    }
    let fresh = Evidence::of_logarithms(&medians[PILOT..], TRIMMED)?;
    let share = (medians.len() - PILOT) as f64 / medians.len() as f64;
    Some(Evidence { variance: share * fresh.variance, df: fresh.df, ..all })
}

/// How many visits it takes until the interval of a median will probably be
/// narrower than `precision`, by how wide it is after the pilot, both relative to
/// the median. As many as tell the scatter without the pilot at least.
pub fn visits_for(precision: f64, width_after_pilot: f64) -> usize {
    let shape = |visits: usize| t95((visits - 1) as f64) / (visits as f64).sqrt();
    let allowed = shape(PILOT) * precision / width_after_pilot;
    // More visits never make it wider, and without a number no number of visits is enough.
    // Quantiles take long, and this is asked after each visit.
    first_of(BEYOND_PILOT..MOST_VISITS, |visits| shape(visits) <= allowed)
}

#[cfg(test)]
mod tests {
    use super::super::Interval;
    use super::*;

    fn interval(medians: &[f64]) -> Option<Interval> {
        let visits: Vec<_> = medians.iter().map(|&median| [median; 2]).collect();
        evidence_of(visits.iter().map(|visit| &visit[..])).map(Evidence::interval)
    }

    #[test]
    fn few_visits_say_nothing() {
        assert_eq!(interval(&[1.0, 2.0]), None);
        assert_eq!(interval(&[]), None);
        assert_eq!(interval(&[0.0, 1.0, 2.0]), None, "no logarithm");
        assert_eq!(interval(&[1.0; 5]), Some(Interval { low: 1.0, high: 1.0 }));
    }

    #[test]
    fn without_trimming_it_is_the_usual_standard_error() {
        // Three visits: 0.2 of them is none.
        let found = interval(&[1.00, 1.01, 1.02]).expect("enough visits");
        let expected = 4.303 * 0.01 / 3.0_f64.sqrt();
        let half_width = (found.high / found.low).ln() / 2.0;
        assert!((half_width / expected - 1.0).abs() < 0.02);
    }

    #[test]
    fn the_interval_lies_about_the_trimmed_mean() {
        // Two states: the median of the visits is that of the more frequent one.
        let found = interval(&[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.3, 1.3, 1.3, 1.3]);
        let Interval { low, high } = found.expect("enough visits");
        let middle = 1.3_f64.powf(1.0 / 3.0);
        assert!(((low * high).sqrt() / middle - 1.0).abs() < 1e-12, "{low} {high}");
    }
}
