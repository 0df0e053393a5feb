//! HIP has no counterpart of NVIDIA's management library.

use crate::device::gpu::monitor::{Limit, Monitor};

/// Monitor of an AMD GPU: all values are unavailable, with the reason.
pub fn monitor() -> impl Monitor {
    Unwatched
}

struct Unwatched;

fn unavailable<T>() -> Result<T, String> {
    Err("unavailable with HIP; run `amd-smi` during the measurement".to_owned())
}

impl Monitor for Unwatched {
    fn clock_mhz(&self) -> Result<u32, String> {
        unavailable()
    }

    fn max_clock_mhz(&self) -> Result<u32, String> {
        unavailable()
    }

    fn limits(&self) -> Result<Vec<Limit>, String> {
        unavailable()
    }

    fn energy_j(&self) -> Result<f64, String> {
        unavailable()
    }
}
