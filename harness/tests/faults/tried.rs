//! Concurrent trials; all failures are reported.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

/// Number of trials and of failures; each failure prints its reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tried {
    pub all: usize,
    pub failed: usize,
}

impl Tried {
    /// Tries all things, on all CPUs.
    pub fn all<T: Sync>(things: &[T], check: impl Fn(&T) + Sync) -> Self {
        let next = AtomicUsize::new(0);
        let failed = AtomicUsize::new(0);
        let work = || {
            while let Some(thing) = things.get(next.fetch_add(1, Relaxed)) {
                if catch_unwind(AssertUnwindSafe(|| check(thing))).is_err() {
                    failed.fetch_add(1, Relaxed);
                }
            }
        };
        let workers = thread::available_parallelism().map_or(1, usize::from);
        thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(work))));
        Tried { all: things.len(), failed: failed.into_inner() }
    }

    pub fn add(&mut self, other: Tried) {
        self.all += other.all;
        self.failed += other.failed;
    }

    /// Prints the numbers, and fails if a trial failed.
    #[track_caller]
    pub fn assert_none_failed(self, what: &str) {
        let Tried { all, failed } = self;
        assert_eq!(failed, 0, "of {all} {what}");
        eprintln!("{all} {what}");
    }
}
