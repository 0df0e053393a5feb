//! Cost of constants by kind of memory: charges of digis times gains of channels, 4 kB of gains
//! (thesis 4.3).
//!
//! The lanes of a warp read the same gain (`uniform`) or any (`divergent`): constant memory serves
//! one address at a time, shared memory one address per bank, and caches one line at a time. See
//! `docs/memory-kinds.md`.

mod cuda;

use generators_common::random::hash;
use generators_common::{DataError, named};
use parallel::{Grain, for_each_part};

use crate::kernels::calibrate_calibrate::{CHANNEL_BITS, CHANNELS, STRIDE};
use crate::word_task::{self, WordTask, WordWork, Words};
use tasks::algorithm::{TaskInfo, Variant};
use tasks::axis::{Flag, Params, axes};

/// Charges times gains of channels.
#[derive(Clone, Copy, Debug)]
pub struct GainLookups;

/// The task `calibrate`.
pub type Calibrate = WordTask<GainLookups>;

/// Digis: the channel is in the lowest 10 bits, below 1000, and the charge above it.
type Uncalibrated = Words<Lookups>;

/// Number of gains that are looked up for a digi, one after the other, 97 channels apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lookups(pub u32);

/// Divergence of lookups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indices {
    /// Runs of 32 digis have the same channel: one gain for a warp.
    Uniform,
    /// Each digi has a random channel.
    Divergent,
}

named! { "kind of indices", Indices { Uniform = "uniform", Divergent = "divergent" } }

/// Gain of a channel in units of 1/4096, as in the kernels.
const fn gain(channel: u32) -> u32 {
    3072 + (channel.wrapping_mul(2_654_435_761) >> 21)
}

static GAINS: [u32; CHANNELS as usize] = {
    let mut gains = [0; CHANNELS as usize];
    let mut channel = 0;
    while channel < CHANNELS {
        gains[channel as usize] = gain(channel);
        channel += 1;
    }
    gains
};

fn channel(digi: u32) -> u32 {
    digi & ((1 << CHANNEL_BITS) - 1)
}

/// The charge of a digi times all gains that are looked up for it, summed modulo 2^32.
#[inline]
fn calibrated(digi: u32, Lookups(lookups): Lookups) -> u32 {
    let charge = digi >> CHANNEL_BITS;
    let mut channel = channel(digi);
    let mut sum = 0u32;
    for _ in 0..lookups {
        sum = sum.wrapping_add(charge.wrapping_mul(GAINS[channel as usize]));
        channel += STRIDE;
        if channel >= CHANNELS {
            channel -= CHANNELS;
        }
    }
    sum
}

axes! {
    AXES {
        DIGIS: u64 = Flag::count("digis").or("64M").small(1e5) =>
            "Number of digis";
        ..FILE_AXES;
        INDICES: Indices = Flag::choice("indices", Indices::NAMES).or("uniform") =>
            "Gains of 32 neighbouring digis: the same (uniform), or any (divergent)";
    }
}
axes! {
    /// Parameters of an input from a file.
    FILE_AXES {
        LOOKUPS: u32 = Flag::count("lookups").or("16") =>
            "Number of gains that are looked up for each digi";
    }
}

/// Number of consecutive digis with the same gain, if indices are uniform: the lanes of a warp.
const RUN: u64 = 32;
/// Maximum number of lookups; more give no further information.
const MAX_LOOKUPS: u32 = 1000;

/// Minimum number of digis that a thread takes at a time.
const PART: usize = 1 << 14;

const CPU_VARIANTS: &[Variant<Calibrate>] =
    &[Variant::cpu("table", "a table of all gains, which the first-level cache holds", |at| {
        let input = at.input;
        at.fill_output(input.words.len(), input.bytes(), move |charges: &mut [u32]| {
            for_each_part(charges, Grain::AtLeast(PART), |start, charges| {
                let digis = &input.words[start..];
                for (charge, &digi) in charges.iter_mut().zip(digis) {
                    *charge = calibrated(digi, input.settings);
                }
            });
        })
    })];

impl WordWork for GainLookups {
    type Settings = Lookups;
    const UNIT: &'static str = "digi";
    const EXAMPLES: &'static str = "  bench calibrate --digis 4M --threads 1,2
  bench calibrate --digis 64M --indices uniform,divergent
  bench calibrate --digis 4M --indices divergent --format csv=calibrate.csv";

    fn info() -> TaskInfo {
        TaskInfo {
            name: "calibrate",
            summary: "look up gains of channels in memory of all kinds, by all lanes or each",
            input: "calibrate",
            file_endings: &["bin"],
            axes: AXES,
            file_axes: FILE_AXES,
            metrics: &[],
        }
    }

    fn variants() -> Vec<Variant<WordTask<Self>>> {
        [CPU_VARIANTS, cuda::VARIANTS].concat()
    }

    fn count(params: &Params) -> Result<u64, DataError> {
        DIGIS.value(params)
    }

    fn set_count(params: &mut Params, count: u64) {
        params.set(DIGIS.name, count.to_string());
    }

    fn settings(params: &Params) -> Result<Lookups, DataError> {
        let lookups = LOOKUPS.value(params)?;
        if (1..=MAX_LOOKUPS).contains(&lookups) {
            return Ok(Lookups(lookups));
        }
        Err(DataError::Shape(format!("--lookups {lookups}: use 1 to {MAX_LOOKUPS}")))
    }

    fn generator(params: &Params, seed: u64) -> Result<impl Fn(u64) -> u32 + Sync, DataError> {
        Ok(random(INDICES.value(params)?, seed))
    }

    fn problem(digis: &[u32]) -> Option<String> {
        let index = digis.iter().position(|&digi| channel(digi) >= CHANNELS)?;
        let channel = channel(digis[index]);
        Some(format!("digi {index} has channel {channel}; channels are below {CHANNELS}"))
    }

    /// Sizes around warps and blocks, with one lookup and with more than there are channels.
    fn hard_inputs(seed: u64) -> Vec<(String, Uncalibrated)> {
        const SIZES: [u64; 8] = [0, 1, 31, 33, 2047, 2048, 2049, 70_001];
        let inputs = SIZES.into_iter().flat_map(|count| {
            let lookups_and_indices = [(1, Indices::Uniform), (16, Indices::Divergent)];
            lookups_and_indices.map(|(lookups, indices)| {
                let name = format!("{count} digis, {lookups} lookups, indices {indices}");
                let words = word_task::generate(count, random(indices, seed));
                (name, Words { words, settings: Lookups(lookups) })
            })
        });
        // The last channel and the first, all charges; each gain more than once.
        let ends = [0, 1, u32::MAX >> CHANNEL_BITS].map(|charge| charge << CHANNEL_BITS);
        let ends = ends.into_iter().flat_map(|digi| [digi, digi | (CHANNELS - 1)]).collect();
        let ends = Words { words: ends, settings: Lookups(CHANNELS) };
        inputs.chain([("ends of channels and charges".to_owned(), ends)]).collect()
    }

    /// Computed from the gains themselves, not from a table.
    fn reference(digi: u32, Lookups(lookups): Lookups) -> u32 {
        let gains = (0..lookups).map(|k| gain((channel(digi) + k * STRIDE) % CHANNELS));
        gains.fold(0u32, |sum, gain| sum.wrapping_add((digi >> CHANNEL_BITS).wrapping_mul(gain)))
    }
}

fn random(indices: Indices, seed: u64) -> impl Fn(u64) -> u32 + Sync {
    move |index| {
        let source = match indices {
            Indices::Uniform => index / RUN,
            Indices::Divergent => index,
        };
        let channel = (hash(seed, [source]) % u64::from(CHANNELS)) as u32;
        let charge = hash(seed, [index, 1]) as u32;
        charge << CHANNEL_BITS | channel
    }
}
