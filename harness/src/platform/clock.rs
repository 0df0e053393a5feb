//! Clock source of the system, and cost of reading the clock.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

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

#[cfg(test)]
mod tests {
    use super::super::control_groups::tests::root;
    use super::*;

    #[test]
    fn clock_source_and_cost_are_known() {
        let file = "devices/system/clocksource/clocksource0/current_clocksource";
        assert_eq!(source(root(&[(file, "hpet\n")]).path()).as_deref(), Some("hpet"));
        assert_eq!(source(root(&[]).path()), None);
        let price = price_s();
        assert!((1e-9..1e-3).contains(&price), "{price} s");
    }
}
