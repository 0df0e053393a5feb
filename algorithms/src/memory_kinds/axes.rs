//! Number of words, and the side that changes them.

use std::path::Path;

use generators::DataError;
use generators::random::hash;

use super::{Turns, Words};
use crate::algorithm::Plan;
use crate::all_cores::par_map;
use crate::axis::{Flag, Params, axes};
use crate::word_files;

axes! {
    pub(super) AXES {
        BYTES: u64 = Flag::count("bytes").or("256M").small(1e5) =>
            "Bytes of all words; rounded up to full words";
        ..FILE_AXES;
    }
}
axes! {
    /// Parameters of an input from a file.
    pub(super) FILE_AXES {
        STEPS: u32 = Flag::count("steps").or("4") =>
            "Number of changes of each word";
        TURNS: Turns = Flag::choice("turns", Turns::NAMES).or("device") =>
            "Sides that change words: device, or both (device and host alternately)";
    }
}

const WORD: u64 = size_of::<u32>() as u64;
/// Arrays of a point: the input, the reference, two of a variant, and a copy to compare.
const ARRAYS: u64 = 5;
/// Maximum number of steps; more give no further information.
const MAX_STEPS: u32 = 1000;

pub(super) fn plan(mut params: Params) -> Result<Plan, DataError> {
    params.complete(AXES);
    let bytes = BYTES.value(&params)?;
    settings(&params)?;
    Ok(Plan { params, memory_bytes: bytes.saturating_mul(ARRAYS) })
}

pub(super) fn generate(params: &Params, seed: u64) -> Result<Words, DataError> {
    let count = BYTES.value(params)?.div_ceil(WORD) as usize;
    let (steps, turns) = settings(params)?;
    Ok(Words { words: random(count, seed), steps, turns })
}

pub(super) fn read(path: &Path, options: &Params) -> Result<(Words, Params), DataError> {
    let words = word_files::read(path)?;
    let mut params = options.clone();
    params.complete(FILE_AXES);
    let (steps, turns) = settings(&params)?;
    params.set(BYTES.name, (WORD * words.len() as u64).to_string());
    Ok((Words { words, steps, turns }, params))
}

fn settings(params: &Params) -> Result<(u32, Turns), DataError> {
    let steps = STEPS.value(params)?;
    if !(1..=MAX_STEPS).contains(&steps) {
        let problem = format!("--steps {steps}: use 1 to {MAX_STEPS}");
        return Err(DataError::Shape(problem));
    }
    Ok((steps, TURNS.value(params)?))
}

fn random(count: usize, seed: u64) -> Vec<u32> {
    let numbers: Vec<u64> = (0..count as u64).collect();
    par_map(&numbers, |&number| hash(seed, [number]) as u32)
}

/// Sizes around vectors, blocks and pages, with one step and with several.
pub(super) fn hard_inputs(seed: u64) -> Vec<(String, Words)> {
    const SIZES: [usize; 10] = [0, 1, 3, 4, 5, 1023, 1024, 4097, 100_000, 300_001];
    let inputs = SIZES.into_iter().flat_map(|count| {
        [(1, Turns::Device), (3, Turns::Device), (2, Turns::Both), (3, Turns::Both)].map(
            |(steps, turns)| {
                let name = format!("{count} words, {steps} steps, turns {turns}");
                (name, Words { words: random(count, seed), steps, turns })
            },
        )
    });
    inputs.collect()
}
