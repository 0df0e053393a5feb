//! Counters of processors and GPUs, and a command, as they are read.

use std::path::Path;

use portable_gpu::monitor::Monitor;
use reports::record::{EnergyRecord, PowerCommandRecord};
use tasks::device::Device;

use super::on_request::PowerCommand;
use crate::platform::gpus;
use crate::platform::powercap::{self, Package, PowercapError};

/// Availability in records.
const AVAILABLE: &str = "available";
/// Rule of integration in records.
const INTEGRATION: &str = "trapezium";

/// Counters of processors and of the GPUs of a run, and a command.
pub(crate) struct EnergyCounters {
    pub(super) processors: Result<Vec<Package>, PowercapError>,
    gpus: Vec<(Device, Box<dyn Monitor>)>,
    pub(super) command: Option<PowerCommand>,
}

impl Default for EnergyCounters {
    fn default() -> Self {
        let processors = Err(PowercapError::NotOpened);
        EnergyCounters { processors, gpus: Vec::new(), command: None }
    }
}

impl EnergyCounters {
    /// Opens the counters of the processors and of these devices.
    pub(super) fn open(command: Option<String>, devices: impl IntoIterator<Item = Device>) -> Self {
        let mut all: Vec<Device> = Vec::new();
        for device in devices {
            if device != Device::Cpu && !all.contains(&device) {
                all.push(device);
            }
        }
        let gpus = all.into_iter().filter_map(|device| Some((device, gpus::monitor(device)?)));
        Self::new(&powercap::folder(), gpus.collect(), command)
    }

    /// Counters below a folder, and of GPUs with these monitors.
    pub(super) fn new(
        powercap: &Path,
        gpus: Vec<(Device, Box<dyn Monitor>)>,
        command: Option<String>,
    ) -> Self {
        let command = command.map(PowerCommand::new);
        EnergyCounters { processors: powercap::packages(powercap), gpus, command }
    }

    /// GPUs with monitors.
    pub(super) fn devices(&self) -> impl Iterator<Item = Device> {
        self.gpus.iter().map(|(device, _)| *device)
    }

    /// Energy of each processor so far, in joules.
    pub(super) fn processors_j(&self) -> Option<Vec<f64>> {
        let packages = self.processors.as_ref().ok()?;
        packages.iter().map(|package| package.joules().ok()).collect()
    }

    /// Joules of all processors between two values of their counters.
    pub(super) fn processors_between(&self, then: &[f64], now: &[f64]) -> f64 {
        let packages = self.processors.as_ref().map_or(&[][..], Vec::as_slice);
        let pairs = packages.iter().zip(then.iter().zip(now));
        pairs.map(|(package, (then, now))| package.joules_between(*then, *now)).sum()
    }

    /// Energy of these GPUs so far, in joules; `None` without any, or if one is unknown.
    pub(super) fn gpus_j(&self, devices: &[Device]) -> Option<f64> {
        let gpus: Vec<&Device> = devices.iter().filter(|device| **device != Device::Cpu).collect();
        let of = |device: &&Device| {
            let (_, monitor) = self.gpus.iter().find(|(known, _)| known == *device)?;
            monitor.energy_j().ok()
        };
        gpus.iter().map(of).sum::<Option<f64>>().filter(|_| !gpus.is_empty())
    }

    /// Description in the record of a run.
    pub(super) fn record(&self) -> EnergyRecord {
        let state = |problem: Option<String>| match problem {
            None => AVAILABLE.to_owned(),
            Some(problem) => format!("not {AVAILABLE}: {problem}"),
        };
        let gpus = self.gpus.iter();
        EnergyRecord {
            processors: state(self.processors.as_ref().err().map(ToString::to_string)),
            gpus: gpus
                .map(|(device, monitor)| (device.to_string(), state(monitor.energy_j().err())))
                .collect(),
            command: self.command.as_ref().map(|command| PowerCommandRecord {
                command: command.command.clone(),
                integration: INTEGRATION.to_owned(),
                state: state(command.problem().map(|problem| problem.to_string())),
            }),
            idle: None,
        }
    }
}
