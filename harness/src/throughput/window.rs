//! Warm-up, start and end of the window of a point, and CPU utilisation and power in it.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tasks::device::Device;

use crate::energy::{EnergyMeters, PeriodEnergy};
use crate::platform::{CpuTimes, Interrupt, Utilisation};

/// Minimum length of a window, in multiples of the longest event.
const EVENTS: u32 = 10;
/// Minimum time that streams run before the window, relative to its length.
const WARM_UP: f64 = 0.2;

/// A time window, relative to the start of the streams.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Window {
    pub(crate) begin: Duration,
    pub(crate) end: Duration,
}

/// Clock shared by all streams of a point.
///
/// The window opens once every stream has processed all its events and the warm-up is over. Streams
/// do not wait for each other, because streams that start an event at the same time would compete
/// for the same resources.
pub(crate) struct Clock<'a> {
    start: Instant,
    streams: usize,
    /// Desired length of the window.
    wanted: Duration,
    lead: WindowControl<'a>,
    warm: AtomicUsize,
    longest_ns: AtomicU64,
    opened: OnceLock<(Window, Option<CpuTimes>)>,
    beyond: AtomicUsize,
    stopped: AtomicBool,
}

/// Control of the window.
enum WindowControl<'a> {
    /// This process has all streams: the last one that is warm opens the window. The value is the
    /// maximum length if events are long.
    Own(Duration),
    /// Other processes drive further streams: their leader is notified by this function, and opens
    /// and ends the window.
    Other(&'a (dyn Fn(Milestone) + Sync)),
}

/// State reached by all streams of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Milestone {
    /// They are warm; the value is the duration of the longest event.
    Warm(Duration),
    /// They are past the window.
    Beyond,
    /// One of them has failed.
    Failed,
}

/// Length of a window, given its longest event.
pub(super) fn length(wanted: Duration, max: Duration, longest: Duration) -> Duration {
    wanted.min(max).max(longest.saturating_mul(EVENTS)).min(max)
}

/// Estimated time of a window with its warm-up, given its longest event.
pub(crate) fn with_warm_up(wanted: Duration, longest: Duration) -> Duration {
    length(wanted, Duration::MAX, longest).mul_f64(1.0 + WARM_UP)
}

impl Clock<'_> {
    /// Starts a clock for `streams` streams, all of which are in this process.
    pub(crate) fn new(streams: usize, wanted: Duration, max: Duration) -> Self {
        Clock::with(streams, wanted.min(max), WindowControl::Own(max))
    }
}

impl<'a> Clock<'a> {
    /// Starts a clock for the streams of one of several processes; `report` receives their
    /// milestones.
    pub(super) fn led(
        streams: usize,
        wanted: Duration,
        report: &'a (dyn Fn(Milestone) + Sync),
    ) -> Self {
        Clock::with(streams, wanted, WindowControl::Other(report))
    }

    fn with(streams: usize, wanted: Duration, lead: WindowControl<'a>) -> Self {
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

    /// True if streams have run long enough before the window.
    pub(super) fn is_warmed_up(&self, now: Duration) -> bool {
        now >= self.wanted.mul_f64(WARM_UP)
    }

    /// Called by each stream once, with its longest event: the last one opens the window, or
    /// notifies the leader.
    pub(super) fn stream_is_warm(&self, longest: Duration) {
        let nanoseconds = u64::try_from(longest.as_nanos()).unwrap_or(u64::MAX);
        self.longest_ns.fetch_max(nanoseconds, Ordering::SeqCst);
        if self.warm.fetch_add(1, Ordering::SeqCst) + 1 < self.streams {
            return;
        }
        let longest = Duration::from_nanos(self.longest_ns.load(Ordering::SeqCst));
        match self.lead {
            WindowControl::Own(max) => {
                let begin = self.now();
                let end = begin.saturating_add(length(self.wanted, max, longest));
                self.open(Window { begin, end });
            }
            WindowControl::Other(report) => report(Milestone::Warm(longest)),
        }
    }

    /// Opens the window. Only the first call has an effect.
    pub(super) fn open(&self, window: Window) {
        let _ = self.opened.set((window, CpuTimes::now()));
    }

    /// The window, once it is open.
    pub(crate) fn window(&self) -> Option<Window> {
        self.opened.get().map(|(window, _)| *window)
    }

    /// CPU times when it was opened.
    pub(super) fn cpu_times_at_begin(&self) -> Option<CpuTimes> {
        self.opened.get().and_then(|(_, times)| *times)
    }

    /// Called by each stream once, when it is past the window.
    pub(super) fn stream_is_beyond(&self) {
        let beyond = self.beyond.fetch_add(1, Ordering::SeqCst) + 1;
        if let (WindowControl::Other(report), true) = (&self.lead, beyond == self.streams) {
            report(Milestone::Beyond);
        }
    }

    /// True if streams may end: all are past the window, because until then they have to run
    /// concurrently; or one has failed. With several processes the leader decides.
    pub(super) fn is_over(&self) -> bool {
        let all_beyond = || self.beyond.load(Ordering::SeqCst) == self.streams;
        self.stopped.load(Ordering::SeqCst)
            || matches!(self.lead, WindowControl::Own(_)) && all_beyond()
    }

    /// Called by a stream that fails.
    pub(super) fn stream_has_failed(&self) {
        self.stop();
        if let WindowControl::Other(report) = &self.lead {
            report(Milestone::Failed);
        }
    }

    /// Ends all streams after their current events.
    pub(super) fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
    }
}

/// Interval between checks for the end of the window.
pub(super) const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// State of the machine in the window.
#[derive(Clone, Debug, Default)]
pub(crate) struct WindowStats {
    pub(crate) busy: Option<Utilisation>,
    pub(crate) energy: PeriodEnergy,
}

/// Waits until the window is over; returns CPU utilisation and energy within it.
pub(crate) fn watch(
    clock: &Clock<'_>,
    meters: &EnergyMeters,
    devices: &[Device],
    interrupt: &Interrupt,
) -> Option<WindowStats> {
    let is_over = |clock: &Clock<'_>| clock.is_over() || interrupt.asked();
    let window = loop {
        match clock.window() {
            Some(window) => break window,
            None if is_over(clock) => return None,
            None => thread::sleep(POLL_INTERVAL),
        }
    };
    // The window may have opened a moment before: energy is that of the observed time.
    let mut energy = meters.begin(devices);
    while clock.now() < window.end && !is_over(clock) {
        thread::sleep(POLL_INTERVAL.min(window.end.saturating_sub(clock.now())));
        energy.update();
    }
    let energy = meters.end(energy);
    Some(WindowStats { busy: busy(clock, window), energy })
}

/// CPU utilisation since the window opened.
fn busy(clock: &Clock<'_>, window: Window) -> Option<Utilisation> {
    let now = clock.now();
    let (own, others) = CpuTimes::now()?.since(&clock.cpu_times_at_begin()?);
    Utilisation::new(own, others, (now - window.begin).as_secs_f64())
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
    fn long_events_extend_the_window_up_to_its_maximum() {
        for (max, expected) in [(Duration::MAX, 20 * SECOND), (5 * SECOND, 5 * SECOND)] {
            let clock = Clock::new(1, SECOND, max);
            clock.stream_is_warm(2 * SECOND);
            let window = clock.window().expect("open");
            assert_eq!(window.end - window.begin, expected);
        }
    }

    #[test]
    fn any_failure_ends_all_streams() {
        let clock = Clock::new(2, SECOND, SECOND);
        clock.stop();
        assert!(clock.is_over() && clock.window().is_none());
    }

    #[test]
    fn the_leader_opens_and_ends_the_window() {
        let milestones = std::sync::Mutex::new(Vec::new());
        let report = |milestone| milestones.lock().expect("no thread panics").push(milestone);
        let clock = Clock::led(2, SECOND, &report);
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
        let milestones = milestones.lock().expect("no thread panics");
        assert_eq!(*milestones, [Milestone::Warm(longest), Milestone::Beyond]);
    }
}
