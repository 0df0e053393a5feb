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

/// The last steps of each queue that use a piece of host memory.
#[derive(Default)]
pub(super) struct Uses {
    /// Those that read or write it.
    any: [AtomicU64; QUEUES],
    /// Those that write it.
    writes: [AtomicU64; QUEUES],
}

/// How a copy uses memory of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// An upload.
    Read,
    /// A download.
    Write,
}

impl Progress {
    /// Counts a step that was just put into a queue, and notes that it uses some memory.
    ///
    /// It is counted after it was put there: what [`Progress::now`] counts is in its queue, so that
    /// a wait which begins then waits for it, whichever thread started it.
    pub(super) fn count<'u>(&self, queue: u32, used: impl IntoIterator<Item = (&'u Uses, Access)>) {
        let queue = queue as usize;
        let step = self.started[queue].fetch_add(1, Ordering::Release) + 1;
        for (uses, access) in used {
            uses.any[queue].fetch_max(step, Ordering::Release);
            if access == Access::Write {
                uses.writes[queue].fetch_max(step, Ordering::Release);
            }
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
    /// Until when the memory must not be written.
    pub(super) fn until_unused(&self) -> Moment {
        self.any.each_ref().map(|last| last.load(Ordering::Acquire))
    }

    /// Until when the memory must not be read.
    pub(super) fn until_written(&self) -> Moment {
        self.writes.each_ref().map(|last| last.load(Ordering::Acquire))
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
        assert_eq!(pending(&progress, &used.until_unused()), NONE);
        progress.count(0, [(&used, Access::Read)]);
        progress.count(1, None);
        let then = progress.now();
        assert_eq!(pending(&progress, &used.until_unused()), [0]);
        progress.queue_ended(1, &then);
        assert_eq!(pending(&progress, &used.until_unused()), [0], "another queue");
        assert_eq!(pending(&progress, &then), [0]);
        progress.count(0, [(&used, Access::Read)]);
        progress.queue_ended(0, &then);
        assert_eq!(pending(&progress, &then), NONE);
        assert_eq!(pending(&progress, &used.until_unused()), [0], "the second step");
        progress.all_ended(&progress.now());
        assert_eq!(pending(&progress, &used.until_unused()), NONE);
    }

    #[test]
    fn memory_can_be_read_while_it_is_only_read() {
        let progress = Progress::default();
        let used = Uses::default();
        progress.count(2, [(&used, Access::Read)]);
        assert_eq!(pending(&progress, &used.until_written()), NONE);
        assert_eq!(pending(&progress, &used.until_unused()), [2]);
        progress.count(1, [(&used, Access::Write)]);
        assert_eq!(pending(&progress, &used.until_written()), [1]);
        assert_eq!(pending(&progress, &used.until_unused()), [1, 2]);
    }
}
