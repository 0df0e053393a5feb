//! Example 7: A launch in three dimensions: transposing some matrices.
//!
//! `cargo run -p portable-gpu-examples --bin 07-transpose -- cuda:0`

use std::error::Error;

use kernels::transpose::{TILE, TRANSPOSE_MATRICES, TransposeMatrices};
use portable_gpu::{Gpu, LaunchConfig};

#[allow(dead_code, reason = "kernels of other examples")]
mod kernels {
    portable_gpu::include_kernels!();
}

const COLUMNS: u32 = 50;
const ROWS: u32 = 70;
const MATRICES: u32 = 3;

fn main() -> Result<(), Box<dyn Error>> {
    let device = std::env::args().nth(1).unwrap_or_else(|| "emulator".to_owned());
    let gpu = Gpu::open(&device)?;
    let words = (COLUMNS * ROWS * MATRICES) as usize;
    let matrices: Vec<u32> = (0..words as u32).collect();
    let matrices_there = gpu.table(&matrices)?;
    let transposed = gpu.buffer::<u32>(words)?;

    let grid = LaunchConfig::grid(COLUMNS.div_ceil(TILE), ROWS.div_ceil(TILE), MATRICES);
    let arguments = TransposeMatrices {
        matrices: matrices_there.ptr(),
        transposed: transposed.ptr(),
        columns: COLUMNS,
        rows: ROWS,
    };
    // SAFETY: both buffers have all matrices.
    unsafe { gpu.launch(&TRANSPOSE_MATRICES, grid.with_block(TILE, TILE, 1), arguments) }?;

    let found = gpu.read_back(&transposed, 0..words)?;
    let mut expected = Vec::new();
    for matrix in matrices.chunks((COLUMNS * ROWS) as usize) {
        for column in 0..COLUMNS as usize {
            expected.extend(matrix.iter().skip(column).step_by(COLUMNS as usize));
        }
    }
    if found != expected {
        return Err("a matrix is wrong".into());
    }
    println!("{device}: {MATRICES} matrices are right");
    Ok(())
}
