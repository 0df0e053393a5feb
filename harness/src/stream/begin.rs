//! Start of a speed: immediately, or at a start time shared by several nodes.

use std::thread;
use std::time::{Duration, SystemTime};

use crate::platform::monotonic::now_ns;

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
    use super::*;

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
