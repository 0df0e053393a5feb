//! Deadline of a run with a time limit, and shares of the remaining time.

use std::time::{Duration, Instant};

/// End of a run's time limit; `None` without a limit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline(Option<Instant>);

/// Part of a budget reserved for charts and tables after the last sample, and its maximum.
const AFTERWARDS: f64 = 0.03;
const MAX_AFTERWARDS: Duration = Duration::from_secs(2);

impl Deadline {
    /// Deadline `budget` after `start`, less the time reserved for charts and tables.
    pub(crate) fn new(start: Instant, budget: Option<Duration>) -> Self {
        let end = |budget: Duration| {
            let afterwards = budget.mul_f64(AFTERWARDS).min(MAX_AFTERWARDS);
            start.checked_add(budget - afterwards)
        };
        Deadline(budget.and_then(end))
    }

    /// A deadline by this time earlier, if there is any.
    pub(crate) fn earlier_by(self, time: Duration) -> Self {
        // Before the clock of the system began there was no time left either.
        Deadline(self.0.map(|end| end.checked_sub(time).unwrap_or_else(Instant::now)))
    }

    /// Remaining time, or `None` without a limit.
    pub(crate) fn left(&self) -> Option<Duration> {
        let left = |end: Instant| end.saturating_duration_since(Instant::now());
        self.0.map(left)
    }

    /// Returns true if work of this duration would finish in time; never after the deadline.
    pub(crate) fn allows(&self, duration: Duration) -> bool {
        let is_enough = |left| left > Duration::ZERO && duration <= left;
        self.left().is_none_or(is_enough)
    }
}

/// Divides a budget among points with individual limits: returns the maximum time per point.
pub(crate) fn share(mut limits: Vec<Duration>, mut budget: Duration) -> Duration {
    limits.sort_unstable();
    let mut left = u32::try_from(limits.len()).unwrap_or(u32::MAX);
    for limit in limits {
        let share = budget / left.max(1);
        if limit > share {
            return share;
        }
        budget -= limit;
        left = left.saturating_sub(1);
    }
    Duration::MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_budget_means_no_deadline() {
        let never = Deadline::new(Instant::now(), None);
        assert!(never.allows(Duration::MAX));
        assert_eq!(never.left(), None);
    }

    #[test]
    fn work_beyond_the_deadline_is_not_started() {
        let hour = Duration::from_secs(3600);
        let end = Deadline::new(Instant::now(), Some(hour));
        assert!(end.allows(Duration::from_secs(3500)));
        assert!(!end.allows(hour), "something is left for charts");
        let over = Deadline::new(Instant::now(), Some(Duration::ZERO));
        assert!(!over.allows(Duration::ZERO));
    }

    #[test]
    fn earlier_deadlines_leave_time() {
        let hour = Duration::from_secs(3600);
        let end = Deadline::new(Instant::now(), Some(hour));
        let earlier = end.earlier_by(hour / 2);
        assert!(earlier.allows(hour / 3) && !earlier.allows(hour / 2));
        assert!(!end.earlier_by(2 * hour).allows(Duration::ZERO));
        assert_eq!(Deadline::new(Instant::now(), None).earlier_by(hour).left(), None);
    }

    #[test]
    fn unused_shares_go_to_longer_points() {
        let seconds = Duration::from_secs;
        for (limits, budget, expected) in [
            (&[10, 10][..], 10, seconds(5)),
            (&[10, 1, 10], 11, seconds(5)),
            (&[3, 4], 7, Duration::MAX),
            (&[1, 1], 0, Duration::ZERO),
        ] {
            let limits = limits.iter().copied().map(seconds).collect();
            assert_eq!(share(limits, seconds(budget)), expected);
        }
    }

    #[test]
    fn shares_use_up_the_budget_and_no_more() {
        let limits = [1, 2, 3, 50, 60].map(Duration::from_secs);
        for budget in 1..116 {
            let share = share(limits.to_vec(), Duration::from_secs(budget));
            let spent = limits.map(|limit| limit.min(share));
            let unspent = Duration::from_secs(budget).checked_sub(spent.iter().sum());
            let unspent = unspent.expect("not beyond the budget");
            assert!(unspent < Duration::from_micros(1), "{budget}: {unspent:?}");
        }
    }
}
