//! Finding noisy pads: the kernels of `algorithms/tpc/src/tpc_noisy_pads/cuda/`.
//!
//! | module | content |
//! |---|---|
//! | `cache_line`, `bit_runs` | one kernel each |
//! | `map` | charge maps, and the activity of a pad, also of bits of words |

mod bit_runs;
mod cache_line;
mod map;

use cubecl_core::CompilationError;
use cubecl_core::compute::KernelBuilder;
use cubecl_core::prelude::*;

use crate::cuda::{CudaKernel, compile, number, read, written};
use map::ThresholdsExpand;

/// Both kernels. Indices in maps have 64 bits, as in CUDA.
pub(crate) fn kernels() -> Result<[CudaKernel; 2], CompilationError> {
    let address = AddressType::U64;
    let cache_line = compile("noisy_pads_cache_line", cache_line::THREADS, address, |builder| {
        let maps = read(builder);
        let groups = read(builder);
        let activity = written(builder);
        let (group_count, tile_rows, thresholds) = numbers(builder);
        let scope = &mut builder.scope;
        cache_line::noisy_pads_cache_line::expand(
            scope,
            maps,
            groups,
            activity,
            group_count,
            tile_rows,
            thresholds,
        );
    });
    let bit_runs = compile("noisy_pads_bit_runs", bit_runs::THREADS, address, |builder| {
        let maps = read(builder);
        let groups = read(builder);
        let activity = written(builder);
        let (group_count, tile_rows, thresholds) = numbers(builder);
        let scope = &mut builder.scope;
        bit_runs::noisy_pads_bit_runs::expand(
            scope,
            maps,
            groups,
            activity,
            group_count,
            tile_rows,
            thresholds,
        );
    });
    Ok([cache_line?, bit_runs?])
}

/// The number of groups, the number of rows of tiles, and thresholds.
fn numbers(
    builder: &mut KernelBuilder,
) -> (NativeExpand<u32>, NativeExpand<u32>, ThresholdsExpand) {
    let group_count = number(builder);
    let tile_rows = number(builder);
    let charges = number(builder);
    let run = number(builder);
    let saturation = number(builder);
    (group_count, tile_rows, ThresholdsExpand { charges, run, saturation })
}
