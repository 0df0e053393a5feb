//! The example in C, on the host and, with the host acting as a GPU, on the emulator.

use super::*;
use crate::plugin_session::testing::Compiled;
use crate::tpc_noisy_pads::hard_inputs;

#[test]
fn structs_are_those_of_the_header() {
    abi::tests::assert_in_header(&[], LAYOUTS);
}

#[test]
fn the_example_is_right_on_all_hard_inputs() {
    let Some(example) = Compiled::from_example(TpcNoisyPads) else { return };
    example.assert_right(&["example-rows"], &hard_inputs::all(1));
}

#[test]
fn pads_of_rows_are_described_before_allocation() {
    let inputs = hard_inputs::all(1);
    let asked = PluginRequest { semantics: crate::algorithm::Semantics::Exact, by_time: false };
    let described = TpcNoisyPads.describe(&inputs[0].1, asked);
    // SAFETY: it is the struct of this task.
    let shown = unsafe { &*described.shown.as_ptr().cast::<NoisyPads>() };
    assert!(shown.pads_in_row.is_null());
    // SAFETY: the header specifies a number for each row in this array.
    let rows = unsafe { std::slice::from_raw_parts(shown.host_pads_in_row, shown.rows as usize) };
    let expected: Vec<u32> = (0..ROWS).map(|row| pads_in_row(row) as u32).collect();
    assert_eq!(rows, expected);
    assert_eq!(u64::from(rows.iter().sum::<u32>()), shown.pads);
}
