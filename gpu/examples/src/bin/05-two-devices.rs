//! Example 5: Two devices: each adds half of two vectors, and one copies the result of the other.
//!
//! `cargo run -p portable-gpu-examples --bin 05-two-devices -- cuda:0 cuda:1`

use std::error::Error;

use kernels::vector_add::{VECTOR_ADD, VectorAdd};
use portable_gpu::{DeviceBuffer, DeviceError, Gpu};

#[allow(dead_code, reason = "kernels of other examples")]
mod kernels {
    portable_gpu::include_kernels!();
}

const HALF: usize = 10_000;

fn main() -> Result<(), Box<dyn Error>> {
    let mut names: Vec<String> = std::env::args().skip(1).take(2).collect();
    if names.is_empty() {
        names = ["emulator:0", "emulator:1"].map(str::to_owned).into();
    }
    let gpus = Gpu::open_all(&names)?;
    let [first, second] = &gpus[..] else { return Err("name two devices".into()) };

    let x: Vec<f32> = (0..2 * HALF).map(|i| i as f32).collect();
    let y: Vec<f32> = x.iter().map(|x| 3.0 * x).collect();
    let lower = start_sum(first, &x[..HALF], &y[..HALF])?;
    let upper = start_sum(second, &x[HALF..], &y[HALF..])?;
    // Waits for the sum of the second device on that device, not on the host.
    let fetched = first.buffer::<f32>(HALF)?;
    first.copy_from_peer(&fetched, second, &upper)?;

    let sums = [first.read_back(&lower, 0..HALF)?, first.read_back(&fetched, 0..HALF)?].concat();
    if !sums.iter().zip(x.iter().zip(&y)).all(|(sum, (x, y))| *sum == x + y) {
        return Err("a sum is wrong".into());
    }
    println!("{} and {}: {} sums are right", names[0], names[1], sums.len());
    Ok(())
}

fn start_sum(gpu: &Gpu, x: &[f32], y: &[f32]) -> Result<DeviceBuffer<f32>, DeviceError> {
    let x_there = gpu.table(x)?;
    let y_there = gpu.table(y)?;
    let sum = gpu.buffer::<f32>(HALF)?;
    let arguments =
        VectorAdd { x: x_there.ptr(), y: y_there.ptr(), z: sum.ptr(), count: HALF as u32 };
    // SAFETY: all three buffers have `HALF` elements. Buffers that are dropped are not reused, nor
    // freed, before the kernel has ended.
    unsafe { gpu.launch(&VECTOR_ADD, VECTOR_ADD.grid_for(HALF), arguments) }?;
    Ok(sum)
}
