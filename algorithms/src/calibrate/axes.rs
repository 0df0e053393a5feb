//! Digis, and the divergence of their lookups.

use std::path::Path;

use generators::DataError;
use generators::random::hash;
use text::Untrusted;

use super::{CHANNEL_BITS, CHANNELS, Indices, Uncalibrated, channel};
use crate::algorithm::Plan;
use crate::all_cores::par_map;
use crate::axis::{Flag, Params, axes};
use crate::word_files;

axes! {
    pub(super) AXES {
        DIGIS: u64 = Flag::count("digis").or("64M").small(1e5) =>
            "Number of digis";
        ..FILE_AXES;
        INDICES: Indices = Flag::choice("indices", Indices::NAMES).or("uniform") =>
            "Gains of 32 neighbouring digis: the same (uniform), or any (divergent)";
    }
}
axes! {
    /// Parameters of an input from a file.
    pub(super) FILE_AXES {
        LOOKUPS: u32 = Flag::count("lookups").or("16") =>
            "Number of gains that are looked up for each digi";
    }
}

/// Number of consecutive digis with the same gain, if indices are uniform: the lanes of a warp.
const RUN: u64 = 32;
/// Bytes per digi: the input, the reference, two arrays of a variant, and a copy to compare.
const BYTES: u64 = 5 * size_of::<u32>() as u64;
/// Maximum number of lookups; more give no further information.
const MAX_LOOKUPS: u32 = 1000;

pub(super) fn plan(mut params: Params) -> Result<Plan, DataError> {
    params.complete(AXES);
    let digis = DIGIS.value(&params)?;
    lookups(&params)?;
    INDICES.value(&params)?;
    Ok(Plan { params, memory_bytes: digis.saturating_mul(BYTES) })
}

pub(super) fn generate(params: &Params, seed: u64) -> Result<Uncalibrated, DataError> {
    let digis = DIGIS.value(params)? as usize;
    let indices = INDICES.value(params)?;
    Ok(Uncalibrated { digis: random(digis, indices, seed), lookups: lookups(params)? })
}

pub(super) fn read(path: &Path, options: &Params) -> Result<(Uncalibrated, Params), DataError> {
    let digis = word_files::read(path)?;
    if let Some(index) = digis.iter().position(|&digi| channel(digi) >= CHANNELS) {
        return Err(DataError::Shape(format!(
            "{}: digi {index} has channel {}; channels are below {CHANNELS}",
            path.escaped(),
            channel(digis[index])
        )));
    }
    let mut params = options.clone();
    params.complete(FILE_AXES);
    let lookups = lookups(&params)?;
    params.set(DIGIS.name, digis.len().to_string());
    Ok((Uncalibrated { digis, lookups }, params))
}

fn lookups(params: &Params) -> Result<u32, DataError> {
    let lookups = LOOKUPS.value(params)?;
    if (1..=MAX_LOOKUPS).contains(&lookups) {
        return Ok(lookups);
    }
    Err(DataError::Shape(format!("--lookups {lookups}: use 1 to {MAX_LOOKUPS}")))
}

fn random(count: usize, indices: Indices, seed: u64) -> Vec<u32> {
    let numbers: Vec<u64> = (0..count as u64).collect();
    par_map(&numbers, |&index| {
        let source = match indices {
            Indices::Uniform => index / RUN,
            Indices::Divergent => index,
        };
        let channel = (hash(seed, [source]) % u64::from(CHANNELS)) as u32;
        let charge = hash(seed, [index, 1]) as u32;
        charge << CHANNEL_BITS | channel
    })
}

/// Sizes around warps and blocks, with one lookup and with more than there are channels.
pub(super) fn hard_inputs(seed: u64) -> Vec<(String, Uncalibrated)> {
    const SIZES: [usize; 8] = [0, 1, 31, 33, 2047, 2048, 2049, 70_001];
    let inputs = SIZES.into_iter().flat_map(|count| {
        let lookups_and_indices = [(1, Indices::Uniform), (16, Indices::Divergent)];
        lookups_and_indices.map(|(lookups, indices)| {
            let name = format!("{count} digis, {lookups} lookups, indices {indices}");
            (name, Uncalibrated { digis: random(count, indices, seed), lookups })
        })
    });
    // The last channel and the first, all charges; each gain more than once.
    let ends = [0, 1, u32::MAX >> CHANNEL_BITS].map(|charge| charge << CHANNEL_BITS);
    let ends = ends.into_iter().flat_map(|digi| [digi, digi | (CHANNELS - 1)]).collect();
    let ends = Uncalibrated { digis: ends, lookups: CHANNELS };
    inputs.chain([("ends of channels and charges".to_owned(), ends)]).collect()
}
