//! The source: a thread that emits timeslices when they are due, regardless of the state of the
//! workers.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use nix::libc;

use super::dispatcher::Dispatcher;
use super::schedule::Schedule;
use super::timeslice_log::Emission;
use crate::platform::clock::{now_ns, wait_until};
use crate::platform::pin_current_thread;

/// Interval between checks for a free slot in the queue.
const POLL_INTERVAL: Duration = Duration::from_millis(1);
/// Thread name.
const NAME: &std::ffi::CStr = c"source";
/// Minimum interval between timeslices for real-time priority, in ns: then the source is awake for
/// at most a fifth of the time.
const MIN_REALTIME_INTERVAL_NS: u64 = 1_000_000;

/// A stream from its start to its end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Emitting {
    pub(super) schedule: Schedule,
    /// Start time.
    pub(super) begin_ns: u64,
    pub(super) duration_ns: u64,
}

impl Emitting {
    /// Emits timeslices until the end, an interrupt, or the loss of all workers; then closes the
    /// dispatcher. Returns the end time.
    pub(super) fn run(&self, dispatcher: &Dispatcher, stop: &AtomicBool) -> u64 {
        let is_stopped = || stop.load(Ordering::Relaxed);
        let last = self.begin_ns + self.duration_ns;
        self.emit_all(dispatcher, last, &is_stopped);
        // All timeslices due are emitted; workers continue until the end.
        wait_until(last, || is_stopped() || dispatcher.has_no_workers());
        let end = now_ns().min(last);
        dispatcher.close(|emitted| self.never_emitted(emitted, end));
        end
    }

    /// Number of timeslices due by a moment, if emission does not end before.
    pub(super) fn due_by(&self, moment_ns: u64) -> u64 {
        let since = moment_ns.saturating_sub(self.begin_ns);
        self.schedule.due_within(since.min(self.duration_ns))
    }

    fn emit_all(&self, dispatcher: &Dispatcher, last: u64, is_stopped: &dyn Fn() -> bool) {
        let mut held_until = 0;
        for number in 0..self.schedule.due_within(self.duration_ns) {
            let due = self.begin_ns + self.schedule.due_ns(number);
            if !wait_until(due, is_stopped) {
                return;
            }
            let data = self.schedule.data(number);
            let mut held = due < held_until;
            loop {
                match dispatcher.emit(data, due, held) {
                    Emission::Accepted | Emission::Dropped => break,
                    Emission::Closed => return,
                    Emission::QueueFull => {
                        held = true;
                        dispatcher.wait_for_change(POLL_INTERVAL);
                        if is_stopped() || now_ns() >= last {
                            return;
                        }
                    }
                }
            }
            if held {
                held_until = now_ns();
            }
        }
    }

    /// Timeslices that were due by the end but did not fit into the queue.
    fn never_emitted(&self, emitted: u64, end_ns: u64) -> Vec<(usize, u64)> {
        let due = self.due_by(end_ns);
        let left = emitted..due.max(emitted);
        left.map(|number| {
            (self.schedule.data(number), self.begin_ns + self.schedule.due_ns(number))
        })
        .collect()
    }
}

/// Optimises the wake-up latency of this thread: binds it to its own CPU if there is one, sets a
/// minimal timer slack, and requests real-time priority if timeslices are so rare that the thread
/// mostly sleeps. Returns false if it needs that priority and does not get it.
pub(super) fn be_on_time(own_cpu: Option<usize>, between_ns: u64) -> bool {
    if let Some(cpu) = own_cpu {
        // If binding fails, the thread only has the usual latency.
        let _ = pin_current_thread(&[cpu]);
    }
    // SAFETY: these system calls affect this thread only, and read an integer and a valid C string.
    unsafe {
        libc::prctl(libc::PR_SET_NAME, NAME.as_ptr());
        libc::prctl(libc::PR_SET_TIMERSLACK, 1);
        // Without sleeping, it would keep other threads from the CPU.
        let mostly_sleeps = between_ns >= MIN_REALTIME_INTERVAL_NS;
        let parameters = libc::sched_param { sched_priority: 1 };
        !mostly_sleeps || libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameters) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::super::schedule::PreparedCounts;
    use super::super::timeslice_log::TimesliceLog;
    use super::super::timeslice_record::{Record, State};
    use super::*;
    use crate::request::WhenFull;

    const SCHEDULE: Schedule = Schedule {
        timeslice_ns: 1_000_000,
        speed: 1.0,
        spill: None,
        prepared: PreparedCounts { of_spills: 1, of_pauses: 0 },
        seed: 1,
    };

    /// Emits 1 ms timeslices for 20 ms, for a worker that takes one and never responds.
    fn emitted(queue: usize, when_full: WhenFull) -> (TimesliceLog, u64) {
        let dispatcher = Dispatcher::for_tests(1, Vec::new());
        dispatcher.open_for_tests(TimesliceLog::new(1, 100, queue, when_full));
        let begin_ns = now_ns();
        let emitting = Emitting { schedule: SCHEDULE, begin_ns, duration_ns: 20_000_000 };
        let end = emitting.run(&dispatcher, &AtomicBool::new(false));
        (dispatcher.take().0, end - begin_ns)
    }

    #[test]
    fn timeslices_are_emitted_when_due_until_the_end() {
        let (log, took) = emitted(100, WhenFull::Wait);
        assert_eq!((log.len(), took), (20, 20_000_000));
        let late = |record: &Record| record.emitted_ns - record.due_ns;
        assert!(log.records()[1..].iter().all(|record| record.state == State::Backlog));
        assert!(log.records().iter().all(|record| !record.was_held));
        assert!(log.records().iter().map(late).min().expect("some") < 1_000_000);
    }

    #[test]
    fn timeslices_beyond_the_queue_count_as_due() {
        for (when_full, dropped, held) in [(WhenFull::Drop, 16, 0), (WhenFull::Wait, 0, 16)] {
            let (mut log, _) = emitted(3, when_full);
            log.lose(0);
            let counts = log.counts();
            assert_eq!((counts.due, counts.dropped, counts.held), (20, dropped, held));
            assert!(log.is_balanced(), "{counts:?}");
        }
    }

    #[test]
    fn the_source_stops_on_request() {
        let schedule = SCHEDULE;
        let dispatcher = Dispatcher::for_tests(0, Vec::new());
        let emitting = Emitting { schedule, begin_ns: now_ns(), duration_ns: u64::MAX / 2 };
        emitting.run(&dispatcher, &AtomicBool::new(true));
        assert!(dispatcher.is_over());
    }
}
