//! Due times of the events of an open loop.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use super::window::Window;

/// Schedule of events that come at a fixed rate, shared by the streams that process them: the next
/// event goes to the first stream that is free.
pub(crate) struct Schedule {
    interval: Duration,
    streams: usize,
    /// Number of streams that have processed their batch once.
    ready: AtomicUsize,
    /// Due time of the first event.
    begin: OnceLock<Duration>,
    next: AtomicU64,
}

impl Schedule {
    /// Creates a schedule of `rate` events per second, a positive number, for some streams. It begins
    /// when all of them are ready, so that no backlog is left by first runs.
    pub(crate) fn new(rate: f64, streams: usize) -> Self {
        Schedule {
            interval: Duration::from_secs_f64(1.0 / rate),
            streams,
            ready: AtomicUsize::new(0),
            begin: OnceLock::new(),
            next: AtomicU64::new(0),
        }
    }

    /// Time between two events.
    pub(super) fn interval(&self) -> Duration {
        self.interval
    }

    /// Called by each stream once.
    pub(super) fn stream_is_ready(&self, now: Duration) {
        if self.ready.fetch_add(1, Ordering::SeqCst) + 1 == self.streams {
            let _ = self.begin.set(now);
        }
    }

    pub(super) fn has_begun(&self) -> bool {
        self.begin.get().is_some()
    }

    /// Due time of the next event, which the caller has to process; `None` before the schedule
    /// begins.
    pub(super) fn next_due(&self) -> Option<Duration> {
        let begin = *self.begin.get()?;
        let number = self.next.fetch_add(1, Ordering::SeqCst);
        Some(begin.saturating_add(self.interval.mul_f64(number as f64)))
    }

    /// Number of events that are due within a window.
    pub(crate) fn due_within(&self, window: Window) -> usize {
        let Some(&begin) = self.begin.get() else { return 0 };
        let before = |time: Duration| {
            let since = time.saturating_sub(begin).as_secs_f64();
            (since / self.interval.as_secs_f64()).ceil() as usize
        };
        before(window.end) - before(window.begin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn events_are_due_at_the_rate_once_all_streams_are_ready() {
        let schedule = Schedule::new(100.0, 2);
        schedule.stream_is_ready(3 * MS);
        assert_eq!(schedule.next_due(), None);
        schedule.stream_is_ready(5 * MS);
        let due: Vec<_> = (0..3).map(|_| schedule.next_due().expect("begun")).collect();
        assert_eq!(due, [5 * MS, 15 * MS, 25 * MS]);
    }

    #[test]
    fn due_events_are_counted_by_their_due_times() {
        let schedule = Schedule::new(100.0, 1);
        let window = |begin, end| Window { begin: begin * MS, end: end * MS };
        assert_eq!(schedule.due_within(window(0, 100)), 0, "not begun");
        schedule.stream_is_ready(5 * MS);
        assert_eq!(schedule.due_within(window(0, 100)), 10);
        assert_eq!(schedule.due_within(window(5, 15)), 1);
        assert_eq!(schedule.due_within(window(6, 15)), 0);
        assert_eq!(schedule.due_within(window(20, 46)), 3);
    }
}
