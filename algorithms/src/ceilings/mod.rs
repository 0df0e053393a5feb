//! Upper limits of memory, of the link between host and GPU, and of launches: work without any
//! computation, to be timed by others.
//!
//! | module | holds |
//! |---|---|
//! | `host` | copy, triad and stores in the memory of the host |
//! | `memory` | copy and triad in device memory |
//! | `link` | copies between host and device |
//! | `launches` | empty kernels |

mod host;
mod launches;
mod link;
mod memory;

use crate::device::gpu::{DeviceError, Gpu, LaunchConfig};
use crate::kernels::ceilings_streams::TILE;

pub use host::HostStreams;
pub use launches::Launches;
pub use link::{Direction, HostMemory, LinkBuffers};
pub use memory::MemoryStreams;

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
