//! Kernels for the emulator: `kernels/histogram.cu`, which `examples/race.rs` runs, and those of
//! the emulator's tests, correct ones and some with one bug each.

include!(concat!(env!("OUT_DIR"), "/kernels.rs"));
