//! The points of the suite `gpu-portability` that are compared.

use std::path::Path;

use algorithms::device::Device;
use reports::portability::Pair;

use super::super::open_suite;
use super::super::suite::not_empty;
use super::{SUITE, pairs};
use crate::failure::Failure;
use crate::suite::Suite;

/// The part of the suite that is compared, on these devices. The suite does not know of plugins:
/// theirs are measured wherever it has the native variant.
pub(super) fn part(devices: &[Device], all: &[Pair]) -> Result<Suite, Failure> {
    let compared = pairs::on(devices, all.to_vec());
    let suite = open_suite(Path::new(SUITE), &[])?;
    let suite = suite.with_variants(|point| pairs::counterparts(&compared, point)).on(devices)?;
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
    #[test]
    fn what_a_plugin_brings_is_measured_next_to_its_native_variant() {
        // A variant that the suite does not have, as if a plugin had brought it.
        let mut all = pairs::of_tasks(&["sort".to_owned()]).expect("known");
        all.push(Pair {
            task: "sort",
            native: "block-merge-256x11",
            variant: "block-merge-512x7",
            backend: "cuda",
            written_as: "a layer",
            differs: "",
        });
        let devices = ["cuda:1", "cuda:1+again"].map(|name| name.parse().expect("a device"));
        let suite = part(&devices, &all).expect("points");
        let of = |variant: &str| {
            let points = suite.points().filter(|point| point.variant == variant);
            points.map(|point| (point.device.clone(), point.params.clone())).collect::<Vec<_>>()
        };
        let native = of("block-merge-256x11");
        let brought = of("block-merge-512x7");
        assert_eq!((native.len(), brought.len()), (4, 2), "once more only what is native");
        assert!(brought.iter().all(|point| native.contains(point)), "{brought:?}");
    }
}
