//! Kernels for the emulator: `kernels/histogram.cu`, which `examples/race.rs` runs, and those
//! that the emulator's tests run, right ones and some with one bug each.

include!(concat!(env!("OUT_DIR"), "/kernels.rs"));
