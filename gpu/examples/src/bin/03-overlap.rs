//! Example 3: Copies concurrent with kernels: two queues, ordered by events.
//!
//! `cargo run -p portable-gpu-examples --bin 03-overlap -- cuda:0`

use std::error::Error;

use kernels::collatz::{COLLATZ_LENGTHS, CollatzLengths};
use portable_gpu::{Event, Gpu};

#[allow(dead_code, reason = "kernels of other examples")]
mod kernels {
    portable_gpu::include_kernels!();
}

const PIECE: usize = 4096;
const PIECES: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let device = std::env::args().nth(1).unwrap_or_else(|| "emulator".to_owned());
    let gpu = Gpu::open(&device)?;
    // Only copies of page-locked memory are concurrent with kernels.
    let mut starts = gpu.pinned::<u32>(PIECES * PIECE)?;
    starts.iter_mut().zip(1..).for_each(|(start, i)| *start = i);
    let mut lengths = gpu.pinned::<u32>(PIECES * PIECE)?;
    let inputs = [gpu.buffer::<u32>(PIECE)?, gpu.buffer::<u32>(PIECE)?];
    let results = [gpu.buffer::<u32>(PIECE)?, gpu.buffer::<u32>(PIECE)?];

    let copies = gpu.queue()?;
    let work = gpu.queue()?;
    let mut done: [Option<Event>; 2] = [None, None];
    let begin = copies.record_event()?;
    for piece in 0..PIECES {
        let range = piece * PIECE..(piece + 1) * PIECE;
        // Pieces alternate between two buffers.
        let slot = piece % 2;
        if let Some(done) = &done[slot] {
            copies.wait_for(done)?;
        }
        copies.upload(&inputs[slot], starts.part(range.clone()))?;
        work.wait_for(&copies.record_event()?)?;
        let arguments = CollatzLengths {
            starts: inputs[slot].ptr(),
            lengths: results[slot].ptr(),
            count: PIECE as u32,
        };
        // SAFETY: both buffers have `PIECE` elements; events keep the next piece off.
        unsafe { work.launch(&COLLATZ_LENGTHS, COLLATZ_LENGTHS.grid_for(PIECE), arguments) }?;
        work.download(lengths.part_mut(range), &results[slot])?;
        done[slot] = Some(work.record_event()?);
    }
    let end = work.record_event()?;
    end.wait()?;
    if !starts.iter().zip(lengths.iter()).all(|(start, length)| *length == steps(*start)) {
        return Err("a length is wrong".into());
    }
    println!("{device}: the sequence that begins with 27 has {} steps", lengths[26]);
    match end.seconds_since(&begin)? {
        Some(seconds) => println!("all pieces took {:.3} ms", 1e3 * seconds),
        None => println!("this device has no clock for events"),
    }
    Ok(())
}

fn steps(start: u32) -> u32 {
    let next = |x: &u32| Some(if x.is_multiple_of(2) { x / 2 } else { 3 * x + 1 });
    std::iter::successors(Some(start), next).take_while(|x| *x != 1).count() as u32
}
