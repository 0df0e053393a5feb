//! Clock source of the system, cost of reading it, and the clock that all processes of a machine
//! share.

use std::hint::black_box;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use nix::time::{ClockId, clock_gettime};

use super::sysfs;

/// Number of readings that are timed together.
const READINGS: u32 = 1000;
/// Number of repetitions, of which the fastest counts, because other processes only add time.
const ROUNDS: usize = 5;

/// Clock source of the kernel, such as `tsc` or `hpet`; `None` without sysfs. `sys` is `/sys`
/// except in tests.
pub(super) fn source(sys: &Path) -> Option<String> {
    sysfs::text(&sys.join("devices/system/clocksource/clocksource0/current_clocksource"))
}

/// Seconds per reading of the clock.
pub(crate) fn price_s() -> f64 {
    let round = || {
        let start = Instant::now();
        for _ in 0..READINGS {
            black_box(Instant::now());
        }
        start.elapsed().as_secs_f64() / f64::from(READINGS)
    };
    (0..ROUNDS).map(|_| round()).fold(f64::INFINITY, f64::min)
}

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
    use crate::platform::control_groups::tests::root;

    #[test]
    fn clock_source_and_cost_are_known() {
        let file = "devices/system/clocksource/clocksource0/current_clocksource";
        assert_eq!(source(root(&[(file, "hpet\n")]).path()).as_deref(), Some("hpet"));
        assert_eq!(source(root(&[]).path()), None);
        let price = price_s();
        assert!((1e-9..1e-3).contains(&price), "{price} s");
    }

    #[test]
    fn waiting_ends_at_the_moment_or_on_stop() {
        let moment = now_ns() + 1_000_000;
        assert!(wait_until(moment, || false));
        assert!(now_ns() >= moment);
        assert!(wait_until(0, || true), "it is over");
        assert!(!wait_until(u64::MAX, || true));
    }
}
