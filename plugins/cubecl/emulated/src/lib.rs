//! What CubeCL makes of its kernels, run on the emulator: see the tests.

include!(concat!(env!("OUT_DIR"), "/kernels.rs"));
