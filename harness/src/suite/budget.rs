//! A budget, divided fairly over the points of a suite.

use std::time::Duration;

use super::Suite;
pub(crate) use crate::measure::share;

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
