//! The example in C, on the host and, with the host acting as a GPU, on the emulator.

use super::*;
use crate::plugin_session::testing::Compiled;
use crate::tpc_merge::hard_inputs;

#[test]
fn structs_are_those_of_the_header() {
    abi::tests::assert_in_header(&[], LAYOUTS);
}

#[test]
fn the_example_is_right_on_all_hard_inputs() {
    let Some(example) = Compiled::from_example(TpcMerge) else { return };
    example.assert_right(&["example-sequential"], &hard_inputs::all(1));
}

#[test]
fn memory_matches_the_provided_buffers() {
    let Some(example) = Compiled::from_example(TpcMerge) else { return };
    let (_, input) = hard_inputs::all(1).swap_remove(0);
    // Kinematics, relations and links; the result is stored in the relations.
    let expected = (16 + 16 + 4) * input.len() as u64;
    assert_eq!(example.buffer_bytes("cpu-example-sequential", &input), expected);
}
