//! Measuring the points of the suite `gpu-portability` that are compared.

use std::path::Path;

use algorithms::device::Device;
use reports::portability::Pair;
use reports::store::Run;

use super::super::suite::Planned;
use super::super::{open_suite, try_plugins};
use super::{SUITE, pairs};
use crate::failure::{Exit, Failure};
use crate::measure::{Assignment, Job, KernelTimes, Session, Start, default_folder};
use crate::platform::{Interrupt, process_start};
use crate::request::PortabilityRequest;
use crate::suite::Suite;

/// The run with what was measured, and what that led to.
pub(super) fn run(
    devices: &[Device],
    all: &[Pair],
    request: &PortabilityRequest,
) -> Result<(Run, Exit), Failure> {
    let Planned { requests, plans, part } =
        Planned::new(suite(devices, all)?, &request.command, &request.config)?;
    try_plugins(&plans, request.output.quiet)?;
    let out = request.output.out.clone();
    let assignment = Assignment {
        command: &request.command,
        jobs: Job::of(&requests, &plans),
        out: out.unwrap_or_else(|| default_folder("portability")),
        start: Start::New,
        suite: Some(part),
        started: process_start(),
        budget: Some(request.budget),
        ceilings: true,
        charts: None,
        kernels: KernelTimes::OfAll,
        slowdown: 0.0,
        quiet: request.output.quiet,
    };
    let outcome = Session::run(&assignment, &Interrupt::listen())?;
    Ok((Run::read(&outcome.folder)?, outcome.exit()))
}

/// The part of the suite that is compared, on these devices.
fn suite(devices: &[Device], all: &[Pair]) -> Result<Suite, Failure> {
    let compared = pairs::on(devices, all.to_vec());
    let suite = open_suite(Path::new(SUITE), &[])?.on(devices)?;
    let suite = suite.restricted(|point| pairs::want(&compared, point));
    if suite.parts.is_empty() {
        let nothing = "nothing was measured: nothing is written otherwise in CUDA of these tasks";
        return Err(Failure::NothingMeasured(nothing.to_owned()));
    }
    Ok(suite)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_on_the_devices_that_were_chosen() {
        let all = pairs::of_tasks(&["unpack".to_owned()]).expect("known");
        let devices = ["cuda:1", "cuda:1+again", "wgpu:3", "wgpu:3+checked"];
        let devices = devices.map(|name| name.parse().expect("a device"));
        let suite = suite(&devices, &all).expect("points");
        let of = |device: &str| suite.points().filter(|point| point.device == device).count();
        assert_eq!((of("wgpu:3"), of("wgpu:3+checked"), of("cuda:1+again")), (2, 2, 2));
        assert!(of("cuda:1") >= 2, "natives, and idioms");
        assert_eq!(of("cuda:0") + of("wgpu:0"), 0);
        assert!(suite.points().all(|point| point.algorithm == "unpack"));
    }
}
