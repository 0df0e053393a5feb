//! The example in C, on the host and, as if it were for a GPU, on the emulator.

use super::*;
use crate::plugin_session::compiled::Compiled;
use crate::tpc_noisy_pads::hard_inputs;

#[test]
fn structs_are_those_of_the_header() {
    abi::tests::assert_in_header(&[], LAYOUTS);
}

#[test]
fn the_example_is_right_on_all_hard_inputs() {
    let Some(example) = Compiled::of_example(TpcNoisyPads) else { return };
    example.assert_right(&["example-rows"], &hard_inputs::all(1));
}
