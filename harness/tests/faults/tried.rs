//! Many trials side by side, all of which are told that fail.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

/// How many trials there were, and how many of them failed: each tells why as it fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tried {
    pub all: usize,
    pub failed: usize,
}

impl Tried {
    /// Tries all things, on all CPUs.
    pub fn all<T: Sync>(things: &[T], check: impl Fn(&T) + Sync) -> Self {
        let (next, failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
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

    /// Says how many there were.
    #[track_caller]
    pub fn assert_none_failed(self, what: &str) {
        let Tried { all, failed } = self;
        assert_eq!(failed, 0, "of {all} {what}");
        eprintln!("{all} {what}");
    }
}
