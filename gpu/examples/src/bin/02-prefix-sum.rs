//! Example 2: A reduction in one pass, by decoupled look-back: blocks that wait for each other, and a header
//! of kernel functions that comes with `portable-gpu-build`.
//!
//! `cargo run -p portable-gpu-examples --bin 02-prefix-sum -- cuda:0`

use std::error::Error;

use kernels::prefix_sum::{PREFIX_SUM, PrefixSum};
use portable_gpu::Gpu;

#[allow(dead_code, reason = "kernels of other examples")]
mod kernels {
    portable_gpu::include_kernels!();
}

const COUNT: usize = 20_000;

fn main() -> Result<(), Box<dyn Error>> {
    let device = std::env::args().nth(1).unwrap_or_else(|| "emulator".to_owned());
    let gpu = Gpu::open(&device)?;
    let values: Vec<u32> = (0..COUNT as u32).map(|i| i * i % 97).collect();

    let grid = PREFIX_SUM.grid_for(COUNT);
    let values_there = gpu.table(&values)?;
    let sums_there = gpu.buffer::<u32>(COUNT)?;
    let states = gpu.buffer::<u64>(grid.blocks as usize)?;
    let ticket = gpu.buffer::<u32>(1)?;
    gpu.fill(&states, 0)?;
    gpu.fill(&ticket, 0)?;
    let arguments = PrefixSum {
        values: values_there.ptr(),
        sums: sums_there.ptr(),
        count: COUNT as u32,
        states: states.ptr(),
        ticket: ticket.ptr(),
    };
    // SAFETY: values and sums have `COUNT` elements, and there is a state for each block.
    unsafe { gpu.launch(&PREFIX_SUM, grid, arguments) }?;

    let sums = gpu.read_back(&sums_there, 0..COUNT)?;
    let expected = values.iter().scan(0, |sum, value| {
        *sum += value;
        Some(*sum)
    });
    if !expected.eq(sums.iter().copied()) {
        return Err("the sums are wrong".into());
    }
    println!("{device}: the sum of {COUNT} values is {}", sums[COUNT - 1]);
    Ok(())
}
