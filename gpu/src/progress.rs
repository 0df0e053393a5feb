//! Counts of the work that was started in each queue and of the work that is known to have ended:
//! memory is used again only when no work that was started still uses it.

use std::sync::atomic::{AtomicU64, Ordering};

use super::engine::ALL_QUEUES;

const QUEUES: usize = ALL_QUEUES as usize;

/// Number of steps started in each queue at some time.
pub(super) type QueueTicks = [u64; QUEUES];

/// Counts of started and of ended steps.
#[derive(Default)]
pub(super) struct Progress {
    started: [AtomicU64; QUEUES],
    ended: [AtomicU64; QUEUES],
}

/// The last step of each queue that uses a block of host memory.
#[derive(Default)]
pub(super) struct PendingCopies {
    /// Steps that read or write it.
    any: [AtomicU64; QUEUES],
    /// Steps that write it.
    writes: [AtomicU64; QUEUES],
}

/// Access of a copy to host memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// Read by an upload.
    Read,
    /// Written by a download.
    Write,
}

impl Progress {
    /// Counts a step that was just put into a queue, and records the memory that it uses.
    ///
    /// It is counted after it was put there: every step that [`Progress::now`] counts is in its
    /// queue, so that a wait which starts afterwards waits for it, whichever thread started it.
    pub(super) fn count<'u>(
        &self,
        queue: u32,
        used: impl IntoIterator<Item = (&'u PendingCopies, Access)>,
    ) {
        let queue = queue as usize;
        let step = self.started[queue].fetch_add(1, Ordering::Release) + 1;
        for (uses, access) in used {
            uses.any[queue].fetch_max(step, Ordering::Release);
            if access == Access::Write {
                uses.writes[queue].fetch_max(step, Ordering::Release);
            }
        }
    }

    pub(super) fn now(&self) -> QueueTicks {
        self.started.each_ref().map(|count| count.load(Ordering::Acquire))
    }

    /// Marks all steps up to `until` as ended.
    pub(super) fn all_ended(&self, until: &QueueTicks) {
        for (ended, until) in self.ended.iter().zip(until) {
            ended.fetch_max(*until, Ordering::Release);
        }
    }

    /// Marks the steps of a queue up to `until` as ended.
    pub(super) fn queue_ended(&self, queue: u32, until: &QueueTicks) {
        let queue = queue as usize;
        self.ended[queue].fetch_max(until[queue], Ordering::Release);
    }

    /// Returns the queues in which steps up to `until` may be running.
    pub(super) fn pending(&self, until: &QueueTicks) -> impl Iterator<Item = u32> {
        let ended = self.ended.each_ref().map(|count| count.load(Ordering::Acquire));
        let until = *until;
        (0..ALL_QUEUES).filter(move |&queue| ended[queue as usize] < until[queue as usize])
    }
}

impl PendingCopies {
    /// The steps after which the memory may be written.
    pub(super) fn until_unused(&self) -> QueueTicks {
        self.any.each_ref().map(|last| last.load(Ordering::Acquire))
    }

    /// The steps after which the memory may be read.
    pub(super) fn until_written(&self) -> QueueTicks {
        self.writes.each_ref().map(|last| last.load(Ordering::Acquire))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: [u32; 0] = [];

    fn pending(progress: &Progress, until: &QueueTicks) -> Vec<u32> {
        progress.pending(until).collect()
    }

    #[test]
    fn memory_is_in_use_until_all_its_queues_were_waited_for() {
        let progress = Progress::default();
        let used = PendingCopies::default();
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
        let used = PendingCopies::default();
        progress.count(2, [(&used, Access::Read)]);
        assert_eq!(pending(&progress, &used.until_written()), NONE);
        assert_eq!(pending(&progress, &used.until_unused()), [2]);
        progress.count(1, [(&used, Access::Write)]);
        assert_eq!(pending(&progress, &used.until_written()), [1]);
        assert_eq!(pending(&progress, &used.until_unused()), [1, 2]);
    }
}
