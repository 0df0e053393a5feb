//! The ways to run a variant on a device.

use std::fmt;

use algorithms::device::emulator::{Config, Policy, Schedule};
use algorithms::device::gpu::DeviceError;
use algorithms::device::{Device, Target, Team};

use reports::units::counted;

use crate::failure::Failure;
use crate::platform::gpus::Gpus;
use crate::platform::usable_threads;
use crate::request::VerifyRequest;

/// A device with the threads that serve it, and the order of its turns.
pub(super) struct Way {
    pub(super) device: Device,
    team: Team,
    gpus: Gpus,
    emulator: Option<Config>,
}

/// All ways to run on a device that make a difference.
pub(super) fn of(device: Device, request: &VerifyRequest) -> Result<Vec<Way>, Failure> {
    match device {
        Device::Cpu => {
            thread_counts().into_iter().map(|threads| with_threads(device, threads)).collect()
        }
        Device::Cuda(_) => Ok(vec![with_threads(device, usable_threads())?]),
        Device::Emulator => {
            (0..request.schedules).map(|number| on_emulator(number, request)).collect()
        }
    }
}

impl Way {
    /// The threads that serve the device.
    pub(super) fn threads(&self) -> usize {
        self.team.threads()
    }

    /// A place to run.
    pub(super) fn place(&self) -> Result<Target<'_>, DeviceError> {
        self.gpus.place(self.device, &self.team)
    }
}

fn with_threads(device: Device, threads: usize) -> Result<Way, Failure> {
    Ok(Way { device, team: Team::new(threads)?, gpus: Gpus::default(), emulator: None })
}

fn on_emulator(number: u64, request: &VerifyRequest) -> Result<Way, Failure> {
    let policies = Policy::ALL.len() as u64;
    let config = Config {
        lanes: request.lanes,
        schedule: Schedule { seed: number, policy: Policy::ALL[(number % policies) as usize] },
        checked: request.races,
        workers: usable_threads(),
        ..Config::default()
    };
    Ok(Way {
        device: Device::Emulator,
        team: Team::new(1)?,
        gpus: Gpus::with_emulator(config),
        emulator: Some(config),
    })
}

/// One, two, three (an odd number cuts at unlike places), and all there are.
fn thread_counts() -> Vec<usize> {
    let mut counts = vec![1, 2, 3, usable_threads()];
    counts.sort_unstable();
    counts.dedup();
    counts
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.device, self.emulator) {
            (Device::Cpu, _) => f.write_str(&counted(self.team.threads(), "thread")),
            (device, None) => write!(f, "{device}"),
            (_, Some(config)) => {
                let (lanes, Schedule { seed, policy }) = (config.lanes.count(), config.schedule);
                let checked = if config.checked { ", checked" } else { "" };
                write!(f, "emulator, {lanes} lanes, {policy} {seed}{checked}")
            }
        }
    }
}
