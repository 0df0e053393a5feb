//! The meters of a run, and what of their energy counts for a point.

use std::time::Duration;

use reports::energy::{EnergyParts, EnergySource, MINUS_IDLE};
use reports::record::{EnergyRecord, RunRecord};
use tasks::device::Device;

use super::counters::EnergyCounters;
use super::idle::IdlePower;
use super::on_request::PowerCommand;
use super::power_command::PowerCommandError;
use super::window::{Energy, EnergyWindow};
use crate::request::EnergyFlags;

/// Meters of processors and GPUs, and a command. By default there are none.
#[derive(Default)]
pub(crate) struct EnergyMeters {
    counters: EnergyCounters,
    idle: Option<IdlePower>,
}

/// Energy of a point, with its source.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PointEnergy {
    /// Joules; `None` if they are unknown.
    pub(crate) joules: Option<f64>,
    /// Meters of it, or meters that failed: `cpu+gpu`; empty without any.
    pub(crate) source: String,
}

/// Energy of a period.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PeriodEnergy {
    /// Joules, by what measured them.
    pub(crate) parts: EnergyParts,
    pub(crate) seconds: f64,
    /// Reasons for parts that are unknown although they could be measured.
    pub(crate) problems: Vec<String>,
    /// Energy that counts.
    pub(crate) point: PointEnergy,
}

impl PeriodEnergy {
    /// Mean power in watts.
    pub(crate) fn watts(&self) -> EnergyParts {
        self.parts.map(|joules| joules / self.seconds)
    }

    /// Joules of each of the items that were processed in a second.
    pub(crate) fn per_item(&self, items_per_s: Option<f64>) -> Option<f64> {
        let joules = self.point.joules? / (items_per_s? * self.seconds);
        Some(joules).filter(|joules| joules.is_finite() && *joules > 0.0)
    }
}

impl EnergyMeters {
    /// Opens the meters of the processors and of these devices. The command is not started yet.
    fn open(flags: &EnergyFlags, devices: impl IntoIterator<Item = Device>) -> Self {
        Self::new(EnergyCounters::open(flags.power_command.clone(), devices))
    }

    fn new(counters: EnergyCounters) -> Self {
        EnergyMeters { counters, idle: None }
    }

    fn command(&self) -> Option<&PowerCommand> {
        self.counters.command.as_ref()
    }

    /// Starts the command, if there is one, and waits for its first readings.
    pub(crate) fn start_command(&self) {
        self.command().into_iter().for_each(PowerCommand::start);
    }

    /// Ends the command, so that it takes nothing of the machine.
    pub(crate) fn stop_command(&self) {
        self.command().into_iter().for_each(PowerCommand::stop);
    }

    /// Measures the power of the idle machine, which is subtracted from now on.
    fn measure_idle(&mut self, duration: Duration) {
        self.start_command();
        self.idle = Some(IdlePower::measure(&self.counters, duration));
        self.stop_command();
    }

    /// Begins a period of a point on these devices.
    pub(crate) fn begin(&self, devices: &[Device]) -> EnergyWindow<'_> {
        EnergyWindow::new(&self.counters, devices)
    }

    /// Ends a period, and says what of its energy counts.
    pub(crate) fn end(&self, window: EnergyWindow<'_>) -> PeriodEnergy {
        let devices = window.devices.clone();
        let Energy { parts, seconds, problems } = window.end().if_long_enough();
        let point = self.attribute(parts, seconds, &devices);
        let problems = problems.iter().map(|problem| not_available(problem)).collect();
        PeriodEnergy { parts, seconds, problems, point }
    }

    /// Energy that counts for a point on these devices, of a number of seconds.
    pub(crate) fn attribute(
        &self,
        parts: EnergyParts,
        seconds: f64,
        devices: &[Device],
    ) -> PointEnergy {
        let net = match &self.idle {
            Some(idle) => parts.minus(idle.joules(devices, seconds)),
            None => parts,
        };
        let device = devices.first().map_or_else(String::new, Device::to_string);
        let asked = self.command().map(|_| EnergySource::Command);
        let total = net.total(&device);
        let total = total.filter(|(_, source)| asked.is_none_or(|asked| *source == asked));
        let source = total.map(|(_, source)| source).or(asked);
        let suffix = if self.idle.is_some() { MINUS_IDLE } else { "" };
        PointEnergy {
            // A difference below zero is noise.
            joules: total.map(|(joules, _)| joules).filter(|&joules| joules > 0.0),
            source: source.map_or_else(String::new, |source| format!("{source}{suffix}")),
        }
    }

    /// Usual interval of the readings of the running command.
    pub(crate) fn command_interval(&self) -> Option<Duration> {
        self.command()?.interval()
    }

    /// Reason why the command has failed, if it has.
    pub(crate) fn command_problem(&self) -> Option<PowerCommandError> {
        self.command()?.problem()
    }

    /// True if there is a command, whose readings are what counts.
    pub(crate) fn has_command(&self) -> bool {
        self.command().is_some()
    }

    /// Value of the counter that is updated least often of those of a point on a device, in joules.
    pub(crate) fn counter_j(&self, device: Device) -> Option<f64> {
        match device {
            Device::Cpu => self.counters.processors_j().map(|joules| joules.iter().sum()),
            _ => self.counters.gpus_j(&[device]),
        }
    }

    /// Description in the record of a run.
    fn record(&self) -> EnergyRecord {
        let idle = self.idle.as_ref().map(IdlePower::record);
        EnergyRecord { idle, ..self.counters.record() }
    }

    /// Opens the meters of a run, and measures the power of the idle machine if that is requested.
    pub(crate) fn for_run(
        flags: &EnergyFlags,
        devices: impl IntoIterator<Item = Device>,
        report: impl Fn(&str),
    ) -> Self {
        let mut meters = EnergyMeters::open(flags, devices);
        if let Some(duration) = flags.subtract_idle {
            report("measuring the power of the idle machine");
            meters.measure_idle(duration);
        }
        meters
    }

    /// Adds meters and notes to the record of a run.
    pub(crate) fn describe_in(&self, run: &mut RunRecord) {
        run.energy = Some(self.record());
        run.add_notes(self.notes());
    }

    /// Notes for readers: what was requested, and is not available.
    fn notes(&self) -> Vec<String> {
        let command = self.command_problem().map(|problem| not_available(&problem.to_string()));
        let processors = self.counters.processors.as_ref().err();
        let idle = self.idle.as_ref().map_or_else(Vec::new, |idle| {
            if idle.is_known() {
                return idle.notes();
            }
            let problem = processors.map(|problem| not_available(&problem.to_string()));
            idle.problems().chain(problem).collect()
        });
        idle.into_iter().chain(command).collect()
    }
}

/// `energy is not available: …`.
fn not_available(reason: &str) -> String {
    format!("energy is not available: {reason}")
}

/// Machines with counters, for tests.
#[cfg(test)]
pub(crate) mod fake {
    use std::cell::Cell;
    use std::path::Path;

    use portable_gpu::monitor::Monitor;
    use tempfile::TempDir;

    use super::*;
    use crate::platform::powercap::tests::show;

    /// A processor whose counter wraps around soon.
    pub(crate) struct Machine {
        powercap: TempDir,
        energy_uj: Cell<u64>,
    }

    impl Machine {
        pub(crate) fn new() -> Self {
            let powercap = tempfile::tempdir().expect("a temporary folder");
            let machine = Machine { powercap, energy_uj: Cell::new(998_000_000) };
            machine.take(0.0);
            machine
        }

        /// Takes some joules.
        pub(crate) fn take(&self, joules: f64) {
            let energy_uj = (self.energy_uj.get() + (joules * 1e6) as u64) % 1_000_000_000;
            self.energy_uj.set(energy_uj);
            show(self.powercap.path(), "intel-rapl:0", "package-0", energy_uj);
        }

        pub(crate) fn meters(&self, command: Option<&str>) -> EnergyMeters {
            EnergyMeters::new(self.counters(command))
        }

        pub(crate) fn counters(&self, command: Option<&str>) -> EnergyCounters {
            let command = command.map(str::to_owned);
            EnergyCounters::new(self.powercap.path(), Vec::new(), command)
        }
    }

    /// Meters with a GPU, and no counters of processors.
    pub(crate) fn with_gpu(device: Device, monitor: Box<dyn Monitor>) -> EnergyMeters {
        let gpus = vec![(device, monitor)];
        EnergyMeters::new(EnergyCounters::new(Path::new("/nowhere"), gpus, None))
    }

    /// Meters of a machine without any.
    pub(crate) fn none() -> EnergyMeters {
        EnergyMeters::new(EnergyCounters::new(Path::new("/nowhere"), Vec::new(), None))
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn counters_are_read_over_a_period_in_which_they_wrap_around() {
        let machine = fake::Machine::new();
        let meters = machine.meters(None);
        let window = meters.begin(&[Device::Cpu]);
        machine.take(8.0);
        let energy = window.end();
        let joules = energy.parts.cpu.expect("counted");
        assert!((joules - 8.0).abs() < 1e-6, "{joules} J");
        let found = meters.attribute(energy.parts, energy.seconds, &[Device::Cpu]);
        assert_eq!((found.joules, &*found.source), (energy.parts.cpu, "cpu"));
        assert_eq!(meters.record().processors, "available");
    }

    #[test]
    fn without_meters_energy_is_not_available() {
        let meters = fake::none();
        let energy = meters.begin(&[Device::Cpu]).end();
        assert_eq!(energy.parts, EnergyParts::default());
        assert!(energy.problems.is_empty());
        let found = meters.attribute(energy.parts, 1.0, &[Device::Cpu]);
        assert_eq!(found, PointEnergy::default());
        let record = meters.record().processors;
        assert!(record.starts_with("not available: /nowhere has no energy counters"), "{record}");
        assert!(meters.notes().is_empty(), "none was requested");
        // Independent of the counters of this machine.
        let here = EnergyMeters::open(&EnergyFlags::default(), [Device::Cpu]);
        let joules = here.begin(&[Device::Cpu]).end().parts.cpu;
        assert!(joules.is_none_or(|joules| joules >= 0.0));
    }

    #[test]
    fn a_command_is_what_counts_even_if_it_fails() {
        let machine = fake::Machine::new();
        let meters = machine.meters(Some("echo 5; echo 5; echo five; sleep 600"));
        meters.start_command();
        while meters.command_problem().is_none() {
            thread::yield_now();
        }
        let energy = meters.begin(&[Device::Cpu]).end();
        assert_eq!(energy.parts.command, None);
        assert!(energy.parts.cpu.is_some());
        let problem = &energy.problems[0];
        assert!(problem.starts_with("--power-command printed"), "{problem}");
        let found = meters.attribute(energy.parts, energy.seconds, &[Device::Cpu]);
        assert_eq!((found.joules, &*found.source), (None, "command"));
        meters.stop_command();
        meters.start_command();
        assert!(meters.command_interval().is_none(), "it is not started again");
        let notes = meters.notes();
        let problem = "energy is not available: --power-command printed \"five\" in line 3";
        assert!(notes.iter().any(|note| note.starts_with(problem)), "{notes:?}");
        let record = meters.record().command.expect("there is one");
        assert!(record.state.starts_with("not available: --power-command"), "{record:?}");
    }

    #[test]
    fn idle_power_is_subtracted() {
        let machine = fake::Machine::new();
        let mut meters = machine.meters(Some("while :; do echo 30; sleep 0.02; done"));
        meters.measure_idle(Duration::from_secs(1));
        let parts = EnergyParts { command: Some(100.0), ..EnergyParts::default() };
        let found = meters.attribute(parts, 2.0, &[Device::Cpu]);
        assert_eq!(found.source, "command minus idle");
        assert!((found.joules.expect("known") - 40.0).abs() < 0.1, "{found:?}");
        let less = meters.attribute(parts, 4.0, &[Device::Cpu]);
        assert_eq!(less.joules, None, "less than idle is nothing");
        assert!(
            (meters.record().idle.expect("measured").command_w.expect("read") - 30.0).abs() < 0.1
        );
    }
}
