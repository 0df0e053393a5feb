//! The code that CubeCL generates for its kernels, run on the emulator: see the tests.

include!(concat!(env!("OUT_DIR"), "/kernels.rs"));
