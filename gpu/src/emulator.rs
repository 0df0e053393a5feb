//! The emulator as a GPU.

use std::sync::Arc;

pub use cuda_emulator::*;

use crate::{Gpu, emulated};

/// Returns the reason why this build can't emulate, if it can't.
pub fn unavailable() -> Option<&'static str> {
    emulated::unavailable()
}

/// The emulator as a GPU for tests; `None`, with a message, if this build has no emulator.
///
/// # Panics
/// If the emulator rejects `config`.
pub fn gpu_for_tests(config: Config) -> Option<Arc<Gpu>> {
    if let Some(reason) = unavailable() {
        eprintln!("skipped: {reason}");
        return None;
    }
    let gpu = Gpu::emulated(config).unwrap_or_else(|error| panic!("{error}"));
    Some(Arc::new(gpu))
}
