//! Nodes, workers, queues, failures.

use crate::problem::{Problem, positive};

/// Nodes that get timeslices round robin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Farm {
    /// Number of nodes.
    pub nodes: usize,
    /// Workers of each, that process a timeslice each at a time.
    pub workers: usize,
    /// Timeslices that may wait on a node.
    pub queue: usize,
    /// Policy for a timeslice that finds all queues full.
    pub when_full: WhenFull,
    /// Failures of nodes; none without.
    pub failures: Option<Failures>,
}

/// Policy for a timeslice that finds all queues full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenFull {
    /// It waits before the nodes, and all after it.
    Wait,
    /// It is dropped.
    Drop,
}

/// Failures of nodes, and their return.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Failures {
    /// Mean time between failures of a node, in seconds; times are exponential.
    pub between_s: f64,
    /// Time until a node is back, in seconds.
    pub repair_s: f64,
    /// Time until a failure is noticed, in seconds: what the node had goes to others then.
    pub noticed_s: f64,
}

impl Farm {
    /// Refuses what can't be simulated.
    ///
    /// # Errors
    /// If there are no nodes or workers, or a time of failures is not positive.
    pub fn check(&self) -> Result<(), Problem> {
        if self.nodes == 0 {
            return Err(Problem::Nothing("nodes"));
        }
        if self.workers == 0 {
            return Err(Problem::Nothing("workers"));
        }
        if let Some(failures) = self.failures {
            positive("the time between failures", failures.between_s)?;
            positive("the time of a repair", failures.repair_s)?;
            positive("the time until a failure is noticed", failures.noticed_s)?;
        }
        Ok(())
    }
}
