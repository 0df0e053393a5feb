//! Sorts from plugins.
//!
//! | module | holds |
//! |---|---|
//! | `shape` | the input as plugins see it |
//! | `host`, `gpu` | a sort with its buffers, on the host and on a GPU |

mod gpu;
mod host;
mod shape;

use std::sync::Arc;

use generators::sts::SegmentedDigis;

use super::StsSort;
use crate::device::Arena;
use crate::device::gpu::Gpu;
use crate::plugin::{Functions, PluginTask, Ready};
use gpu::SortOnGpu;
use host::SortOnHost;

impl PluginTask for StsSort {
    fn on_host<'a>(
        functions: Functions,
        input: &'a SegmentedDigis,
        arena: &'a Arena,
        workers: usize,
    ) -> Ready<'a, Self> {
        let sort = SortOnHost::prepare(functions, input, arena, workers)?;
        Ok(Box::new(sort))
    }

    fn on_gpu<'a>(
        functions: Functions,
        input: &'a SegmentedDigis,
        workers: usize,
        gpu: &Arc<Gpu>,
        number: i32,
    ) -> Ready<'a, Self> {
        let sort = SortOnGpu::prepare(functions, input, workers, gpu, number)?;
        Ok(Box::new(sort))
    }
}

#[cfg(test)]
mod tests;
