//! The points of the suite `gpu-portability` that are compared.

use std::path::Path;

use algorithms::device::Device;
use reports::portability::Pair;

use super::super::open_suite;
use super::super::suite::not_empty;
use super::{SUITE, pairs};
use crate::failure::Failure;
use crate::suite::Suite;

/// The part of the suite that is compared, on these devices.
pub(super) fn part(devices: &[Device], all: &[Pair]) -> Result<Suite, Failure> {
    let compared = pairs::on(devices, all.to_vec());
    let suite = open_suite(Path::new(SUITE), &[])?.on(devices)?;
    let suite = suite.restricted(|point| pairs::want(&compared, point));
    not_empty(suite, "nothing is written otherwise in CUDA of these tasks")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_on_the_devices_that_were_chosen() {
        let all = pairs::of_tasks(&["unpack".to_owned()]).expect("known");
        let devices = ["cuda:1", "cuda:1+again", "wgpu:3", "wgpu:3+checked"];
        let devices = devices.map(|name| name.parse().expect("a device"));
        let suite = part(&devices, &all).expect("points");
        let of = |device: &str| suite.points().filter(|point| point.device == device).count();
        assert_eq!((of("wgpu:3"), of("wgpu:3+checked"), of("cuda:1+again")), (2, 2, 2));
        assert!(of("cuda:1") >= 2, "natives, and idioms");
        assert_eq!(of("cuda:0") + of("wgpu:0"), 0);
        assert!(suite.points().all(|point| point.algorithm == "unpack"));
    }
}
