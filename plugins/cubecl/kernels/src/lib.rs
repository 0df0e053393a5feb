//! Kernels in CubeCL that follow CUDA kernels of recobench step by step.

#![allow(clippy::manual_div_ceil, reason = "as in CUDA, step by step")]

mod cuda;
mod noisy_pads;
mod sort;

pub use cubecl_core::CompilationError;
pub use cuda::CudaKernel;

/// Lanes of a warp: 32, because the target is CUDA.
const LANES: u32 = 32;

/// All kernels, compiled by CubeCL to CUDA C++.
///
/// # Errors
/// If CubeCL finds something wrong with one.
pub fn kernels() -> Result<Vec<CudaKernel>, CompilationError> {
    let [cache_line, bit_runs] = noisy_pads::kernels()?;
    let [sort, small] = sort::kernels()?;
    Ok(vec![cache_line, bit_runs, sort, small])
}
