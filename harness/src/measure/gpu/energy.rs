//! Energy of a run, from the energy counter of the GPU.
//!
//! Counters are updated every 20 to 100 ms, most runs are shorter, and between two runs the GPU
//! waits for fresh input. Therefore a loop of runs with fresh input is measured, then a loop that
//! prepares fresh input equally often without a run. The difference is the energy of the runs.

use std::thread;
use std::time::{Duration, Instant};

use portable_gpu::DeviceError;

use super::watch::Watch;

/// Loop duration; long compared with the update interval of a counter.
const LOOP: Duration = Duration::from_secs(1);
/// Denominator of the share of a candidate's time that each of the two loops may take.
const SHARE: u32 = 20;
/// Minimum loop duration for a usable result.
const MIN_LOOP: Duration = Duration::from_millis(400);
/// A counter that does not change for this long is considered stuck.
const TIMEOUT: Duration = Duration::from_millis(300);
const POLL: Duration = Duration::from_millis(1);
/// Differences below this number of counter steps are not significant.
const STEPS: f64 = 3.0;

/// Work whose energy is measured.
pub(crate) trait Consumer {
    /// Prepares fresh input.
    fn refresh(&mut self) -> Result<(), DeviceError>;
    /// Runs on fresh input.
    fn run(&mut self) -> Result<(), DeviceError>;
}

/// Counter reading just after an update, and the size of the update.
struct Tick {
    joules: f64,
    step: f64,
}

/// Energy of a run in joules, including what the GPU consumes anyway during that time. Returns
/// `None` without a counter, without time, or if the difference is not significant.
pub(crate) fn energy_per_run(
    consumer: &mut dyn Consumer,
    watch: &Watch,
    max_time: Duration,
) -> Result<Option<f64>, DeviceError> {
    let duration = LOOP.min(max_time / SHARE);
    if duration < MIN_LOOP {
        return Ok(None);
    }
    let Some(before) = next_tick(watch) else {
        return Ok(None);
    };
    let start = Instant::now();
    let mut runs = 0_u32;
    while start.elapsed() < duration {
        consumer.refresh()?;
        consumer.run()?;
        runs += 1;
    }
    let middle = next_tick(watch);
    for _ in 0..runs {
        consumer.refresh()?;
    }
    let after = next_tick(watch);
    Ok(difference(&before, middle, after).map(|joules| joules / f64::from(runs)))
}

fn difference(before: &Tick, middle: Option<Tick>, after: Option<Tick>) -> Option<f64> {
    let (middle, after) = middle.zip(after)?;
    let with_runs = middle.joules - before.joules;
    let without = after.joules - middle.joules;
    let step = before.step.max(middle.step).max(after.step);
    let taken = with_runs - without;
    (taken > STEPS * step).then_some(taken)
}

/// Waits for an update of the counter.
fn next_tick(watch: &Watch) -> Option<Tick> {
    let start = Instant::now();
    let first = watch.energy_j()?;
    while start.elapsed() < TIMEOUT {
        let joules = watch.energy_j()?;
        if joules > first {
            let step = joules - first;
            return Some(Tick { joules, step });
        }
        thread::sleep(POLL);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::watch::tests::FakeMonitor;
    use super::*;

    /// A run takes 5 J and negligible time, fresh input 1 J.
    struct Burner(FakeMonitor);

    impl Burner {
        fn burn(&self, joules: f64) {
            let mut fake = self.0.0.lock().expect("no panic");
            fake.energy_j = fake.energy_j.map(|(energy, step)| (energy + joules, step));
            drop(fake);
            thread::sleep(Duration::from_millis(20));
        }
    }

    impl Consumer for Burner {
        fn refresh(&mut self) -> Result<(), DeviceError> {
            self.burn(1.0);
            Ok(())
        }

        fn run(&mut self) -> Result<(), DeviceError> {
            self.burn(5.0);
            Ok(())
        }
    }

    fn found(energy_j: Option<(f64, f64)>, max_time: Duration) -> Option<f64> {
        let monitor = FakeMonitor::default();
        monitor.0.lock().expect("no panic").energy_j = energy_j;
        let watch = Watch::new(Box::new(monitor.clone()));
        energy_per_run(&mut Burner(monitor), &watch, max_time).expect("no failure")
    }

    #[test]
    fn energy_is_the_difference_to_fresh_input() {
        let long = MIN_LOOP * SHARE;
        let joules = found(Some((100.0, 0.25)), long).expect("a counter");
        assert!((joules - 5.0).abs() < 0.2, "{joules} J");
        assert_eq!(found(None, long), None);
        assert_eq!(found(Some((1.0, 0.0)), long), None, "it never moves");
        assert_eq!(found(Some((1.0, 0.25)), MIN_LOOP), None, "no time");
    }

    #[test]
    fn insignificant_differences_are_none() {
        let tick = |joules| Tick { joules, step: 10.0 };
        let of = |runs, without| difference(&tick(0.0), Some(tick(runs)), Some(tick(without)));
        assert_eq!(of(100.0, 180.0), None);
        assert_eq!(of(100.0, 160.0), Some(40.0));
    }
}
