//! Gathering by plugins.
//!
//! | module | holds |
//! |---|---|
//! | `shape` | the input as plugins see it |
//! | `host`, `gpu` | a variant with its buffers, on the host and on a GPU |

mod gpu;
mod host;
mod shape;

use std::sync::Arc;

use generators::tpc::clusters::Clusters;

use super::TpcGather;
use crate::device::Arena;
use crate::device::gpu::Gpu;
use crate::plugin::{Functions, PluginTask, Ready};
use gpu::GatherOnGpu;
use host::GatherOnHost;

impl PluginTask for TpcGather {
    fn on_host<'a>(
        functions: Functions,
        input: &'a Clusters,
        arena: &'a Arena,
        workers: usize,
    ) -> Ready<'a, Self> {
        let gather = GatherOnHost::prepare(functions, input, arena, workers)?;
        Ok(Box::new(gather))
    }

    fn on_gpu<'a>(
        functions: Functions,
        input: &'a Clusters,
        workers: usize,
        gpu: &Arc<Gpu>,
        number: i32,
    ) -> Ready<'a, Self> {
        let gather = GatherOnGpu::prepare(functions, input, workers, gpu, number)?;
        Ok(Box::new(gather))
    }
}

/// What a plugin did to what it must leave alone.
fn changed(name: &str, before: &[u8], after: &[u8]) -> Option<String> {
    // Gigabytes: as a whole that is much quicker than byte by byte.
    if before == after {
        return None;
    }
    let mut pairs = before.iter().zip(after);
    let at = pairs.position(|(before, after)| before != after)?;
    Some(format!("it changed {name}, at byte {at}"))
}

#[cfg(test)]
mod tests;
