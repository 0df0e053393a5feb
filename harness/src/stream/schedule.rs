//! Schedule of a speed: its start, alone or shared by several nodes, due times and choice of
//! timeslices.

use std::thread;
use std::time::{Duration, SystemTime};

use generators_common::random::hash;

use crate::platform::clock::now_ns;
use crate::request::Spill;

/// Distinguishes the random numbers from other streams with the same seed.
const CHOICE: u64 = 0x7374_7265_616d;

/// Prepared timeslices: those of spills, then those of pauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PreparedCounts {
    pub(super) of_spills: usize,
    pub(super) of_pauses: usize,
}

/// Timeslices at a constant rate: each is due once the detector has delivered all of it. Everything
/// is a function of the timeslice's number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Schedule {
    /// Detector time per timeslice, in ns.
    pub(super) timeslice_ns: u64,
    /// Rate of timeslices relative to that of the detector.
    pub(super) speed: f64,
    pub(super) spill: Option<Spill>,
    pub(super) prepared: PreparedCounts,
    pub(super) seed: u64,
}

impl Schedule {
    /// Due time of a timeslice, in ns from the start: the first one after its own length.
    pub(super) fn due_ns(&self, number: u64) -> u64 {
        ((number + 1) as f64 * self.timeslice_ns as f64 / self.speed).round() as u64
    }

    /// Interval between timeslices, in ns.
    pub(super) fn between_ns(&self) -> u64 {
        (self.timeslice_ns as f64 / self.speed) as u64
    }

    /// Number of timeslices due within `ns`.
    pub(super) fn due_within(&self, ns: u64) -> u64 {
        let about = (ns as f64 * self.speed / self.timeslice_ns as f64) as u64;
        let is_within = |count: u64| count == 0 || self.due_ns(count - 1) <= ns;
        // Rounding may yield one too few or too many.
        let candidates = [about + 1, about, about.saturating_sub(1)];
        candidates.into_iter().find(|&count| is_within(count)).unwrap_or(0)
    }

    /// Index of the prepared timeslice: a random one of a spill or of a pause.
    pub(super) fn data(&self, number: u64) -> usize {
        let PreparedCounts { of_spills, of_pauses } = self.prepared;
        let any = |of: usize| (hash(self.seed, [CHOICE, number]) % of.max(1) as u64) as usize;
        if self.is_in_pause(number) && of_pauses > 0 {
            of_spills + any(of_pauses)
        } else {
            any(of_spills)
        }
    }

    fn is_in_pause(&self, number: u64) -> bool {
        let Some(Spill { on, off }) = self.spill else { return false };
        let begin = u128::from(number) * u128::from(self.timeslice_ns);
        begin % (on + off).as_nanos() >= on.as_nanos()
    }
}

/// Delay before the first moment of a stream, so that its source is running.
const START_DELAY: Duration = Duration::from_millis(20);
/// Lead time for being ready before a common start; a busy system wakes threads late.
const LEAD_TIME: Duration = Duration::from_millis(50);
/// Interval between clock readings; the clock may be adjusted meanwhile.
const CLOCK_CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// Start time of a speed.
#[derive(Clone, Copy, Debug)]
pub(super) struct StartTime {
    /// Time on the clock shared by all processes of the machine.
    pub(super) ns: u64,
    /// Time on the clock shared by nodes.
    pub(super) time: SystemTime,
}

/// Reason for not starting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StartMissed {
    /// The start time had passed by this duration when everything was ready.
    Late(Duration),
    /// The user interrupted the run.
    Stopped,
}

impl StartTime {
    /// Starts as soon as a source can run.
    pub(super) fn at_once() -> Self {
        StartTime {
            ns: now_ns() + START_DELAY.as_nanos() as u64,
            time: SystemTime::now() + START_DELAY,
        }
    }

    /// Waits until shortly before a start time.
    ///
    /// # Errors
    /// If it has passed, or `stop` returns true before.
    pub(super) fn wait_for(
        moment: SystemTime,
        stop: impl Fn() -> bool,
    ) -> Result<Self, StartMissed> {
        if let Ok(late) = (SystemTime::now() + START_DELAY).duration_since(moment) {
            return Err(StartMissed::Late(late));
        }
        loop {
            let left = moment.duration_since(SystemTime::now()).unwrap_or_default();
            if left <= LEAD_TIME {
                return Ok(StartTime { ns: now_ns() + left.as_nanos() as u64, time: moment });
            }
            if stop() {
                return Err(StartMissed::Stopped);
            }
            thread::sleep((left - LEAD_TIME).min(CLOCK_CHECK_INTERVAL));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn schedule(speed: f64) -> Schedule {
        let prepared = PreparedCounts { of_spills: 6, of_pauses: 2 };
        Schedule { timeslice_ns: 50_000_000, speed, spill: None, prepared, seed: 1 }
    }

    #[test]
    fn timeslices_are_due_at_the_pace_of_the_detector_times_the_speed() {
        for (speed, first, count) in [(1.0, 50, 400), (2.0, 25, 800), (0.5, 100, 200)] {
            let schedule = schedule(speed);
            assert_eq!(schedule.due_ns(0), first * 1_000_000);
            assert_eq!(schedule.due_within(20_000_000_000), count);
        }
        let odd = schedule(0.7);
        for ns in [0, 1, 49_999_999, 71_428_571, 71_428_572, 123_456_789_012] {
            let count = odd.due_within(ns);
            assert!(count == 0 || odd.due_ns(count - 1) <= ns, "{ns}");
            assert!(odd.due_ns(count) > ns, "{ns}");
        }
    }

    #[test]
    fn all_prepared_timeslices_are_used_in_seeded_order() {
        let data = |seed| -> Vec<usize> {
            let schedule = Schedule { seed, ..schedule(1.0) };
            (0..200).map(|number| schedule.data(number)).collect()
        };
        let first = data(1);
        assert!((0..6).all(|data| first.contains(&data)));
        assert!(first.iter().all(|&data| data < 6), "there are no pauses");
        assert_eq!(first, data(1));
        assert_ne!(first, data(2));
    }

    #[test]
    fn pauses_follow_spills_in_the_time_of_the_detector() {
        let spill = Spill { on: Duration::from_millis(200), off: Duration::from_millis(100) };
        for speed in [1.0, 4.0] {
            let schedule = Schedule { spill: Some(spill), ..schedule(speed) };
            let pauses: Vec<bool> = (0..12).map(|number| schedule.data(number) >= 6).collect();
            let cycle = [false, false, false, false, true, true];
            assert_eq!(pauses, [cycle, cycle].concat(), "{speed}");
        }
    }

    #[test]
    fn both_clocks_agree_on_the_start_time() {
        let moment = SystemTime::now() + Duration::from_millis(120);
        let begin = StartTime::wait_for(moment, || false).expect("it comes");
        assert_eq!(begin.time, moment);
        let left = begin.ns.saturating_sub(now_ns());
        assert!(left <= LEAD_TIME.as_nanos() as u64, "{left}");
        let by_clock = moment.duration_since(SystemTime::now()).unwrap_or_default();
        let apart = left.abs_diff(by_clock.as_nanos() as u64);
        assert!(apart < 20_000_000, "{apart}");
    }

    #[test]
    fn late_or_stopped_speeds_do_not_start() {
        let past = SystemTime::now() - Duration::from_secs(3);
        let late = match StartTime::wait_for(past, || false) {
            Err(StartMissed::Late(late)) => late,
            other => panic!("{other:?}"),
        };
        assert!(late >= Duration::from_secs(3), "{late:?}");
        let far = SystemTime::now() + Duration::from_secs(3600);
        assert_eq!(StartTime::wait_for(far, || true).map(|_| ()), Err(StartMissed::Stopped));
    }
}
