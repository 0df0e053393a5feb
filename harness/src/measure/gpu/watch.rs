//! Clocks of a GPU around samples, and reasons for throttling.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use portable_gpu::monitor::{Limit, Monitor};

use crate::measure::probe::{Histogram, SLOW};

/// Monitor of a GPU. It does nothing inside a timed region and is optional: without a management
/// library no readings are available, and samples are taken anyway.
pub(crate) struct Watch {
    monitor: Box<dyn Monitor>,
    /// Clock readings so far, in MHz.
    usual: Mutex<Histogram>,
    /// Last time at which the GPU was known to be busy.
    worked: Mutex<Option<Instant>>,
}

/// Readings at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct GpuState {
    pub(crate) clock_mhz: Option<f64>,
    limits: Vec<Limit>,
}

/// Result of comparing the readings before and after a sample.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct GpuThrottle {
    /// The clock was far below its usual value.
    pub(crate) slow_clock: bool,
    /// Reasons for throttling.
    pub(crate) limits: Vec<Limit>,
}

impl Watch {
    pub(crate) fn new(monitor: Box<dyn Monitor>) -> Self {
        Watch { monitor, usual: Mutex::default(), worked: Mutex::default() }
    }

    /// Time since the GPU was last busy, if known.
    pub(crate) fn idle(&self) -> Option<Duration> {
        let worked = self.worked.lock().unwrap_or_else(PoisonError::into_inner);
        worked.map(|worked| worked.elapsed())
    }

    /// Records that the GPU was busy until now.
    pub(crate) fn has_worked(&self) {
        *self.worked.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// Readings that are not available, with the reasons.
    pub(crate) fn problems(&self) -> Vec<String> {
        let problem = |what: &str, reason: Option<String>| {
            reason.map(|reason| format!("{what} is not available: {reason}"))
        };
        let answers = [
            problem("its clock", self.monitor.clock_mhz().err()),
            problem("what limits its clock", self.monitor.limits().err()),
            problem("the energy that it takes", self.monitor.energy_j().err()),
        ];
        answers.into_iter().flatten().collect()
    }

    pub(crate) fn look(&self) -> GpuState {
        GpuState {
            clock_mhz: self.monitor.clock_mhz().ok().map(f64::from),
            limits: self.monitor.limits().unwrap_or_default(),
        }
    }

    /// Records the readings around a sample, and judges the sample by all readings so far.
    pub(crate) fn judge(&self, before: &GpuState, after: &GpuState) -> GpuThrottle {
        let clocks: Vec<f64> = [before, after].iter().filter_map(|s| s.clock_mhz).collect();
        let mut usual = self.usual.lock().unwrap_or_else(PoisonError::into_inner);
        clocks.iter().for_each(|&clock| usual.add(clock));
        let middle = usual.quantile(0.5).unwrap_or_default();
        let mut limits = [&before.limits[..], &after.limits[..]].concat();
        limits.sort_unstable();
        limits.dedup();
        GpuThrottle { slow_clock: clocks.iter().any(|&clock| clock < SLOW * middle), limits }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::Arc;

    use super::*;

    /// Simulated GPU for tests.
    #[derive(Clone, Default)]
    pub(crate) struct FakeMonitor(pub(crate) Arc<Mutex<Fake>>);

    #[derive(Clone, Default)]
    pub(crate) struct Fake {
        pub(crate) clock_mhz: Option<u32>,
        pub(crate) limits: Vec<Limit>,
        /// Energy counter in joules at the next query, and increment per query.
        pub(crate) energy_j: Option<(f64, f64)>,
    }

    impl Monitor for FakeMonitor {
        fn clock_mhz(&self) -> Result<u32, String> {
            let fake = self.0.lock().expect("no panic");
            fake.clock_mhz.ok_or("no library".to_owned())
        }

        fn max_clock_mhz(&self) -> Result<u32, String> {
            self.clock_mhz()
        }

        fn limits(&self) -> Result<Vec<Limit>, String> {
            let fake = self.0.lock().expect("no panic");
            let seen = fake.clock_mhz.map(|_| fake.limits.clone());
            seen.ok_or("no library".to_owned())
        }

        fn energy_j(&self) -> Result<f64, String> {
            let mut fake = self.0.lock().expect("no panic");
            let (energy, step) = fake.energy_j.ok_or("no library".to_owned())?;
            fake.energy_j = Some((energy + step, step));
            Ok(energy)
        }
    }

    fn state(clock_mhz: f64, limits: &[Limit]) -> GpuState {
        GpuState { clock_mhz: Some(clock_mhz), limits: limits.to_vec() }
    }

    #[test]
    fn clocks_far_below_the_usual_are_slow() {
        let watch = Watch::new(Box::new(FakeMonitor::default()));
        let usual = state(1980.0, &[]);
        for _ in 0..5 {
            assert_eq!(watch.judge(&usual, &usual), GpuThrottle::default());
        }
        assert!(watch.judge(&usual, &state(1200.0, &[])).slow_clock);
        assert!(!watch.judge(&usual, &state(1950.0, &[])).slow_clock);
    }

    #[test]
    fn throttle_reasons_are_listed_once() {
        let watch = Watch::new(Box::new(FakeMonitor::default()));
        let before = state(1980.0, &[Limit::Power]);
        let after = state(1900.0, &[Limit::Heat, Limit::Power]);
        let condition = watch.judge(&before, &after);
        assert_eq!(condition.limits, [Limit::Power, Limit::Heat]);
    }

    #[test]
    fn missing_libraries_are_reported() {
        let watch = Watch::new(Box::new(FakeMonitor::default()));
        let nothing = watch.look();
        assert_eq!(nothing, GpuState::default());
        assert_eq!(watch.judge(&nothing, &nothing), GpuThrottle::default());
        assert_eq!(watch.problems().len(), 3);
        let there = FakeMonitor::default();
        there.0.lock().expect("no panic").clock_mhz = Some(1980);
        let problems = Watch::new(Box::new(there)).problems();
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].contains("energy"), "{problems:?}");
    }
}
