//! Example 1: The sum of two vectors: a device, buffers, copies, a kernel.
//!
//! `cargo run -p portable-gpu-examples --bin 01-vector-add -- cuda:0`

use std::error::Error;

use kernels::vector_add::{VECTOR_ADD, VectorAdd};
use portable_gpu::Gpu;

#[allow(dead_code, reason = "kernels of other examples")]
mod kernels {
    portable_gpu::include_kernels!();
}

const COUNT: usize = 10_000;

fn main() -> Result<(), Box<dyn Error>> {
    let device = std::env::args().nth(1).unwrap_or_else(|| "emulator".to_owned());
    let gpu = Gpu::open(&device)?;
    println!("{device}: {}", gpu.properties().name);

    let x: Vec<f32> = (0..COUNT).map(|i| i as f32).collect();
    let y: Vec<f32> = (0..COUNT).map(|i| 2.0 * i as f32).collect();
    let x_there = gpu.table(&x)?;
    let y_there = gpu.table(&y)?;
    let z_there = gpu.buffer::<f32>(COUNT)?;

    let arguments =
        VectorAdd { x: x_there.ptr(), y: y_there.ptr(), z: z_there.ptr(), count: COUNT as u32 };
    // SAFETY: all three buffers have `COUNT` elements, and nothing else uses them.
    unsafe { gpu.launch(&VECTOR_ADD, VECTOR_ADD.grid_for(COUNT), arguments) }?;

    let mut z = vec![0.0; COUNT];
    gpu.download(&mut z, &z_there)?;
    gpu.finish()?;
    let is_right = z.iter().zip(x.iter().zip(&y)).all(|(z, (x, y))| *z == x + y);
    if !is_right {
        return Err("the sum is wrong".into());
    }
    println!("{COUNT} sums are right");
    Ok(())
}
