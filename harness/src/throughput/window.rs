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
pub(super) struct Clock<'a> {
    start: Instant,
    streams: usize,
    /// How long the window is to be.
    wanted: Duration,
    lead: Lead<'a>,
    warm: AtomicUsize,
    longest_ns: AtomicU64,
    opened: OnceLock<(Window, Option<CpuTimes>)>,
    beyond: AtomicUsize,
    stopped: AtomicBool,
}

/// Who says when the window is.
enum Lead<'a> {
    /// The streams are all there are: the last of them that is warm opens it. It may be so long, if
    /// events are long.
    Own(Duration),
    /// Other processes have more of them: who leads is told of this, opens it and ends it.
    Other(&'a (dyn Fn(Milestone) + Sync)),
}

/// What all streams of a process have come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Milestone {
    /// They are warm, and that was the longest event.
    Warm(Duration),
    /// They are beyond the window.
    Beyond,
    /// One of them has failed.
    Failed,
}

/// How long a window is, whose longest event is known.
pub(super) fn length(wanted: Duration, most: Duration, longest: Duration) -> Duration {
    wanted.min(most).max(longest.saturating_mul(EVENTS)).min(most)
}

impl Clock<'_> {
    /// For so many streams, which are all there are, from now on.
    pub(super) fn new(streams: usize, wanted: Duration, most: Duration) -> Self {
        Clock::with(streams, wanted.min(most), Lead::Own(most))
    }
}

impl<'a> Clock<'a> {
    /// For so many streams among others, from now on; `tell` hears what they have come to.
    pub(super) fn led(
        streams: usize,
        wanted: Duration,
        tell: &'a (dyn Fn(Milestone) + Sync),
    ) -> Self {
        Clock::with(streams, wanted, Lead::Other(tell))
    }

    fn with(streams: usize, wanted: Duration, lead: Lead<'a>) -> Self {
        Clock {
            start: Instant::now(),
            streams,
            wanted,
            lead,
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

    /// Told by each stream once, with its longest event: the last one opens the window, or has it
    /// opened.
    pub(super) fn stream_is_warm(&self, longest: Duration) {
        let nanoseconds = u64::try_from(longest.as_nanos()).unwrap_or(u64::MAX);
        self.longest_ns.fetch_max(nanoseconds, Ordering::SeqCst);
        if self.warm.fetch_add(1, Ordering::SeqCst) + 1 < self.streams {
            return;
        }
        let longest = Duration::from_nanos(self.longest_ns.load(Ordering::SeqCst));
        match self.lead {
            Lead::Own(most) => {
                let begin = self.now();
                let end = begin.saturating_add(length(self.wanted, most, longest));
                self.open(Window { begin, end });
            }
            Lead::Other(tell) => tell(Milestone::Warm(longest)),
        }
    }

    /// Opens the window. Only the first time counts.
    pub(super) fn open(&self, window: Window) {
        let _ = self.opened.set((window, CpuTimes::now()));
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
        let beyond = self.beyond.fetch_add(1, Ordering::SeqCst) + 1;
        if let (Lead::Other(tell), true) = (&self.lead, beyond == self.streams) {
            tell(Milestone::Beyond);
        }
    }

    /// Whether streams may end: all are beyond the window, as until then those that are not have
    /// to have the others beside them; or something went wrong. Who leads others knows when.
    pub(super) fn is_over(&self) -> bool {
        let all_beyond = || self.beyond.load(Ordering::SeqCst) == self.streams;
        self.stopped.load(Ordering::SeqCst) || matches!(self.lead, Lead::Own(_)) && all_beyond()
    }

    /// Told by a stream that fails.
    pub(super) fn stream_has_failed(&self) {
        self.stop();
        if let Lead::Other(tell) = &self.lead {
            tell(Milestone::Failed);
        }
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

    #[test]
    fn who_leads_opens_the_window_and_ends_it() {
        let told = std::sync::Mutex::new(Vec::new());
        let tell = |milestone| told.lock().expect("nobody panics").push(milestone);
        let clock = Clock::led(2, SECOND, &tell);
        let longest = Duration::from_millis(20);
        clock.stream_is_warm(longest);
        clock.stream_is_warm(longest / 2);
        assert_eq!(clock.window(), None);
        let window = Window { begin: SECOND, end: 2 * SECOND };
        clock.open(window);
        assert_eq!(clock.window(), Some(window));
        clock.stream_is_beyond();
        clock.stream_is_beyond();
        assert!(!clock.is_over(), "others may not be");
        clock.stop();
        assert!(clock.is_over());
        let told = told.lock().expect("nobody panics");
        assert_eq!(*told, [Milestone::Warm(longest), Milestone::Beyond]);
    }
}
