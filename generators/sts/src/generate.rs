//! From a shape and a seed to digis. A chunk of a segment is the unit that has a random stream.

use std::ops::Range;

use generators_common::DataError;
use generators_common::partition::Partition;
use generators_common::random::{Exponential, Stream, below, hash, stream};
use rand::Rng;
use rand::distr::Distribution;
use rayon::prelude::*;

use super::jitter::ArrivalJitter;
use super::{Address, Digi, DigiShape, ModuleSide, Order, SegmentedDigis, rates};

/// Names of the streams of a segment or chunk.
const TIMES: u64 = 0;
const DUPLICATES: u64 = 1;
const JITTER: u64 = 2;

/// Generates digis: channels uniform on a side, charges after an energy loss distribution, times
/// and order as in the shape. Shape and seed determine the bytes for any number of threads on any
/// machine.
///
/// # Errors
/// If the shape is invalid; see [`DigiShape::validate`].
pub fn generate(shape: &DigiShape, seed: u64) -> Result<SegmentedDigis, DataError> {
    shape.validate()?;
    let counts = rates::counts(shape.digis, shape.segments, shape.skew);
    let partition = Partition::from_lengths(counts);
    let mut digis = vec![Digi::default(); partition.elements()];
    let tables = Tables::new();
    partition
        .split_mut(&mut digis)
        .into_par_iter()
        .enumerate()
        .for_each(|(number, digis)| Segment::new(shape, seed, number).fill(digis, &tables));
    Ok(SegmentedDigis::new(digis, partition))
}

/// A segment to be filled.
struct Segment<'a> {
    shape: &'a DigiShape,
    seed: u64,
    number: u64,
    address: Address,
}

impl<'a> Segment<'a> {
    fn new(shape: &'a DigiShape, seed: u64, segment: usize) -> Self {
        let side = ModuleSide::of_segment(segment, shape.segments);
        Segment { shape, seed, number: segment as u64, address: Address::of_module(side.module) }
    }

    fn fill(&self, digis: &mut [Digi], tables: &Tables) {
        match self.shape.order {
            Order::Jitter(distance) => self.fill_jittered(digis, distance, tables),
            Order::Random | Order::Time => self.fill_chunks(digis, tables),
        }
    }

    fn fill_chunks(&self, digis: &mut [Digi], tables: &Tables) {
        let length = digis.len();
        digis
            .par_chunks_mut(CHUNK)
            .enumerate()
            .for_each(|(number, chunk)| self.fill_chunk(chunk, number, length, tables));
    }

    /// Chunk after chunk: a digi may move from one into the next.
    fn fill_jittered(&self, digis: &mut [Digi], distance: u32, tables: &Tables) {
        let length = digis.len();
        // A distance larger than the segment has no further effect.
        let distance = distance.min(u32::try_from(length).unwrap_or(u32::MAX));
        let seed = hash(self.seed, [self.number, JITTER]);
        let mut jitter = ArrivalJitter::new(distance, seed, digis);
        let mut chunk = [Digi::default(); CHUNK];
        for start in (0..length).step_by(CHUNK) {
            let chunk = &mut chunk[..CHUNK.min(length - start)];
            self.fill_chunk(chunk, start / CHUNK, length, tables);
            jitter.admit(chunk);
        }
        jitter.finish();
    }

    fn fill_chunk(&self, chunk: &mut [Digi], number: usize, length: usize, tables: &Tables) {
        let name = |purpose| [self.number, number as u64, purpose];
        let mut times = stream(self.seed, name(TIMES));
        let mut duplicates = stream(self.seed, name(DUPLICATES));
        let share = self.shape.duplicates;
        if self.shape.order == Order::Random {
            let timeslice = self.shape.timeslice_ns;
            fill_random(chunk, tables, self.address, timeslice, &mut times);
            if share > 0.0 {
                duplicate_any(chunk, tables, share, &mut duplicates);
            }
        } else {
            let start = number * CHUNK;
            let window = self.time_of(start, length)..self.time_of(start + chunk.len(), length);
            fill_ordered(chunk, tables, self.address, window, &mut times);
            if share > 0.0 {
                duplicate_previous(chunk, tables, share, &mut duplicates);
            }
        }
    }

    /// The time in ns by which `position` of `length` digis have arrived.
    fn time_of(&self, position: usize, length: usize) -> u64 {
        let part = u128::from(self.shape.timeslice_ns) * position as u128 / length as u128;
        part as u64
    }
}

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
