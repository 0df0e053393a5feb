//! A plugin in C, on the host and, with the host acting as a GPU, on the emulator.

use super::*;
use crate::plugin_session::testing::Compiled;
use crate::tpc_gather::hard_inputs;

fn gathers() -> Option<Compiled<TpcGather>> {
    Compiled::new(TpcGather, "tpc_gather/plugin/tests/gathers.c")
}

/// An input with pieces of all lengths at all distances.
fn input() -> Clusters {
    let mut inputs = hard_inputs::all(1).into_iter();
    let found = inputs.find(|(name, _)| name == "all alignments");
    found.expect("there is one").1
}

#[test]
fn correct_plugin_passes_all_hard_inputs() {
    let Some(gathers) = gathers() else { return };
    gathers.assert_right(&["right", "cuda-tohost"], &hard_inputs::all(1));
}

/// The code of these variants, with the host acting as a GPU: see `host_cuda/`.
#[test]
fn the_variants_of_libraries_are_right_on_all_hard_inputs() {
    let source = "tpc_gather/plugin/tests/host_cuda/libraries.cpp";
    let Some(libraries) = Compiled::new(TpcGather, source) else {
        return;
    };
    libraries.assert_right(&["cub-memcpy-batched", "cuda-memcpy-batch"], &hard_inputs::all(1));
}

#[test]
fn errors_are_reported() {
    let Some(gathers) = gathers() else { return };
    let nothing = "row_n_clusters, entry 0: [a5, a5, a5, a5] instead of";
    let expected = [
        ("scratch", "it wrote beyond the end of its scratch memory"),
        ("source", "it changed its source, at byte 0"),
        ("starts", "it changed the starts"),
        ("arrays", "it changed the starts or the arrays"),
        ("nothing", nothing),
        ("swapped", "attached_q_tot, entry "),
        ("shifted", "row_diff, entry 0: "),
        ("last", "unattached_sigma_time, entry "),
        ("stage", "libgathers.so called a stage \"total\""),
        ("refuses", "libgathers.so failed in run: out of luck"),
        ("cpu-before", "it wrote before the beginning of its output"),
        ("cuda-beyond", "it wrote beyond the end of its output"),
        ("cuda-hostbeyond", "it wrote beyond the end of its output"),
    ];
    gathers.assert_told(&input(), &expected);
}

#[test]
fn stages_on_the_host_have_times() {
    let Some(gathers) = gathers() else { return };
    gathers.assert_stages("cpu-right", &input(), &["places", "copy"]);
}

#[test]
fn memory_matches_the_provided_buffers() {
    let Some(gathers) = gathers() else { return };
    let input = input();
    let pieces = input.tracks().len() + input.rows().len();
    let buffers = input.bytes().len() + Layout::new(&input.packed()).bytes() + 4 * pieces;
    // Scratch memory of the plugin: the offsets of pieces, and the ends.
    let scratch = 4 * (pieces + 2);
    let expected = (buffers + scratch) as u64;
    assert_eq!(gathers.buffer_bytes("cpu-right", &input), expected);
}
