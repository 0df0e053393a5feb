//! Energy of a run, from windows of repeated runs.
//!
//! Counters are updated every millisecond (processors) or every 20 to 100 ms (GPUs), most runs are
//! shorter, and between two runs fresh input is prepared. Therefore a window of runs with fresh input
//! is measured, then one that prepares fresh input equally often without a run. The difference is
//! the energy of the runs. Windows begin and end with an update of the counter, are repeated as
//! time permits, and are no samples: nothing reads a meter while times are taken.

use std::thread;
use std::time::{Duration, Instant};

use portable_gpu::DeviceError;
use reports::energy::EnergyParts;
use statistics::{Interval, MIN_SAMPLES, Series, median};
use tasks::device::Device;

use crate::energy::{EnergyMeters, MIN_CPU_PERIOD, PointEnergy};

/// Share of the time of a candidate for all windows, as a denominator.
const SHARE: u32 = 10;
/// Maximum length of a window.
const MAX_WINDOW: Duration = Duration::from_secs(1);
/// Minimum length of a window, in which a GPU's counter is updated often enough.
const MIN_GPU_WINDOW: Duration = Duration::from_millis(400);
/// Number of readings of a command in a window.
const COMMAND_READINGS: u32 = 8;
/// Maximum number of pairs of windows.
const MAX_PAIRS: u32 = 10;
/// A counter that does not change for this long is considered stuck.
const TIMEOUT: Duration = Duration::from_secs(1);
/// Intervals between looks at counters.
const GPU_POLL: Duration = Duration::from_millis(1);
const CPU_POLL: Duration = Duration::from_micros(20);
/// Differences below this number of counter steps are not significant.
const STEPS: f64 = 3.0;

/// Work whose energy is measured.
pub(crate) trait Consumer {
    /// Prepares fresh input.
    fn refresh(&mut self) -> Result<(), DeviceError>;
    /// Runs on fresh input.
    fn run(&mut self) -> Result<(), DeviceError>;
}

/// Energy of a run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RunEnergy {
    /// Joules of a run in each window.
    pub(crate) windows: Vec<f64>,
    /// Medians of what processors and GPUs took, each by itself.
    pub(crate) parts: EnergyParts,
    /// Meters that measured it.
    pub(crate) source: String,
    /// Time of the runs in all windows, in seconds.
    pub(crate) covered_s: f64,
}

/// Reason why the energy of a run is unknown.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum NoEnergy {
    /// Nothing can measure it; the record of the run has the reasons, and notes if the command has
    /// failed.
    #[error("nothing measures it")]
    NoMeter,
    /// Windows would be too short for the meter.
    #[error(
        "windows of {} are needed, which --max-time {} allows",
        humantime::format_duration(*window), humantime::format_duration(*max_time)
    )]
    TooShort { window: Duration, max_time: Duration },
    /// The counter does not change.
    #[error("its counter did not change for {} ms", TIMEOUT.as_millis())]
    Stuck,
    /// Runs take too little.
    #[error(
        "runs took no more than the preparation of their input, within the steps of the counter"
    )]
    NotSignificant,
    /// The command printed too little.
    #[error("{0}")]
    Readings(String),
}

/// Measures the energy of a run on a device, including what the device consumes anyway during that
/// time unless idle power is subtracted.
pub(crate) fn energy_per_run(
    consumer: &mut dyn Consumer,
    meters: &EnergyMeters,
    device: Device,
    max_time: Duration,
) -> Result<Result<RunEnergy, NoEnergy>, DeviceError> {
    let lengths = match Lengths::new(meters, device, max_time) {
        Ok(lengths) => lengths,
        Err(reason) => return Ok(Err(reason)),
    };
    let mut measuring = Measuring { consumer, meters, device, steps: Vec::new() };
    let start = Instant::now();
    let mut pairs = Vec::new();
    for _ in 0..lengths.pairs {
        match measuring.pair(lengths.window)? {
            Ok(pair) => pairs.push(pair),
            Err(reason) => return Ok(Err(reason)),
        }
        if start.elapsed() >= lengths.all {
            break;
        }
    }
    Ok(measuring.evaluate(&pairs))
}

/// Length and number of windows.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Lengths {
    window: Duration,
    pairs: u32,
    /// Time after which no further pair begins.
    all: Duration,
}

impl Lengths {
    fn new(meters: &EnergyMeters, device: Device, max_time: Duration) -> Result<Self, NoEnergy> {
        let min = match meters.command_interval() {
            Some(interval) => COMMAND_READINGS * interval,
            None if meters.has_command() || meters.counter_j(device).is_none() => {
                return Err(NoEnergy::NoMeter);
            }
            None if device == Device::Cpu => MIN_CPU_PERIOD,
            None => MIN_GPU_WINDOW,
        };
        let all = max_time / SHARE;
        let pairs = all.as_nanos() / (2 * min).as_nanos().max(1);
        if pairs == 0 {
            return Err(NoEnergy::TooShort { window: min, max_time: 2 * SHARE * min });
        }
        let pairs = u32::try_from(pairs).unwrap_or(u32::MAX).min(MAX_PAIRS);
        let window = (all / (2 * pairs)).min(MAX_WINDOW).max(min);
        Ok(Lengths { window, pairs, all })
    }
}

/// A window of runs, less one of their preparation: of one run.
struct Pair {
    parts: EnergyParts,
    energy: PointEnergy,
    runs: u32,
    /// Time of a run in seconds.
    run_s: f64,
}

/// A window of equal work.
struct Window {
    /// Joules of each repetition.
    parts: EnergyParts,
    repetitions: u32,
    /// Time of each repetition in seconds.
    seconds: f64,
}

struct Measuring<'a> {
    consumer: &'a mut dyn Consumer,
    meters: &'a EnergyMeters,
    device: Device,
    /// Steps of the counter so far, in joules.
    steps: Vec<f64>,
}

impl Measuring<'_> {
    /// Measures a window of runs, and one without.
    fn pair(&mut self, length: Duration) -> Result<Result<Pair, NoEnergy>, DeviceError> {
        let with_runs = self.window(|elapsed, _| elapsed < length, true)?;
        let with_runs = match with_runs {
            Ok(window) => window,
            Err(reason) => return Ok(Err(reason)),
        };
        let runs = with_runs.repetitions;
        // A command needs some time for its readings, however short the preparation.
        let is_long = self.meters.has_command();
        let is_next = |elapsed, count| count < runs || is_long && elapsed < length;
        let without = match self.window(is_next, false)? {
            Ok(window) => window,
            Err(reason) => return Ok(Err(reason)),
        };
        let parts = with_runs.parts.minus(without.parts);
        let run_s = (with_runs.seconds - without.seconds).max(0.0);
        let energy = self.meters.attribute(parts, run_s, &[self.device]);
        Ok(Ok(Pair { parts, energy, runs, run_s }))
    }

    /// Repeats work while `is_next` of the time so far and the number of repetitions.
    fn window(
        &mut self,
        is_next: impl Fn(Duration, u32) -> bool,
        with_runs: bool,
    ) -> Result<Result<Window, NoEnergy>, DeviceError> {
        if self.wait_for_tick().is_none() {
            return Ok(Err(NoEnergy::Stuck));
        }
        let meters = self.meters;
        let window = meters.begin(&[self.device]);
        let start = Instant::now();
        let mut repetitions = 0;
        while is_next(start.elapsed(), repetitions) {
            self.consumer.refresh()?;
            if with_runs {
                self.consumer.run()?;
            }
            repetitions += 1;
        }
        let seconds = start.elapsed().as_secs_f64();
        if self.wait_for_tick().is_none() {
            return Ok(Err(NoEnergy::Stuck));
        }
        let energy = window.end();
        if self.meters.command_problem().is_some() {
            return Ok(Err(NoEnergy::NoMeter));
        }
        if let Some(problem) = energy.problems.into_iter().next() {
            return Ok(Err(NoEnergy::Readings(problem)));
        }
        let count = f64::from(repetitions.max(1));
        let parts = energy.parts.map(|joules| joules / count);
        Ok(Ok(Window { parts, repetitions, seconds: seconds / count }))
    }

    /// Waits for an update of the counter, unless a command is what counts.
    fn wait_for_tick(&mut self) -> Option<()> {
        if self.meters.has_command() {
            return Some(());
        }
        let poll = if self.device == Device::Cpu { CPU_POLL } else { GPU_POLL };
        let start = Instant::now();
        let first = self.meters.counter_j(self.device)?;
        while start.elapsed() < TIMEOUT {
            let now = self.meters.counter_j(self.device)?;
            if now != first {
                // A counter that has wrapped around is lower than before.
                self.steps.extend(Some(now - first).filter(|&step| step > 0.0));
                return Some(());
            }
            thread::sleep(poll);
        }
        None
    }

    fn evaluate(&self, pairs: &[Pair]) -> Result<RunEnergy, NoEnergy> {
        let joules = pairs.iter().map(|pair| pair.energy.joules);
        let windows: Vec<f64> = joules.collect::<Option<_>>().ok_or(NoEnergy::NotSignificant)?;
        let taken = pairs.iter().zip(&windows).map(|(pair, run_j)| run_j * f64::from(pair.runs));
        let step = if self.steps.is_empty() { 0.0 } else { median(&self.steps) };
        if taken.sum::<f64>() <= STEPS * step * pairs.len() as f64 {
            return Err(NoEnergy::NotSignificant);
        }
        let median_of = |part: fn(&EnergyParts) -> Option<f64>| {
            let all: Option<Vec<f64>> = pairs.iter().map(|pair| part(&pair.parts)).collect();
            all.map(|all| median(&all))
        };
        let is_counted = !self.meters.has_command();
        Ok(RunEnergy {
            parts: EnergyParts {
                cpu: median_of(|parts| parts.cpu).filter(|_| is_counted),
                gpu: median_of(|parts| parts.gpu).filter(|_| is_counted),
                command: median_of(|parts| parts.command),
            },
            source: pairs.first().map_or_else(String::new, |pair| pair.energy.source.clone()),
            covered_s: pairs.iter().map(|pair| pair.run_s * f64::from(pair.runs)).sum(),
            windows,
        })
    }
}

impl RunEnergy {
    /// Median energy of a run in joules.
    pub(crate) fn median(&self) -> f64 {
        median(&self.windows)
    }

    /// The 95 % confidence interval of the median, if there are enough windows.
    pub(crate) fn interval(&self) -> Option<Interval> {
        let enough = self.windows.len() >= MIN_SAMPLES;
        let found = Series::new(&self.windows, &[0]).leveled_interval().filter(|_| enough);
        found.map(|found| found.interval)
    }
}

#[cfg(test)]
mod tests {
    use portable_gpu::monitor::{Limit, Monitor};

    use super::super::gpu::watch::tests::FakeMonitor;
    use super::*;
    use crate::energy::fake;

    /// A run takes 5 J of a GPU and negligible time, fresh input 1 J.
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

    fn on_gpu(energy_j: Option<(f64, f64)>, max_time: Duration) -> Result<RunEnergy, NoEnergy> {
        let monitor = FakeMonitor::default();
        monitor.0.lock().expect("no panic").energy_j = energy_j;
        let device = Device::Cuda(0);
        let meters = fake::with_gpu(device, Box::new(monitor.clone()));
        energy_per_run(&mut Burner(monitor), &meters, device, max_time).expect("no failure")
    }

    #[test]
    fn energy_is_the_difference_to_fresh_input() {
        let long = 2 * SHARE * MIN_GPU_WINDOW;
        let found = on_gpu(Some((100.0, 0.25)), long).expect("a counter");
        assert!((found.median() - 5.0).abs() < 0.2, "{found:?}");
        assert_eq!((found.windows.len(), found.source.as_str()), (1, "gpu"));
        assert_eq!(found.interval(), None, "one window has none");
        assert_eq!(found.parts.gpu, Some(found.median()));
        assert_eq!(on_gpu(None, long), Err(NoEnergy::NoMeter));
        assert_eq!(
            on_gpu(Some((1.0, 0.0)), Duration::ZERO),
            Err(NoEnergy::TooShort { window: MIN_GPU_WINDOW, max_time: long })
        );
        let reason = on_gpu(Some((1.0, 0.0)), Duration::ZERO).expect_err("no time").to_string();
        assert_eq!(reason, "windows of 400ms are needed, which --max-time 8s allows");
    }

    /// A run sleeps for a while, fresh input for less.
    struct Sleeper(Duration);

    impl Consumer for Sleeper {
        fn refresh(&mut self) -> Result<(), DeviceError> {
            thread::sleep(self.0 / 4);
            Ok(())
        }

        fn run(&mut self) -> Result<(), DeviceError> {
            thread::sleep(self.0);
            Ok(())
        }
    }

    fn slept(meters: &EnergyMeters, max_time: Duration) -> Result<RunEnergy, NoEnergy> {
        let mut sleeper = Sleeper(Duration::from_millis(10));
        energy_per_run(&mut sleeper, meters, Device::Cpu, max_time).expect("no failure")
    }

    /// A GPU that takes 50 W since a moment, counted in steps of a millisecond.
    struct Steady(Instant);

    impl Monitor for Steady {
        fn clock_mhz(&self) -> Result<u32, String> {
            Ok(1000)
        }

        fn max_clock_mhz(&self) -> Result<u32, String> {
            Ok(1000)
        }

        fn limits(&self) -> Result<Vec<Limit>, String> {
            Ok(Vec::new())
        }

        fn energy_j(&self) -> Result<f64, String> {
            Ok(50e-3 * self.0.elapsed().as_millis() as f64)
        }
    }

    #[test]
    fn many_windows_have_an_interval() {
        let device = Device::Cuda(0);
        let meters = fake::with_gpu(device, Box::new(Steady(Instant::now())));
        let mut sleeper = Sleeper(Duration::from_millis(50));
        let max_time = 2 * SHARE * MIN_GPU_WINDOW * 7;
        let found = energy_per_run(&mut sleeper, &meters, device, max_time).expect("no failure");
        let found = found.expect("a counter");
        // 50 W for 50 ms, or more on a busy machine.
        assert!((2.2..10.0).contains(&found.median()), "{found:?}");
        assert!(found.covered_s > 0.1 && found.source == "gpu", "{found:?}");
        if found.windows.len() >= MIN_SAMPLES {
            let interval = found.interval().expect("enough windows");
            assert!(interval.low <= found.median() && found.median() <= interval.high);
        }
    }

    #[test]
    fn a_command_counts_instead_of_counters() {
        let machine = fake::Machine::new();
        let meters = machine.meters(Some("while :; do echo 200; sleep 0.01; done"));
        meters.start_command();
        // A busy machine may print too few lines.
        let found = (0..20).find_map(|_| slept(&meters, Duration::from_secs(20)).ok());
        let found = found.expect("readings");
        meters.stop_command();
        assert!((1.0..20.0).contains(&found.median()), "{found:?}");
        assert_eq!((found.source.as_str(), found.parts.cpu), ("command", None));
        let broken = machine.meters(Some("echo watts"));
        broken.start_command();
        assert_eq!(slept(&broken, Duration::from_secs(20)), Err(NoEnergy::NoMeter));
    }

    #[test]
    fn without_a_meter_there_is_no_energy() {
        assert_eq!(slept(&fake::none(), Duration::from_secs(20)), Err(NoEnergy::NoMeter));
    }

    #[test]
    fn insignificant_differences_are_no_energy() {
        let pair = |joules: Option<f64>| Pair {
            parts: EnergyParts { cpu: joules, ..EnergyParts::default() },
            energy: PointEnergy { joules, source: "cpu".into() },
            runs: 10,
            run_s: 0.1,
        };
        let meters = fake::none();
        let mut sleeper = Sleeper(Duration::ZERO);
        let consumer = &mut sleeper;
        let measuring =
            Measuring { consumer, meters: &meters, device: Device::Cpu, steps: vec![10.0] };
        assert_eq!(measuring.evaluate(&[pair(Some(3.0))]), Err(NoEnergy::NotSignificant));
        assert_eq!(measuring.evaluate(&[pair(None)]), Err(NoEnergy::NotSignificant));
        assert_eq!(measuring.evaluate(&[pair(Some(4.0))]).map(|it| it.windows), Ok(vec![4.0]));
    }
}
