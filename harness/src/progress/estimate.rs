//! How long it will still take.

use std::time::Duration;

/// What is known of the time that candidates take.
pub(super) struct Estimate {
    /// Candidates of each input.
    per_input: usize,
    /// Candidates of all inputs.
    total: usize,
    /// The most that a candidate may take.
    budget: Duration,
    finished: usize,
    /// Time spent on the inputs that are done.
    spent_before: Duration,
    /// Time spent on the input at work.
    spent_now: Duration,
}

impl Estimate {
    pub(super) fn new(inputs: usize, per_input: usize, budget: Duration) -> Self {
        Estimate {
            per_input,
            total: inputs * per_input,
            budget,
            finished: 0,
            spent_before: Duration::ZERO,
            spent_now: Duration::ZERO,
        }
    }

    pub(super) fn finished(&self) -> usize {
        self.finished
    }

    pub(super) fn note_sample(&mut self, spent: Duration) {
        self.spent_now += spent;
    }

    pub(super) fn note_finished(&mut self) {
        self.finished += 1;
        if self.finished.is_multiple_of(self.per_input) {
            self.spent_before += std::mem::take(&mut self.spent_now);
        }
    }

    /// The time left: what candidates took on the inputs before, or at first
    /// what they may take at most.
    pub(super) fn left(&self) -> Duration {
        let known = self.finished - self.finished % self.per_input;
        let each = match u32::try_from(known) {
            Ok(known) if known > 0 => self.spent_before / known,
            _ => self.budget,
        };
        let unfinished = (self.total - self.finished) as u32;
        // Those at work have had their shares of the time already.
        let at_work = self.per_input - self.finished % self.per_input;
        let had = self
            .spent_now
            .mul_f64(at_work as f64 / self.per_input as f64);
        each.saturating_mul(unfinished).saturating_sub(had)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn at_first_the_budget_counts_down() {
        let mut estimate = Estimate::new(1, 4, 10 * SECOND);
        assert_eq!(estimate.left(), 40 * SECOND);
        estimate.note_sample(8 * SECOND);
        assert_eq!(estimate.left(), 32 * SECOND);
    }

    #[test]
    fn later_experience_counts() {
        let mut estimate = Estimate::new(3, 2, 10 * SECOND);
        estimate.note_sample(4 * SECOND);
        estimate.note_finished();
        estimate.note_finished();
        assert_eq!(estimate.left(), 8 * SECOND);
        estimate.note_sample(SECOND);
        assert_eq!(estimate.left(), 7 * SECOND);
        (0..4).for_each(|_| estimate.note_finished());
        assert_eq!(estimate.left(), Duration::ZERO);
    }
}
