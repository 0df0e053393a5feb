//! From a shape and a seed to digis.

use rayon::prelude::*;

use super::chunk::{self, CHUNK, Tables};
use super::jitter::ArrivalJitter;
use super::{Address, Digi, DigiShape, ModuleSide, Order, SegmentedDigis, occupancy};
use crate::DataError;
use crate::partition::Partition;
use crate::random::{hash, stream};

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
    let counts = occupancy::counts(shape.digis, shape.segments, shape.skew);
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
            chunk::fill_random(chunk, tables, self.address, timeslice, &mut times);
            if share > 0.0 {
                chunk::duplicate_any(chunk, tables, share, &mut duplicates);
            }
        } else {
            let start = number * CHUNK;
            let window = self.time_of(start, length)..self.time_of(start + chunk.len(), length);
            chunk::fill_ordered(chunk, tables, self.address, window, &mut times);
            if share > 0.0 {
                chunk::duplicate_previous(chunk, tables, share, &mut duplicates);
            }
        }
    }

    /// The time in ns by which `position` of `length` digis have arrived.
    fn time_of(&self, position: usize, length: usize) -> u64 {
        let part = u128::from(self.shape.timeslice_ns) * position as u128 / length as u128;
        part as u64
    }
}
