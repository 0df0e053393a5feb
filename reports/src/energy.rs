//! Energy of a point: the meters that measured it, and which of them count.

use std::fmt;

/// Energy in joules, or power in watts, by what measured it; `None` where nothing did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EnergyParts {
    /// All processors, by their own counters.
    pub cpu: Option<f64>,
    /// The GPUs of the point, by their own counters.
    pub gpu: Option<f64>,
    /// Whatever the command of `--power-command` measures.
    pub command: Option<f64>,
}

/// Meters whose sum is the energy of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnergySource {
    /// Processors.
    Cpu,
    /// GPUs, on a machine whose processors can't be measured.
    Gpu,
    /// Processors and GPUs.
    CpuAndGpu,
    /// A command.
    Command,
}

impl fmt::Display for EnergySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            EnergySource::Cpu => "cpu",
            EnergySource::Gpu => "gpu",
            EnergySource::CpuAndGpu => "cpu+gpu",
            EnergySource::Command => "command",
        })
    }
}

/// Suffix of a source whose idle power was subtracted.
pub const MINUS_IDLE: &str = " minus idle";

impl EnergyParts {
    /// Energy that counts for a point on these devices, and its source: that of the command if
    /// there is one, else the sum of processors and GPUs. Points on GPUs have none if that of
    /// their GPUs is unknown.
    pub fn total(self, device: &str) -> Option<(f64, EnergySource)> {
        if let Some(joules) = self.command {
            return Some((joules, EnergySource::Command));
        }
        match (self.cpu, self.gpu) {
            (Some(cpu), Some(gpu)) => Some((cpu + gpu, EnergySource::CpuAndGpu)),
            (None, Some(gpu)) if device != "cpu" => Some((gpu, EnergySource::Gpu)),
            (Some(cpu), None) if device == "cpu" => Some((cpu, EnergySource::Cpu)),
            _ => None,
        }
    }

    /// Applies a function to each known value.
    #[must_use]
    pub fn map(self, f: impl Fn(f64) -> f64) -> Self {
        EnergyParts { cpu: self.cpu.map(&f), gpu: self.gpu.map(&f), command: self.command.map(&f) }
    }

    /// Subtracts the values of other parts; what is unknown there is unknown.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        let minus = |a: Option<f64>, b: Option<f64>| Some(a? - b?);
        EnergyParts {
            cpu: minus(self.cpu, other.cpu),
            gpu: minus(self.gpu, other.gpu),
            command: minus(self.command, other.command),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_has_the_energy_of_all_that_it_uses_or_none() {
        let of = |cpu, gpu, command, device: &str| {
            let total = EnergyParts { cpu, gpu, command }.total(device);
            total.map(|(joules, source)| (joules, source.to_string()))
        };
        let known = |joules: f64, source: &str| Some((joules, source.to_owned()));
        assert_eq!(of(Some(3.0), None, None, "cpu"), known(3.0, "cpu"));
        assert_eq!(of(Some(3.0), Some(4.0), None, "cuda:0"), known(7.0, "cpu+gpu"));
        assert_eq!(of(None, Some(4.0), None, "cuda:0"), known(4.0, "gpu"));
        assert_eq!(of(Some(3.0), None, None, "cuda:0"), None, "the GPU's is missing");
        assert_eq!(of(None, None, None, "cpu"), None);
        assert_eq!(of(Some(3.0), Some(4.0), Some(9.0), "cuda:0"), known(9.0, "command"));
    }

    #[test]
    fn differences_with_unknown_values_are_unknown() {
        let parts = EnergyParts { cpu: Some(5.0), gpu: Some(7.0), command: None };
        let idle = EnergyParts { cpu: Some(2.0), gpu: None, command: Some(1.0) };
        let left = EnergyParts { cpu: Some(3.0), gpu: None, command: None };
        assert_eq!(parts.minus(idle), left);
        assert_eq!(parts.map(|joules| 2.0 * joules).gpu, Some(14.0));
    }
}
