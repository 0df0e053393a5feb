//! Clock shared by all processes of a machine.

use std::thread;
use std::time::Duration;

use nix::time::{ClockId, clock_gettime};

/// Time before a moment for which a waiting thread spins, because the system wakes threads late.
const SPIN_NS: u64 = 200_000;
/// Maximum time to sleep between checks of the stop condition.
const MAX_SLEEP_NS: u64 = 20_000_000;

/// Nanoseconds of `CLOCK_MONOTONIC`: since a moment before all processes started.
pub(crate) fn now_ns() -> u64 {
    let now = clock_gettime(ClockId::CLOCK_MONOTONIC).expect("Linux has this clock");
    u64::try_from(Duration::from(now).as_nanos()).unwrap_or(u64::MAX)
}

/// Waits for a moment, spinning at the end. Returns false if `stop` returned true before.
pub(crate) fn wait_until(moment_ns: u64, stop: impl Fn() -> bool) -> bool {
    loop {
        let left = moment_ns.saturating_sub(now_ns());
        if left == 0 {
            return true;
        }
        if left > SPIN_NS {
            if stop() {
                return false;
            }
            thread::sleep(Duration::from_nanos((left - SPIN_NS).min(MAX_SLEEP_NS)));
        } else {
            std::hint::spin_loop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_ends_at_the_moment_or_on_stop() {
        let moment = now_ns() + 1_000_000;
        assert!(wait_until(moment, || false));
        assert!(now_ns() >= moment);
        assert!(wait_until(0, || true), "it is over");
        assert!(!wait_until(u64::MAX, || true));
    }
}
