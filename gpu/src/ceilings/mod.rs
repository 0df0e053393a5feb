//! Upper limits of memory, of the link between host and GPU, and of launches: work without any
//! computation, to be timed by others.
//!
//! | module | holds |
//! |---|---|
//! | `streams` | copy and triad in the memory of the device |
//! | `link` | copies between host and device |

mod link;
mod streams;

use crate::kernels::ceilings_streams::{CEILING_NOTHING, CeilingNothing, TILE};
use crate::{DeviceBuffer, DeviceError, Gpu, Graph, LaunchConfig, PinnedBuffer};

pub use link::{Direction, HostMemory, LinkBuffers};
pub use streams::MemoryStreams;

/// Bytes of a pair of words.
const PAIR: usize = 16;

/// A grid with one block per tile; each pair is read from or written to `arrays` arrays.
fn grid(pairs: u32, arrays: u64) -> LaunchConfig {
    LaunchConfig::blocks(pairs.div_ceil(TILE)).with_traffic(arrays * u64::from(pairs) * PAIR as u64)
}

/// Error of a kernel with wrong results, whose time would be meaningless.
fn wrong(gpu: &Gpu, what: &'static str, problem: String) -> DeviceError {
    DeviceError::Failed { device: gpu.properties().device.clone(), what, problem }
}

/// Empty launches, and copies of a single word.
pub struct Launches {
    device: DeviceBuffer<u64>,
    host: PinnedBuffer<u64>,
}

impl Launches {
    /// # Errors
    /// If there is not enough memory for a word.
    pub fn new(gpu: &Gpu) -> Result<Self, DeviceError> {
        Ok(Launches { device: gpu.buffer(1)?, host: gpu.pinned(1)? })
    }

    /// Starts `count` kernels, one after the other.
    ///
    /// # Errors
    /// If they can't be started.
    pub fn start(&self, gpu: &Gpu, count: usize) -> Result<(), DeviceError> {
        start(gpu, count)
    }

    /// Records `count` kernels as a graph.
    ///
    /// # Errors
    /// If they can't be recorded.
    pub fn recorded(&self, gpu: &Gpu, count: usize) -> Result<Graph<'static>, DeviceError> {
        gpu.capture("nothing", move |gpu| start(gpu, count))
    }

    /// Starts the copy of a word to the device.
    ///
    /// # Errors
    /// If it can't be started.
    pub fn copy_word(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        gpu.upload(&self.device, &self.host)
    }
}

fn start(gpu: &Gpu, count: usize) -> Result<(), DeviceError> {
    for _ in 0..count {
        let nothing = CeilingNothing { nothing: 0 };
        // SAFETY: the kernel touches no memory.
        unsafe { gpu.launch(&CEILING_NOTHING, LaunchConfig::blocks(1), nothing) }?;
    }
    Ok(())
}
