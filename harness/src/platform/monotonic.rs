//! A clock that all processes of a machine have in common.

use std::thread;
use std::time::Duration;

use nix::time::{ClockId, clock_gettime};

/// So long before a moment a thread that waits for it stays awake: the system wakes threads later
/// than they ask for.
const AWAKE: u64 = 200_000;
/// For so long nobody sleeps at a time, in order to look up whether it is still to be waited for.
const NAP: u64 = 20_000_000;

/// Nanoseconds of `CLOCK_MONOTONIC`: since some moment before all processes began.
pub(crate) fn now_ns() -> u64 {
    let now = clock_gettime(ClockId::CLOCK_MONOTONIC).expect("Linux has this clock");
    u64::try_from(Duration::from(now).as_nanos()).unwrap_or(u64::MAX)
}

/// Waits for a moment, the last bit of it awake. Returns whether it has come: not if `stop` says
/// so before.
pub(crate) fn wait_until(moment_ns: u64, stop: impl Fn() -> bool) -> bool {
    loop {
        let left = moment_ns.saturating_sub(now_ns());
        if left == 0 {
            return true;
        }
        if left > AWAKE {
            if stop() {
                return false;
            }
            thread::sleep(Duration::from_nanos((left - AWAKE).min(NAP)));
        } else {
            std::hint::spin_loop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_waited_for_unless_somebody_says_stop() {
        let moment = now_ns() + 1_000_000;
        assert!(wait_until(moment, || false));
        assert!(now_ns() >= moment);
        assert!(wait_until(0, || true), "it is over");
        assert!(!wait_until(u64::MAX, || true));
    }
}
