//! A plugin in C, on the host and, as if it were for a GPU, on the emulator.

use super::*;
use crate::device::{Arena, Backend, Target, Team};
use crate::plugin::LoadedVariant;
use crate::plugin::compiled::{self, named, on_host, opened};
use crate::tpc_gather::hard_inputs;

fn gathers() -> Option<Vec<&'static LoadedVariant>> {
    compiled::variants("tpc_gather/plugin/tests/gathers.c", "gather")
}

fn run(variant: &'static LoadedVariant, input: &Clusters) -> Option<compiled::Outcome> {
    compiled::run(TpcGather, variant, input)
}

/// An input with pieces of all lengths at all distances.
fn input() -> Clusters {
    let mut inputs = hard_inputs::all(1).into_iter();
    let found = inputs.find(|(name, _)| name == "all alignments");
    found.expect("there is one").1
}

#[test]
fn who_is_right_is_right_on_all_hard_inputs() {
    let Some(gathers) = gathers() else { return };
    let to_host = gathers.iter().find(|variant| variant.name == "cuda-tohost");
    let mut right = named(&gathers, "-right");
    right.push(to_host.expect("there"));
    for variant in right {
        for (name, input) in hard_inputs::all(1) {
            if let Some(outcome) = run(variant, &input) {
                assert!(outcome.is_ok(), "{} on {name}: {outcome:?}", variant.name);
            }
        }
    }
}

/// Their own code, with the host for a GPU: see `host_cuda/`.
#[test]
fn the_variants_of_libraries_are_right_on_all_hard_inputs() {
    let source = "tpc_gather/plugin/tests/host_cuda/libraries.cpp";
    let Some(libraries) = compiled::variants(source, "gather") else {
        return;
    };
    for name in ["cub-memcpy-batched", "cuda-memcpy-batch"] {
        let variant = libraries.iter().find(|variant| variant.name == name);
        for (input_name, input) in hard_inputs::all(1) {
            if let Some(outcome) = run(variant.expect("there"), &input) {
                assert!(outcome.is_ok(), "{name} on {input_name}: {outcome:?}");
            }
        }
    }
}

#[test]
fn what_goes_wrong_is_told() {
    let Some(gathers) = gathers() else { return };
    for (name, expected) in [
        ("-scratch", "it wrote beyond the end of its scratch memory"),
        ("-source", "it changed its source, at byte 0"),
        ("-starts", "it changed the starts"),
        ("-arrays", "it changed the starts or the arrays"),
        (
            "-nothing",
            "row_n_clusters, entry 0: [a5, a5, a5, a5] instead of",
        ),
        ("-swapped", "attached_q_tot, entry "),
        ("-shifted", "row_diff, entry 0: "),
        ("-last", "unattached_sigma_time, entry "),
        ("-stage", "libgathers.so called a stage \"total\""),
        ("-refuses", "libgathers.so failed in run: out of luck"),
    ] {
        for variant in named(&gathers, name) {
            if let Some(outcome) = run(variant, &input()) {
                let problem = outcome.expect_err(variant.name);
                assert!(problem.starts_with(expected), "{}: {problem}", variant.name);
            }
        }
    }
}

#[test]
fn whoever_leaves_the_output_is_told() {
    let Some(gathers) = gathers() else { return };
    for (name, expected) in [
        ("cpu-before", "it wrote before the beginning of its output"),
        ("cuda-beyond", "it wrote beyond the end of its output"),
        ("cuda-hostbeyond", "it wrote beyond the end of its output"),
    ] {
        let variant = gathers.iter().find(|variant| variant.name == name);
        if let Some(outcome) = run(variant.expect("there"), &input()) {
            assert_eq!(outcome, Err(expected.to_owned()), "{name}");
        }
    }
}

#[test]
fn stages_on_the_host_have_times() {
    let Some(gathers) = gathers() else { return };
    let mut right = named(&gathers, "-right").into_iter();
    let variant = right.find(|variant| variant.backend == Backend::Cpu);
    let stages = on_host(TpcGather, variant.expect("one of them"), &input()).expect("right");
    let names: Vec<_> = stages.iter().map(|stage| stage.name.as_ref()).collect();
    assert_eq!(names, ["places", "copy"]);
    assert!(stages.iter().all(|stage| stage.seconds > 0.0));
}

#[test]
fn memory_is_what_is_lent() {
    use generators::tpc::clusters::Layout;

    let Some(gathers) = gathers() else { return };
    let (team, arena, input) = (Team::new(1).expect("a thread"), Arena::default(), input());
    let variant = gathers.iter().find(|variant| variant.name == "cpu-right");
    let variant = *variant.expect("there");
    let target = Target::host(&team);
    let session = opened(&TpcGather, variant, (&input, &arena), &target);
    let pieces = input.tracks().len() + input.rows().len();
    let buffers = input.bytes().len() + Layout::new(&input.packed()).bytes() + 4 * pieces;
    // The plugin keeps the places of pieces, and the ends.
    let scratch = 4 * (pieces + 2);
    assert_eq!(session.buffer_bytes(), (buffers + scratch) as u64);
}
