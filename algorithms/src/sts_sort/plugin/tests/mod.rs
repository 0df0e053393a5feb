//! A plugin in C, on the host and, as if it were for a GPU, on the emulator.

use generators::sts::SegmentedDigis;

use super::*;
use crate::device::{Arena, Backend, Device, Target, Team};
use crate::plugin::compiled::{self, named, on_host, opened};
use crate::plugin::{Condemnation, LoadedVariant, condemn};
use crate::sts_sort::hard_inputs;

fn sorts() -> Option<Vec<&'static LoadedVariant>> {
    compiled::variants("sts_sort/plugin/tests/sorts.c", "sort")
}

fn run(variant: &'static LoadedVariant, input: &SegmentedDigis) -> Option<compiled::Outcome> {
    compiled::run(StsSort, variant, input)
}

/// The emulator takes its time, and sizes make no difference here.
const MOST_DIGIS: usize = 12_000;

fn input() -> SegmentedDigis {
    let inputs = hard_inputs::all(1);
    let together = inputs
        .into_iter()
        .find(|(name, _)| name == "segments of all sizes");
    together.expect("there is one").1
}

#[test]
fn whichever_buffers_a_variant_uses_it_is_right() {
    let Some(sorts) = sorts() else { return };
    for name in ["-separate", "-output", "-input", "-place"] {
        for variant in named(&sorts, name) {
            let small = |(_, input): &(String, SegmentedDigis)| input.digis().len() <= MOST_DIGIS;
            for (input_name, input) in hard_inputs::all(1).into_iter().filter(small) {
                if let Some(outcome) = run(variant, &input) {
                    assert!(
                        outcome.is_ok(),
                        "{} on {input_name}: {outcome:?}",
                        variant.name
                    );
                }
            }
        }
    }
}

#[test]
fn what_goes_wrong_is_told() {
    let Some(sorts) = sorts() else { return };
    for (name, expected) in [
        ("-beyond", "it wrote beyond the end of its output"),
        ("-scratch", "it wrote beyond the end of its scratch memory"),
        ("-changed", "it changed its input, at position 0"),
        ("-nowhere", "libsorts.so answered 7 in output"),
        ("-stage", "libsorts.so called a stage \"total\""),
        ("-refuses", "libsorts.so failed in run: out of luck"),
    ] {
        for variant in named(&sorts, name) {
            if let Some(outcome) = run(variant, &input()) {
                let problem = outcome.expect_err(variant.name);
                assert!(problem.starts_with(expected), "{}: {problem}", variant.name);
            }
        }
    }
}

#[test]
fn stages_on_the_host_have_times() {
    let Some(sorts) = sorts() else { return };
    let variant = named(&sorts, "-separate")
        .into_iter()
        .find(|variant| variant.backend == Backend::Cpu);
    let stages = on_host(StsSort, variant.expect("one of them"), &input()).expect("right");
    let names: Vec<_> = stages
        .iter()
        .map(|stage| (stage.name.as_ref(), stage.calls))
        .collect();
    assert_eq!(names, [("copy", 1), ("sort", 1)]);
    assert!(stages.iter().all(|stage| stage.seconds > 0.0));
}

#[test]
fn memory_is_what_is_lent() {
    let Some(sorts) = sorts() else { return };
    let (team, arena, input) = (Team::new(1).expect("a thread"), Arena::default(), input());
    let bytes = size_of_val(input.digis()) as u64;
    for (name, arrays) in [("cpu-separate", 3), ("cpu-place", 2)] {
        let variant = sorts.iter().find(|variant| variant.name == name);
        let variant = *variant.expect("there");
        let target = Target::host(&team);
        let session = opened(&StsSort, variant, (&input, &arena), &target);
        assert_eq!(session.buffer_bytes(), arrays * bytes, "{name}");
    }
}

#[test]
fn whoever_is_condemned_is_not_called() {
    let Some(sorts) = sorts() else { return };
    let variant = named(&sorts, "-output")[0];
    let elsewhere = Device::Cuda(7);
    let problem = Condemnation::Failed("crashed in run".to_owned());
    let name = (variant.task, variant.name);
    condemn(name, variant.plugin, elsewhere, problem);
    assert!(variant.condemned_on(Device::Cpu).is_none());
    let (team, arena, input) = (Team::new(1).expect("a thread"), Arena::default(), input());
    let target = Target {
        device: elsewhere,
        gpu: None,
        team: &team,
    };
    let mut session = opened(&StsSort, variant, (&input, &arena), &target);
    let told = session.reset().map_err(|error| error.to_string());
    assert_eq!(told, Err("libsorts.so crashed in run".to_owned()));
}
