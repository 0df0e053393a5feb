//! A plugin in C, on the host and, as if it were for a GPU, on the emulator.

use generators::sts::SegmentedDigis;

use super::*;
use crate::device::{Arena, Device, Target, Team};
use crate::plugin::{Quarantine, quarantine};
use crate::plugin_session::testing::Compiled;
use crate::sts_sort::hard_inputs;

fn sorts() -> Option<Compiled<StsSort>> {
    Compiled::new(StsSort, "sts_sort/plugin/tests/sorts.c")
}

/// The emulator takes its time, and sizes make no difference here.
const MAX_DIGIS: usize = 12_000;

fn input() -> SegmentedDigis {
    let mut inputs = hard_inputs::all(1).into_iter();
    let together = inputs.find(|(name, _)| name == "segments of all sizes");
    together.expect("there is one").1
}

#[test]
fn whichever_buffers_a_variant_uses_it_is_right() {
    let Some(sorts) = sorts() else { return };
    let mut inputs = hard_inputs::all(1);
    inputs.retain(|(_, input)| input.digis().len() <= MAX_DIGIS);
    sorts.assert_right(&["separate", "output", "input", "place"], &inputs);
}

#[test]
fn errors_are_reported() {
    let Some(sorts) = sorts() else { return };
    let messages = [
        ("beyond", "it wrote beyond the end of its output"),
        ("scratch", "it wrote beyond the end of its scratch memory"),
        ("changed", "it changed its input, at position 0"),
        ("nowhere", "libsorts.so answered 7 in output"),
        ("stage", "libsorts.so called a stage \"total\""),
        ("refuses", "libsorts.so failed in run: out of luck"),
    ];
    sorts.assert_told(&input(), &messages);
}

#[test]
fn stages_on_the_host_have_times() {
    let Some(sorts) = sorts() else { return };
    sorts.assert_stages("cpu-separate", &input(), &["copy", "sort"]);
}

#[test]
fn reported_memory_is_that_of_the_arena() {
    let Some(sorts) = sorts() else { return };
    let input = input();
    let bytes = size_of_val(input.digis()) as u64;
    assert_eq!(sorts.buffer_bytes("cpu-separate", &input), 3 * bytes);
    assert_eq!(sorts.buffer_bytes("cpu-place", &input), 2 * bytes);
}

#[test]
fn quarantined_plugins_are_not_called() {
    let Some(sorts) = sorts() else { return };
    let variant = sorts.variant("cpu-output");
    let elsewhere = Device::Cuda(7);
    let problem = Quarantine::Failed("crashed in run".to_owned());
    quarantine(variant.task, variant.name, variant.plugin, elsewhere, problem);
    assert!(variant.quarantine_on(Device::Cpu).is_none());
    let team = Team::new(1).expect("a thread");
    let arena = Arena::default();
    let input = input();
    let target = Target { device: elsewhere, gpu: None, team: &team };
    let mut session = sorts.opened(variant, &input, &arena, &target);
    let result = session.reset().map_err(|error| error.to_string());
    assert_eq!(result, Err("libsorts.so crashed in run".to_owned()));
}
