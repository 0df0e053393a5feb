//! Cost of constants by kind of memory: charges of digis times gains of channels, 4 kB of gains
//! (thesis 4.3).
//!
//! The lanes of a warp read the same gain (`uniform`) or any (`divergent`): constant memory serves
//! one address at a time, shared memory one address per bank, and caches one line at a time. See
//! `docs/memory-kinds.md`.
//!
//! | module | holds |
//! |---|---|
//! | `axes` | digis, and the divergence of their lookups |
//! | `cpu`, `cuda` | the variants |

mod axes;
mod cpu;
mod cuda;

use std::path::Path;

use generators::{DataError, named};

use crate::algorithm::{Algorithm, InputFiles, Plan, Semantics, TaskInfo, Variant, Work};
use crate::axis::Params;
use crate::kernels::calibrate_calibrate::{CHANNEL_BITS, CHANNELS, STRIDE};
use crate::word_files;

/// The task `calibrate`.
#[derive(Clone, Copy, Debug)]
pub struct Calibrate;

/// Digis, and the number of lookups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uncalibrated {
    /// The channel in the lowest 10 bits, below 1000, and the charge above it.
    pub digis: Vec<u32>,
    /// Number of gains that are looked up for a digi, one after the other, 97 channels apart.
    pub lookups: u32,
}

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

/// The gains of all channels.
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
fn calibrated(digi: u32, lookups: u32) -> u32 {
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

impl Algorithm for Calibrate {
    type Input = Uncalibrated;
    type Output = Vec<u32>;

    fn info(&self) -> TaskInfo {
        TaskInfo {
            name: "calibrate",
            summary: "look up gains of channels in memory of all kinds, by all lanes or each",
            input: "calibrate",
            file_endings: &["bin"],
            axes: axes::AXES,
            file_axes: axes::FILE_AXES,
            metrics: &[],
        }
    }

    fn variants(&self) -> Vec<Variant<Self>> {
        [cpu::VARIANTS, cuda::VARIANTS].concat()
    }

    fn plan(&self, params: Params) -> Result<Plan, DataError> {
        axes::plan(params)
    }

    fn generate(&self, params: &Params, seed: u64) -> Result<Uncalibrated, DataError> {
        axes::generate(params, seed)
    }

    fn read(
        &self,
        files: &InputFiles,
        options: &Params,
    ) -> Result<(Uncalibrated, Params), DataError> {
        axes::read(files.only()?, options)
    }

    fn write(&self, input: &Uncalibrated, path: &Path) -> Result<(), DataError> {
        word_files::write(path, &input.digis)
    }

    fn shrink<'i>(&self, input: &'i Uncalibrated) -> Box<dyn Iterator<Item = Uncalibrated> + 'i> {
        let half = input.digis.len() / 2;
        let parts = [0..half, half..input.digis.len()].into_iter();
        let smaller = parts.filter(move |part| half > 0 && !part.is_empty());
        Box::new(smaller.map(|part| Uncalibrated { digis: input.digis[part].to_vec(), ..*input }))
    }

    fn hard_inputs(&self, seed: u64) -> Vec<(String, Uncalibrated)> {
        axes::hard_inputs(seed)
    }

    fn work(&self, input: &Uncalibrated) -> Work {
        let bytes = size_of_val(input.digis.as_slice()) as u64;
        Work {
            items: input.digis.len() as u64,
            item_unit: "digi",
            bytes_min: 2 * bytes,
            input_bytes: bytes,
            to_host_bytes: None,
            has_reference: true,
            metrics: Vec::new(),
        }
    }

    fn reference(&self, input: &Uncalibrated, _: Semantics) -> Option<Vec<u32>> {
        // Computed one by one from the gain itself, not from a table.
        let of_digi = |&digi: &u32| {
            let gains = (0..input.lookups).map(|k| gain((channel(digi) + k * STRIDE) % CHANNELS));
            gains
                .fold(0u32, |sum, gain| sum.wrapping_add((digi >> CHANNEL_BITS).wrapping_mul(gain)))
        };
        Some(crate::all_cores::par_map(&input.digis, of_digi))
    }

    fn no_op_output(&self, input: &Uncalibrated) -> Vec<u32> {
        input.digis.clone()
    }
}
