//! One chunk of one segment: the unit that has a random stream.

use std::ops::Range;

use rand::Rng;
use rand::distr::Distribution;

use super::{Address, Digi};
use crate::random::{Exponential, Stream, below};

/// Digis in a chunk. Part of the definition of the data: another size makes other data.
pub(super) const CHUNK: usize = 1024;

const CHANNEL_BITS: u32 = 10;
const ADC_BITS: u32 = 8;

/// Adds nothing to a digi.
const NO_ADDRESS: Address = Address::from_packed(0);

/// Tables that all chunks share.
pub(super) struct Tables {
    gaps: Exponential,
    /// Digis with the charge of each quantile, and nothing else.
    charges: [Digi; 1 << ADC_BITS],
}

impl Tables {
    pub(super) fn new() -> Self {
        let of_charge = |quantile| Digi::new(NO_ADDRESS, 0, 0, charge(quantile));
        Tables { gaps: Exponential::new(), charges: std::array::from_fn(of_charge) }
    }

    /// A digi without address and time; channel and charge come from the low bits.
    #[inline]
    fn digi(&self, bits: u64) -> Digi {
        let channel = bits as u16 & ((1 << CHANNEL_BITS) - 1);
        let charge = self.charges[(bits >> CHANNEL_BITS) as usize & ((1 << ADC_BITS) - 1)];
        charge.joined(Digi::new(NO_ADDRESS, channel, 0, 0))
    }
}

/// Fills `chunk` with digis at independent, uniform times below the timeslice.
pub(super) fn fill_random(
    chunk: &mut [Digi],
    tables: &Tables,
    address: Address,
    timeslice_ns: u64,
    stream: &mut Stream,
) {
    for digi in chunk {
        let bits = stream.next_u64();
        let time = below((bits >> 32) as u32, timeslice_ns);
        *digi = tables.digi(bits).joined(Digi::new(address, 0, time as u32, 0));
    }
}

/// Fills `chunk` with a Poisson process in the `window` of time (in ns), for a fixed number of
/// digis in it: exponential gaps, scaled to fit.
pub(super) fn fill_ordered(
    chunk: &mut [Digi],
    tables: &Tables,
    address: Address,
    window: Range<u64>,
    stream: &mut Stream,
) {
    // Whole numbers: a sum of them waits a cycle for the one before, not three.
    let mut elapsed = [0_i64; CHUNK];
    let mut total = 0;
    for (digi, elapsed) in chunk.iter_mut().zip(&mut elapsed) {
        let bits = stream.next_u64();
        total += i64::from(tables.gaps.gap((bits >> 32) as u32));
        *elapsed = total;
        *digi = tables.digi(bits);
    }
    // The gap after the last digi keeps that below the end of the window.
    total += i64::from(tables.gaps.sample(stream)) + 1;
    let scale = (window.end - window.start) as f64 / total as f64;
    let start = window.start as u32;
    for (digi, elapsed) in chunk.iter_mut().zip(&elapsed) {
        // SAFETY: `elapsed < total`, and both are exact, so the product is in `0.0..=2^31 - 1` once
        // rounded down, because the window is at most 2^31.
        let offset = unsafe { (*elapsed as f64 * scale).to_int_unchecked::<i32>() };
        *digi = digi.joined(Digi::new(address, 0, start + offset as u32, 0));
    }
}

/// Gives a share of the digis the key of an earlier digi of the chunk.
pub(super) fn duplicate_any(chunk: &mut [Digi], tables: &Tables, share: f64, stream: &mut Stream) {
    let original = |i: usize, bits| below(bits, i as u64) as usize;
    duplicate(chunk, tables, share, stream, original);
}

/// Gives a share of the digis the key of the digi before: time order stays.
pub(super) fn duplicate_previous(
    chunk: &mut [Digi],
    tables: &Tables,
    share: f64,
    stream: &mut Stream,
) {
    duplicate(chunk, tables, share, stream, |i, _| i - 1);
}

/// Jumps from one duplicate to the next: the digis between two of them are
/// geometrically distributed, an exponential gap rounded down.
fn duplicate(
    chunk: &mut [Digi],
    tables: &Tables,
    share: f64,
    stream: &mut Stream,
    original: impl Fn(usize, u32) -> usize,
) {
    let digis_per_gap = -1.0 / (libm::log1p(-share) * f64::from(Exponential::MEAN));
    let mut i = 1;
    loop {
        let bits = stream.next_u64();
        let gap = f64::from(tables.gaps.gap((bits >> 32) as u32)) * digis_per_gap;
        i += (gap as usize).min(chunk.len());
        if i >= chunk.len() {
            return;
        }
        chunk[i] = chunk[i].with_key_of(chunk[original(i, bits as u32)]);
        i += 1;
    }
}

/// The charge that belongs to a quantile: energy loss after Moyal (1955), an
/// approximation of Landau's distribution, with its peak at 6 ADC units.
fn charge(quantile: usize) -> u8 {
    const PEAK: f64 = 6.0;
    const WIDTH: f64 = 1.8;
    let probability = (quantile as f64 + 0.5) / f64::from(1 << ADC_BITS);
    let mut low = -5.0;
    let mut high = 100.0;
    // Moyal's distribution function is erfc(exp(-x/2) / sqrt 2): bisect it.
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        let below = libm::erfc(libm::exp(-0.5 * middle) * std::f64::consts::FRAC_1_SQRT_2);
        if below < probability {
            low = middle;
        } else {
            high = middle;
        }
    }
    (PEAK + WIDTH * low).clamp(0.0, 31.0) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;

    #[test]
    fn charges_peak_early_and_have_a_long_tail() {
        let charges = Tables::new().charges.map(Digi::adc);
        let mut histogram = [0; 32];
        charges.iter().for_each(|&charge| histogram[usize::from(charge)] += 1);
        let peak = (0..32).max_by_key(|&charge| histogram[charge]);
        assert!((5..=7).contains(&peak.expect("not empty")), "{histogram:?}");
        assert!(charges[255] > 15, "{charges:?}");
        assert!(charges.is_sorted());
    }

    #[test]
    fn a_window_too_short_for_its_digis_holds_them_all_the_same() {
        let mut chunk = [Digi::default(); 100];
        let address = Address::of_module(0);
        fill_ordered(&mut chunk, &Tables::new(), address, 7..8, &mut stream(1, [0]));
        assert!(chunk.iter().all(|digi| digi.time_ns() == 7));
    }
}
