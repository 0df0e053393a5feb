//! On the emulator: damage of all kinds is unpacked as by the reference, in microslices of a few
//! messages and of many.

use generators_sts::raw::Rules;
use portable_gpu::emulator::{self, Config, Lanes};

use super::VARIANTS;
use crate::sts_unpack::StsUnpack;
use crate::sts_unpack::tests::damaged_input;
use tasks::device::{Target, Team};

#[test]
fn damaged_microslices_are_unpacked_alike() {
    let team = Team::new(1).expect("a thread");
    let cases = [(Lanes::L32, 20_000, Rules::Current), (Lanes::L64, 250_000, Rules::Of2023)];
    for (lanes, microslice_ns, rules) in cases {
        let Some(gpu) = emulator::gpu_for_tests(Config { lanes, ..Config::default() }) else {
            return;
        };
        let input = damaged_input(1, microslice_ns, 1, rules);
        for variant in VARIANTS {
            let target = Target::emulated(gpu.clone(), &team);
            let checked =
                variant.checked_output(&StsUnpack, &input, &target, Some(input.expected()));
            assert!(checked.is_ok(), "{}: {:?}", variant.name, checked.err());
        }
    }
}
