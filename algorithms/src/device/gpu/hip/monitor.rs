//! HIP has no counterpart of NVIDIA's management library.

use crate::device::gpu::monitor::{Limit, Monitor};

/// Who watches a GPU by AMD: nobody, with the reason.
pub fn monitor() -> impl Monitor {
    Unwatched
}

struct Unwatched;

fn untold<T>() -> Result<T, String> {
    Err("HIP does not tell; `amd-smi` does, beside the run".to_owned())
}

impl Monitor for Unwatched {
    fn clock_mhz(&self) -> Result<u32, String> {
        untold()
    }

    fn most_clock_mhz(&self) -> Result<u32, String> {
        untold()
    }

    fn limits(&self) -> Result<Vec<Limit>, String> {
        untold()
    }

    fn energy_j(&self) -> Result<f64, String> {
        untold()
    }
}
