//! The emulator with the kernels of this crate.

pub use cuda_emulator::*;

include!(concat!(env!("OUT_DIR"), "/kernels.rs"));

/// Why this build can't emulate, if it can't.
pub fn unavailable() -> Option<&'static str> {
    KERNELS.unavailable()
}
