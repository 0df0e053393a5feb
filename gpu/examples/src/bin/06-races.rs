//! Example 6: The race checker: a kernel that lacks a barrier, which many runs on a GPU don't show, and the
//! same kernel with it.
//!
//! `cargo run -p portable-gpu-examples --bin 06-races`; on another device, the right kernel alone.

use std::error::Error;

use kernels::neighbours::{NEIGHBOUR_SUMS, NEIGHBOUR_SUMS_RACY, NeighbourSums, ROUNDS, THREADS};
use portable_gpu::emulator::Config;
use portable_gpu::{DeviceError, Gpu, Kernel, LaunchConfig};

#[allow(dead_code, reason = "kernels of other examples")]
mod kernels {
    portable_gpu::include_kernels!();
}

const BLOCKS: u32 = 4;

fn main() -> Result<(), Box<dyn Error>> {
    let device = std::env::args().nth(1).unwrap_or_else(|| "emulator".to_owned());
    let is_emulator = device.starts_with("emulator");
    let open = || {
        if is_emulator {
            return Gpu::emulated(Config { checked: true, ..Config::default() });
        }
        Gpu::open(&device)
    };
    if sums(&open()?, &NEIGHBOUR_SUMS)? != expected() {
        return Err("a sum is wrong".into());
    }
    println!("{device}: with a barrier, the sums are right");
    if is_emulator {
        match sums(&open()?, &NEIGHBOUR_SUMS_RACY) {
            Err(race @ DeviceError::Kernel { .. }) => println!("without it: {race}"),
            other => return Err(format!("the race was not found: {other:?}").into()),
        }
    }
    Ok(())
}

/// Runs a kernel on the numbers from 0 on.
fn sums(gpu: &Gpu, kernel: &Kernel<NeighbourSums>) -> Result<Vec<u32>, DeviceError> {
    let values: Vec<u32> = (0..BLOCKS * THREADS).collect();
    let there = gpu.table(&values)?;
    let arguments = NeighbourSums { values: there.ptr() };
    // SAFETY: the buffer has a value for each thread.
    unsafe { gpu.launch(kernel, LaunchConfig::blocks(BLOCKS), arguments) }?;
    gpu.read_back(&there, 0..values.len())
}

/// The sums as the host computes them.
fn expected() -> Vec<u32> {
    let threads = THREADS as usize;
    let mut values: Vec<u32> = (0..BLOCKS * THREADS).collect();
    for block in values.chunks_mut(threads) {
        for _ in 0..ROUNDS {
            let before = block.to_vec();
            let neighbours = |t| [t + threads - 1, t, t + 1].map(|t| before[t % threads]);
            (0..threads).for_each(|t| block[t] = neighbours(t).iter().sum());
        }
    }
    values
}
