//! When all streams are warm, and when the window is over.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::platform::CpuTimes;

/// A window holds so many of the longest events at least.
const EVENTS: u32 = 10;
/// The part of the window's length that streams run before it, at least.
const WARM_UP: f64 = 0.2;

/// A window in time, from the moment that the streams were started.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Window {
    pub(super) begin: Duration,
    pub(super) end: Duration,
}

/// The clock that all streams of a point look at.
///
/// The window opens once every stream has had all its events and the warm-up is over. Nobody waits
/// for anybody: streams that all began an event at once would ask for the same things at once.
pub(super) struct Clock {
    start: Instant,
    streams: usize,
    /// How long the window is to be.
    wanted: Duration,
    /// How long it may be, if events are long.
    most: Duration,
    warm: AtomicUsize,
    longest_ns: AtomicU64,
    opened: OnceLock<(Window, Option<CpuTimes>)>,
    beyond: AtomicUsize,
    stopped: AtomicBool,
}

impl Clock {
    /// For so many streams, from now on.
    pub(super) fn new(streams: usize, wanted: Duration, most: Duration) -> Self {
        Clock {
            start: Instant::now(),
            streams,
            wanted: wanted.min(most),
            most,
            warm: AtomicUsize::new(0),
            longest_ns: AtomicU64::new(0),
            opened: OnceLock::new(),
            beyond: AtomicUsize::new(0),
            stopped: AtomicBool::new(false),
        }
    }

    pub(super) fn now(&self) -> Duration {
        self.start.elapsed()
    }

    /// Whether streams have run long enough before the window.
    pub(super) fn is_warmed_up(&self, now: Duration) -> bool {
        now >= self.wanted.mul_f64(WARM_UP)
    }

    /// Told by each stream once, with its longest event: the last one opens the window.
    pub(super) fn stream_is_warm(&self, longest: Duration) {
        let nanoseconds = u64::try_from(longest.as_nanos()).unwrap_or(u64::MAX);
        self.longest_ns.fetch_max(nanoseconds, Ordering::SeqCst);
        if self.warm.fetch_add(1, Ordering::SeqCst) + 1 == self.streams {
            let longest = Duration::from_nanos(self.longest_ns.load(Ordering::SeqCst));
            let length = self.wanted.max(longest.saturating_mul(EVENTS)).min(self.most);
            let begin = self.now();
            let window = Window { begin, end: begin.saturating_add(length) };
            // Nobody else is the last one.
            let _ = self.opened.set((window, CpuTimes::now()));
        }
    }

    /// The window, once it is open.
    pub(super) fn window(&self) -> Option<Window> {
        self.opened.get().map(|(window, _)| *window)
    }

    /// The CPU times when it was opened.
    pub(super) fn cpu_times_at_begin(&self) -> Option<CpuTimes> {
        self.opened.get().and_then(|(_, times)| *times)
    }

    /// Told by each stream once, when it is beyond the window.
    pub(super) fn stream_is_beyond(&self) {
        self.beyond.fetch_add(1, Ordering::SeqCst);
    }

    /// Whether streams may end: all are beyond the window, as until then those that are not have
    /// to have the others beside them; or something went wrong.
    pub(super) fn is_over(&self) -> bool {
        self.stopped.load(Ordering::SeqCst) || self.beyond.load(Ordering::SeqCst) == self.streams
    }

    /// Ends all streams after their events.
    pub(super) fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn the_last_stream_opens_the_window() {
        let clock = Clock::new(2, SECOND, Duration::MAX);
        clock.stream_is_warm(Duration::from_millis(10));
        assert_eq!(clock.window(), None);
        clock.stream_is_warm(Duration::from_millis(20));
        let window = clock.window().expect("open");
        assert_eq!(window.end - window.begin, SECOND);
        clock.stream_is_beyond();
        assert!(!clock.is_over());
        clock.stream_is_beyond();
        assert!(clock.is_over());
    }

    #[test]
    fn long_events_make_it_longer_as_far_as_it_may_be() {
        for (most, expected) in [(Duration::MAX, 20 * SECOND), (5 * SECOND, 5 * SECOND)] {
            let clock = Clock::new(1, SECOND, most);
            clock.stream_is_warm(2 * SECOND);
            let window = clock.window().expect("open");
            assert_eq!(window.end - window.begin, expected);
        }
    }

    #[test]
    fn whatever_goes_wrong_ends_all() {
        let clock = Clock::new(2, SECOND, SECOND);
        clock.stop();
        assert!(clock.is_over() && clock.window().is_none());
    }
}
