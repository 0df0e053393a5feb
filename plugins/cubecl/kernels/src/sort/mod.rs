//! Sorting digis: the kernels of `algorithms/sts/src/sts_sort/cuda/block_merge.cu`.
//!
//! | module | content |
//! |---|---|
//! | `block_merge` | the kernel |
//! | `radix_rank` | ranks of digits in a chunk |
//! | `streams` | the fields of a digi, and digis between global and shared memory |

mod block_merge;
mod radix_rank;
mod streams;

use cubecl_core::CompilationError;
use cubecl_core::prelude::*;

use crate::cuda::{CudaKernel, compile, read, written};
use block_merge::{ArraysExpand, Blocks};

/// The sort with both kinds of blocks.
pub(crate) fn kernels() -> Result<[CudaKernel; 2], CompilationError> {
    let published = kernel("block_merge_sort", Blocks { threads: 512, items: 11 });
    let small = kernel("block_merge_sort_256_11", Blocks { threads: 256, items: 11 });
    Ok([published?, small?])
}

/// Digis are counted with 32 bits, as in CUDA.
fn kernel(name: &'static str, blocks: Blocks) -> Result<CudaKernel, CompilationError> {
    compile(name, blocks.threads, AddressType::U32, |builder| {
        let arrays = ArraysExpand { digis: written(builder), scratch: written(builder) };
        let offsets = read(builder);
        block_merge::block_merge_sort::expand(&mut builder.scope, arrays, offsets, blocks);
    })
}
