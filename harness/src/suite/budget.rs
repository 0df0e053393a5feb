//! A budget, divided fairly over the points of a suite.

use std::time::Duration;

use super::Suite;

impl Suite {
    /// The most that a point may take so that all of them fit into the budget.
    /// Points whose own limit is lower leave the rest to the others.
    pub fn share(&self, budget: Duration) -> Duration {
        let limits = self.parts.iter().flat_map(|part| {
            let limit = part.settings.max_time;
            std::iter::repeat_n(limit, part.points().count())
        });
        share(limits.collect(), budget)
    }
}

/// The most that each of several points may take, whose own limits these are.
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

    fn share_of(limits: &[u64], budget: u64) -> Duration {
        let limits = limits.iter().copied().map(Duration::from_secs).collect();
        share(limits, Duration::from_secs(budget))
    }

    #[test]
    fn what_short_points_leave_goes_to_long_ones() {
        assert_eq!(share_of(&[10, 10], 10), Duration::from_secs(5));
        assert_eq!(share_of(&[10, 1, 10], 11), Duration::from_secs(5));
        assert_eq!(share_of(&[3, 4], 7), Duration::MAX, "all fit");
        assert_eq!(share_of(&[1, 1], 0), Duration::ZERO);
    }

    #[test]
    fn shares_use_up_the_budget_and_no_more() {
        let limits = [1, 2, 3, 50, 60];
        for budget in 1..116 {
            let share = share_of(&limits, budget);
            let spent: Duration = limits
                .map(Duration::from_secs)
                .map(|limit| limit.min(share))
                .iter()
                .sum();
            let unspent = Duration::from_secs(budget)
                .checked_sub(spent)
                .expect("not beyond the budget");
            assert!(unspent < Duration::from_micros(1), "{budget}: {unspent:?}");
        }
    }
}
