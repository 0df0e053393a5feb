//! When a speed begins: at once, or at a moment that nodes have in common.

use std::thread;
use std::time::{Duration, SystemTime};

use crate::platform::monotonic::now_ns;

/// Until the first moment of a stream: its source has to be there.
const START: Duration = Duration::from_millis(20);
/// So long before a common moment all gets ready; a busy system wakes threads late.
const AWAKE: Duration = Duration::from_millis(50);
/// Between two looks at the clock, which may be set meanwhile.
const NAP: Duration = Duration::from_millis(20);

/// The first moment of a speed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Begin {
    /// By the clock that all processes have in common.
    pub(super) ns: u64,
    /// By the clock that nodes have in common.
    pub(super) time: SystemTime,
}

/// Why there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Missed {
    /// It had passed, by so much, when all was ready.
    Late(Duration),
    /// Somebody said stop.
    Stopped,
}

impl Begin {
    /// As soon as there is a source.
    pub(super) fn at_once() -> Self {
        Begin { ns: now_ns() + START.as_nanos() as u64, time: SystemTime::now() + START }
    }

    /// A moment, a little before it comes.
    ///
    /// # Errors
    /// If it has passed, or `stop` says so before it comes.
    pub(super) fn wait_for(moment: SystemTime, stop: impl Fn() -> bool) -> Result<Self, Missed> {
        if let Ok(late) = (SystemTime::now() + START).duration_since(moment) {
            return Err(Missed::Late(late));
        }
        loop {
            let left = moment.duration_since(SystemTime::now()).unwrap_or_default();
            if left <= AWAKE {
                return Ok(Begin { ns: now_ns() + left.as_nanos() as u64, time: moment });
            }
            if stop() {
                return Err(Missed::Stopped);
            }
            thread::sleep((left - AWAKE).min(NAP));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_the_same_by_both_clocks() {
        let moment = SystemTime::now() + Duration::from_millis(120);
        let begin = Begin::wait_for(moment, || false).expect("it comes");
        assert_eq!(begin.time, moment);
        let left = begin.ns.saturating_sub(now_ns());
        assert!(left <= AWAKE.as_nanos() as u64, "{left}");
        let by_clock = moment.duration_since(SystemTime::now()).unwrap_or_default();
        let apart = left.abs_diff(by_clock.as_nanos() as u64);
        assert!(apart < 20_000_000, "{apart}");
    }

    #[test]
    fn who_is_late_or_stopped_does_not_begin() {
        let past = SystemTime::now() - Duration::from_secs(3);
        let late = match Begin::wait_for(past, || false) {
            Err(Missed::Late(late)) => late,
            other => panic!("{other:?}"),
        };
        assert!(late >= Duration::from_secs(3), "{late:?}");
        let far = SystemTime::now() + Duration::from_secs(3600);
        assert_eq!(Begin::wait_for(far, || true).map(|_| ()), Err(Missed::Stopped));
    }
}
