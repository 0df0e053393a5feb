//! The example in C.

use crate::plugin_session::testing::Compiled;
use crate::tpc_decode::{TpcDecode, hard_inputs};

#[test]
fn the_example_is_right_on_all_hard_inputs() {
    let Some(example) = Compiled::from_example(TpcDecode) else { return };
    example.assert_right(&["example-pages"], &hard_inputs::all(1));
}
