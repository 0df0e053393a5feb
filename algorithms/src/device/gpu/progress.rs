//! Counts of the work that was started in each queue and of the work that is known to have ended:
//! memory is used again only when no work that was started still uses it.

use std::sync::atomic::{AtomicU64, Ordering};

use super::engine::ALL_QUEUES;

const QUEUES: usize = ALL_QUEUES as usize;

/// Number of steps started in each queue so far.
pub(super) type Moment = [u64; QUEUES];

/// See the module.
#[derive(Default)]
pub(super) struct Progress {
    started: [AtomicU64; QUEUES],
    ended: [AtomicU64; QUEUES],
}

/// The last step of each queue that uses a piece of memory.
#[derive(Default)]
pub(super) struct Uses([AtomicU64; QUEUES]);

impl Progress {
    /// Counts a step that was just put into a queue, and notes that it uses some memory.
    ///
    /// It is counted after it was put there: what [`Progress::now`] counts is in its queue, so that
    /// a wait which begins then waits for it, whichever thread started it.
    pub(super) fn count<'u>(&self, queue: u32, used: impl IntoIterator<Item = &'u Uses>) {
        let queue = queue as usize;
        let step = self.started[queue].fetch_add(1, Ordering::Release) + 1;
        for Uses(last) in used {
            last[queue].fetch_max(step, Ordering::Release);
        }
    }

    pub(super) fn now(&self) -> Moment {
        self.started.each_ref().map(|count| count.load(Ordering::Acquire))
    }

    /// All steps until then have ended.
    pub(super) fn all_ended(&self, until: &Moment) {
        for (ended, until) in self.ended.iter().zip(until) {
            ended.fetch_max(*until, Ordering::Release);
        }
    }

    /// The steps of a queue until then have ended.
    pub(super) fn queue_ended(&self, queue: u32, until: &Moment) {
        let queue = queue as usize;
        self.ended[queue].fetch_max(until[queue], Ordering::Release);
    }

    /// The queues in which steps until then may be under way.
    pub(super) fn pending(&self, until: &Moment) -> impl Iterator<Item = u32> {
        let ended = self.ended.each_ref().map(|count| count.load(Ordering::Acquire));
        let until = *until;
        (0..ALL_QUEUES).filter(move |&queue| ended[queue as usize] < until[queue as usize])
    }
}

impl Uses {
    pub(super) fn until(&self) -> Moment {
        self.0.each_ref().map(|last| last.load(Ordering::Acquire))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: [u32; 0] = [];

    fn pending(progress: &Progress, until: &Moment) -> Vec<u32> {
        progress.pending(until).collect()
    }

    #[test]
    fn memory_is_in_use_until_all_its_queues_were_waited_for() {
        let progress = Progress::default();
        let used = Uses::default();
        assert_eq!(pending(&progress, &used.until()), NONE);
        progress.count(0, [&used]);
        progress.count(1, None);
        let then = progress.now();
        assert_eq!(pending(&progress, &used.until()), [0]);
        progress.queue_ended(1, &then);
        assert_eq!(pending(&progress, &used.until()), [0], "another queue");
        assert_eq!(pending(&progress, &then), [0]);
        progress.count(0, [&used]);
        progress.queue_ended(0, &then);
        assert_eq!(pending(&progress, &then), NONE);
        assert_eq!(pending(&progress, &used.until()), [0], "the second step");
        progress.all_ended(&progress.now());
        assert_eq!(pending(&progress, &used.until()), NONE);
    }
}
