//! Configurations of variants on a device.

use std::fmt;

use portable_gpu::DeviceError;
use portable_gpu::emulator::{Config, Policy, Schedule};
use tasks::device::{Device, Target, Team};
use tasks::task::VariantInfo;

use reports::units::counted;

use crate::failure::Failure;
use crate::platform::gpus::Gpus;
use crate::platform::usable_threads;
use crate::request::VerifyRequest;

/// Shape of nested teams: two threads with a team of three each.
const NESTED: [usize; 2] = [2, 3];

/// Device with its host threads, and the schedule of the emulator.
pub(super) struct ExecConfig {
    pub(super) device: Device,
    team: Team,
    gpus: Gpus,
    emulator: Option<Config>,
}

/// Returns all distinct configurations on a device.
pub(super) fn for_device(
    device: Device,
    request: &VerifyRequest,
) -> Result<Vec<ExecConfig>, Failure> {
    match device {
        Device::Cpu => {
            let teams = thread_counts().into_iter().map(Team::new);
            let nested = std::iter::once_with(|| Team::nested(NESTED[0], NESTED[1], |_| Ok(())));
            teams.chain(nested).map(|team| Ok(with_team(device, team?))).collect()
        }
        Device::Emulator => {
            (0..request.schedules).map(|index| on_emulator(index, request)).collect()
        }
        gpu => Ok(vec![with_team(gpu, Team::new(usable_threads())?)]),
    }
}

impl ExecConfig {
    /// The threads that serve the device.
    pub(super) fn threads(&self) -> usize {
        self.team.threads()
    }

    /// Returns true if a variant supports the configuration: nested teams need a nested variant.
    pub(super) fn is_for(&self, info: &VariantInfo) -> bool {
        info.backend == self.device.backend()
            && (self.team.inner().is_none() || info.nested.is_some())
    }

    /// Returns the target to run on.
    pub(super) fn target(&self) -> Result<Target<'_>, DeviceError> {
        self.gpus.target(self.device, &self.team)
    }
}

fn with_team(device: Device, team: Team) -> ExecConfig {
    ExecConfig { device, team, gpus: Gpus::default(), emulator: None }
}

fn on_emulator(index: u64, request: &VerifyRequest) -> Result<ExecConfig, Failure> {
    let policies = Policy::ALL.len() as u64;
    let config = Config {
        lanes: request.lanes,
        schedule: Schedule { seed: index, policy: Policy::ALL[(index % policies) as usize] },
        checked: request.races,
        workers: usable_threads(),
        ..Config::default()
    };
    Ok(ExecConfig {
        device: Device::Emulator,
        team: Team::new(1)?,
        gpus: Gpus::with_emulator(config),
        emulator: Some(config),
    })
}

/// Returns 1, 2, 3 (an odd count splits at other indices), and all CPUs.
fn thread_counts() -> Vec<usize> {
    let mut counts = vec![1, 2, 3, usable_threads()];
    counts.sort_unstable();
    counts.dedup();
    counts
}

impl fmt::Display for ExecConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.device, self.emulator) {
            (Device::Cpu, _) if self.team.inner().is_some() => {
                let [outer, inner] = NESTED;
                write!(f, "{outer}x{inner} threads")
            }
            (Device::Cpu, _) => f.write_str(&counted(self.team.threads(), "thread")),
            (device, None) => write!(f, "{device}"),
            (_, Some(config)) => {
                let lanes = config.lanes.count();
                let Schedule { seed, policy } = config.schedule;
                let checked = if config.checked { ", checked" } else { "" };
                write!(f, "emulator, {lanes} lanes, {policy} {seed}{checked}")
            }
        }
    }
}
