//! Notes of the published variants on events that exceed the experiment's capacities.

use algorithms_lhcb::velo::{Stage, VeloInput, VeloTask};
use portable_gpu::emulator::{self, Config};
use tasks::algorithm::{Algorithm, VariantContext};
use tasks::device::{Arena, Target, Team};

use crate::expected::load;
use crate::variants::{FILES, inputs};

/// Remarks of the variant `published` after a run that is right.
fn remarks(input: &VeloInput, target: &Target<'_>) -> Vec<String> {
    let task = VeloTask { stage: Stage::Chain };
    let is_published = |variant: &&tasks::algorithm::Variant<VeloTask>| {
        variant.name == "published" && variant.backend == target.device.backend()
    };
    let variants = task.variants();
    let variant = *variants.iter().find(is_published).expect("a published variant");
    let arena = Arena::default();
    let context =
        VariantContext { task: &task, variant, input, answers: None, arena: &arena, target };
    let mut session = (variant.prepare)(&context).expect("prepared");
    session.reset().expect("buffers");
    target.team.run(|| session.run()).expect("run");
    session.check().expect("right");
    session.remarks()
}

/// Number of events in the remark.
fn exceeding(input: &VeloInput, target: &Target<'_>) -> usize {
    let remarks = remarks(input, target);
    let number =
        |remark: &String| remark.split(' ').next().expect("words").parse().expect("a number");
    remarks.first().map_or(0, number)
}

#[test]
fn cases_that_needed_larger_buffers_are_noted() {
    let team = Team::new(1).expect("a thread");
    let gpu = emulator::gpu_for_tests(Config::default());
    for file in FILES {
        let Some((_, cases)) = load(file) else { return };
        let expected = cases.iter().filter(|case| case.exceeds_capacity).count();
        let input = inputs(file, Stage::Chain, 1).expect("events");
        assert_eq!(exceeding(&input, &Target::host(&team)), expected, "{file}");
        if let Some(gpu) = &gpu {
            let emulated = Target::emulated(gpu.clone(), &team);
            assert_eq!(exceeding(&input, &emulated), expected, "{file} on a GPU");
        }
    }
}

#[test]
fn both_variants_note_the_same_events_of_larger_slices() {
    let Some(gpu) = emulator::gpu_for_tests(Config::default()) else { return };
    let team = Team::new(1).expect("a thread");
    for (file, batch) in
        [("tiny-sp.cases.gz", 7), ("tiny-retina.cases.gz", 30), ("ties.cases.gz", 9)]
    {
        let Some(input) = inputs(file, Stage::Chain, batch) else { return };
        let host = remarks(&input, &Target::host(&team));
        assert_eq!(remarks(&input, &Target::emulated(gpu.clone(), &team)), host, "{file}");
    }
}

#[test]
fn a_search_with_longer_lists_has_no_races() {
    let config = Config { checked: true, ..Config::default() };
    let Some(gpu) = emulator::gpu_for_tests(config) else { return };
    let team = Team::new(1).expect("a thread");
    let Some((_, cases)) = load("tiny-sp.cases.gz") else { return };
    let exceeding = |index: &usize| cases[*index].exceeds_capacity;
    let all = inputs("tiny-sp.cases.gz", Stage::Chain, 1).expect("events");
    let input = all.selected((0..cases.len()).filter(exceeding));
    let events = input.events.len();
    assert!(events > 0);
    assert_eq!(self::exceeding(&input, &Target::emulated(gpu, &team)), events);
}
