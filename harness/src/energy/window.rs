//! Energy of a period.

use std::time::{Duration, Instant};

use reports::energy::EnergyParts;
use tasks::device::Device;

use super::counters::EnergyCounters;

/// Counters are read at least this often, so that none wraps around twice.
const UPDATE_INTERVAL: Duration = Duration::from_secs(10);
/// Minimum length of a period that does not begin and end with an update of a GPU's counter, of
/// which the longest intervals are 100 ms.
const MIN_GPU_PERIOD: Duration = Duration::from_secs(2);
/// Minimum length for processors, whose counters are updated every millisecond: twenty updates.
pub(crate) const MIN_CPU_PERIOD: Duration = Duration::from_millis(20);

/// A period whose energy is measured.
pub(crate) struct EnergyWindow<'m> {
    counters: &'m EnergyCounters,
    pub(super) devices: Vec<Device>,
    begin: Instant,
    updated: Instant,
    /// Last values of the processors' counters, and joules so far.
    processors: Option<(Vec<f64>, f64)>,
    /// Values of the GPUs' counters at the begin.
    gpus: Option<f64>,
}

/// Energy of a period.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Energy {
    /// Joules.
    pub(crate) parts: EnergyParts,
    /// Length of the period.
    pub(crate) seconds: f64,
    /// Reasons for parts that are unknown although they could be measured.
    pub(crate) problems: Vec<String>,
}

impl<'m> EnergyWindow<'m> {
    /// Begins a period.
    pub(super) fn new(counters: &'m EnergyCounters, devices: &[Device]) -> Self {
        let processors = counters.processors_j().map(|joules| (joules, 0.0));
        let gpus = counters.gpus_j(devices);
        let begin = Instant::now();
        EnergyWindow {
            counters,
            devices: devices.to_vec(),
            begin,
            updated: begin,
            processors,
            gpus,
        }
    }

    /// Reads counters that may wrap around, if that is due: to be called often.
    pub(crate) fn update(&mut self) {
        if self.updated.elapsed() >= UPDATE_INTERVAL {
            self.read_processors();
        }
    }

    fn read_processors(&mut self) {
        self.updated = Instant::now();
        let Some((then, joules)) = self.processors.take() else { return };
        let now = self.counters.processors_j();
        self.processors = now.map(|now| {
            let more = self.counters.processors_between(&then, &now);
            (now, joules + more)
        });
    }

    /// Ends the period.
    pub(crate) fn end(mut self) -> Energy {
        let end = Instant::now();
        self.read_processors();
        let gpus = self.counters.gpus_j(&self.devices);
        let mut problems = Vec::new();
        let command = self.counters.command.as_ref();
        let command = command.and_then(|command| command.joules(self.begin, end));
        let command = command
            .and_then(|joules| joules.map_err(|error| problems.push(error.to_string())).ok());
        let parts = EnergyParts {
            cpu: self.processors.map(|(_, joules)| joules),
            gpu: gpus.zip(self.gpus).map(|(now, then)| now - then),
            command,
        };
        Energy { parts, seconds: (end - self.begin).as_secs_f64(), problems }
    }
}

impl Energy {
    /// Drops parts of a period that was too short for their counters, with a note.
    #[must_use]
    pub(crate) fn if_long_enough(mut self) -> Self {
        let limits = [
            (&mut self.parts.cpu, "processors", MIN_CPU_PERIOD),
            (&mut self.parts.gpu, "GPUs", MIN_GPU_PERIOD),
        ];
        for (part, name, min) in limits {
            if part.is_some() && self.seconds < min.as_secs_f64() {
                *part = None;
                self.problems.push(format!(
                    "{:.2} s are too short for the counters of {name}, which need {}",
                    self.seconds,
                    humantime::format_duration(min)
                ));
            }
        }
        self
    }

    /// Mean power in watts.
    pub(crate) fn watts(&self) -> EnergyParts {
        self.parts.map(|joules| joules / self.seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_periods_have_no_energy_and_a_reason() {
        let parts = EnergyParts { cpu: Some(1.0), gpu: Some(2.0), command: Some(3.0) };
        let of = |seconds| Energy { parts, seconds, problems: Vec::new() }.if_long_enough();
        assert_eq!(of(2.0).parts, parts);
        assert_eq!(of(2.0).watts().command, Some(1.5));
        let short = of(0.5);
        assert_eq!(short.parts, EnergyParts { gpu: None, ..parts });
        assert_eq!(
            short.problems,
            ["0.50 s are too short for the counters of GPUs, which need 2s"]
        );
        assert_eq!(of(0.01).parts, EnergyParts { command: Some(3.0), ..EnergyParts::default() });
    }
}
