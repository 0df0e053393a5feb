//! How long it will still take.

use std::time::Duration;

/// What is known of the time that candidates take.
pub(super) struct Estimate {
    /// Candidates of all inputs.
    total: usize,
    /// The most that a candidate may take.
    budget: Duration,
    finished: usize,
    /// Time spent on the candidates that are done.
    spent_on_finished: Duration,
    /// Time spent on the others.
    spent_on_others: Duration,
}

impl Estimate {
    pub(super) fn new(total: usize, budget: Duration) -> Self {
        Estimate {
            total,
            budget,
            finished: 0,
            spent_on_finished: Duration::ZERO,
            spent_on_others: Duration::ZERO,
        }
    }

    pub(super) fn finished(&self) -> usize {
        self.finished
    }

    pub(super) fn note_sample(&mut self, spent: Duration) {
        self.spent_on_others += spent;
    }

    /// A candidate is done, on which so much time was spent.
    pub(super) fn note_finished(&mut self, spent: Duration) {
        self.finished += 1;
        self.spent_on_finished += spent;
        self.spent_on_others = self.spent_on_others.saturating_sub(spent);
    }

    /// The time left: what candidates took so far, or at first what they may
    /// take at most.
    pub(super) fn left(&self) -> Duration {
        let each = match u32::try_from(self.finished) {
            Ok(finished) if finished > 0 => self.spent_on_finished / finished,
            _ => self.budget,
        };
        let unfinished = (self.total - self.finished) as u32;
        let needed = each.saturating_mul(unfinished);
        needed.saturating_sub(self.spent_on_others)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn at_first_the_budget_counts_down() {
        let mut estimate = Estimate::new(4, 10 * SECOND);
        assert_eq!(estimate.left(), 40 * SECOND);
        estimate.note_sample(8 * SECOND);
        assert_eq!(estimate.left(), 32 * SECOND);
    }

    #[test]
    fn later_experience_counts() {
        let mut estimate = Estimate::new(6, 10 * SECOND);
        estimate.note_sample(4 * SECOND);
        estimate.note_finished(2 * SECOND);
        estimate.note_finished(2 * SECOND);
        assert_eq!(estimate.left(), 8 * SECOND);
        estimate.note_sample(SECOND);
        assert_eq!(estimate.left(), 7 * SECOND);
        (0..4).for_each(|_| estimate.note_finished(Duration::ZERO));
        assert_eq!(estimate.left(), Duration::ZERO);
    }
}
