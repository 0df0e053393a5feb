//! Example 4: A graph: work that is recorded once, and started with one call as often as wanted.
//!
//! `cargo run -p portable-gpu-examples --bin 04-graph -- cuda:0`

use std::error::Error;

use kernels::collatz::{COLLATZ_STEP, CollatzStep};
use portable_gpu::Gpu;

#[allow(dead_code, reason = "kernels of other examples")]
mod kernels {
    portable_gpu::include_kernels!();
}

const COUNT: usize = 1000;
/// Kernels of a graph.
const STEPS: usize = 8;
const REPLAYS: usize = 3;

fn main() -> Result<(), Box<dyn Error>> {
    let device = std::env::args().nth(1).unwrap_or_else(|| "emulator".to_owned());
    let gpu = Gpu::open(&device)?;
    let mut starts: Vec<u32> = (1..=COUNT as u32).collect();
    let values = gpu.table(&starts)?;

    let graph = gpu.capture("steps", |gpu| {
        for _ in 0..STEPS {
            let arguments = CollatzStep { values: values.ptr(), count: COUNT as u32 };
            // SAFETY: the buffer has `COUNT` elements, and one kernel at a time uses it.
            unsafe { gpu.launch(&COLLATZ_STEP, COLLATZ_STEP.grid_for(COUNT), arguments) }?;
        }
        Ok(())
    })?;
    for _ in 0..REPLAYS {
        gpu.replay(&graph)?;
    }

    let found = gpu.read_back(&values, 0..COUNT)?;
    for _ in 0..STEPS * REPLAYS {
        let next = |x: u32| if x.is_multiple_of(2) { x / 2 } else { 3 * x + 1 };
        starts.iter_mut().for_each(|x| *x = next(*x));
    }
    if found != starts {
        return Err("a value is wrong".into());
    }
    println!("{device}: {REPLAYS} replays of {STEPS} kernels are right");
    Ok(())
}
