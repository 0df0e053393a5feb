//! Generation of all clusters of a timeframe.

use rand::Rng;
use rayon::prelude::*;

use super::field::{CLUSTERS_OF_ROW, CLUSTERS_OF_TRACK};
use super::shape::with_slack;
use super::{ClusterShape, Clusters, Slots};
use crate::DataError;
use crate::random::{Stream, below, stream};
use crate::tpc::geometry::{ROWS, SECTORS};

/// Names the streams of tracks, rows and bytes.
const TRACKS: u64 = 3;
const ROW_COUNTS: u64 = 4;
const BYTES: u64 = 5;
/// Tracks that are compressed at the same time, in any order; they have a stream.
const CHUNK: usize = 1 << 16;
/// Number of bytes per random stream.
const BYTE_CHUNK: usize = 1 << 20;

/// Generates clusters; shape and seed determine them for any number of threads.
///
/// All fields of a cluster are random, because gathering does not interpret them.
///
/// # Errors
/// If the shape is invalid.
pub fn generate(shape: &ClusterShape, seed: u64) -> Result<Clusters, DataError> {
    shape.validate()?;
    let (counts, starts) = tracks(shape, seed);
    let attached = counts.iter().map(|&count| count as usize).sum();
    let slots = Slots {
        tracks: shape.tracks,
        attached: with_slack(attached),
        rows: SECTORS * ROWS,
        row_capacity: shape.row_capacity(),
    };
    let bytes = arrays(&slots, &counts, &rows(shape, seed), seed);
    Clusters::new(slots, starts, bytes).map_err(|problem| DataError::shape(problem.to_string()))
}

/// Number of clusters of each track, and the index of its first one.
fn tracks(shape: &ClusterShape, seed: u64) -> (Vec<u16>, Vec<u32>) {
    let mut counts = Vec::new();
    let mut starts = Vec::new();
    let mut next = 0;
    for first in (0..shape.tracks).step_by(CHUNK) {
        let mut stream = stream(seed, [TRACKS, first as u64]);
        let length = CHUNK.min(shape.tracks - first);
        let range = (shape.max_clusters - shape.min_clusters + 1) as u64;
        let count = |_| (shape.min_clusters as u64 + below(stream.next_u32(), range)) as u16;
        counts.extend((0..length).map(count));
        starts.resize(first + length, 0);
        for track in shuffled(length, &mut stream) {
            starts[first + track] = next;
            next += u32::from(counts[first + track]);
        }
    }
    (counts, starts)
}

/// All numbers below `length` in random order (Fisher, Yates; Durstenfeld 1964).
fn shuffled(length: usize, stream: &mut Stream) -> Vec<usize> {
    let mut numbers: Vec<_> = (0..length).collect();
    for last in (1..length).rev() {
        numbers.swap(last, below(stream.next_u32(), last as u64 + 1) as usize);
    }
    numbers
}

/// Number of clusters of each row: between a half and three halves of the mean.
fn rows(shape: &ClusterShape, seed: u64) -> Vec<u32> {
    let mut stream = stream(seed, [ROW_COUNTS]);
    let mean = shape.row_clusters as u64;
    let half = mean / 2;
    let mut count = || mean - half + below(stream.next_u32(), 2 * half + 1);
    (0..SECTORS * ROWS).map(|_| count() as u32).collect()
}

/// Bytes of all arrays: the counts in their fields, random bytes in all others.
fn arrays(slots: &Slots, tracks: &[u16], rows: &[u32], seed: u64) -> Vec<u8> {
    let layout = slots.layout();
    let mut bytes = vec![0; layout.bytes()];
    let chunks = bytes.par_chunks_mut(BYTE_CHUNK).enumerate();
    chunks.for_each(|(number, chunk)| stream(seed, [BYTES, number as u64]).fill_bytes(chunk));
    let tracks = tracks.iter().flat_map(|count| count.to_le_bytes());
    put(&mut bytes[layout.range(CLUSTERS_OF_TRACK)], tracks);
    let rows = rows.iter().flat_map(|count| count.to_le_bytes());
    put(&mut bytes[layout.range(CLUSTERS_OF_ROW)], rows);
    bytes
}

fn put(to: &mut [u8], from: impl Iterator<Item = u8>) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = from;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: ClusterShape =
        ClusterShape { tracks: CHUNK + 100, min_clusters: 2, max_clusters: 7, row_clusters: 9 };

    #[test]
    fn numbers_of_clusters_are_as_requested() {
        let made = generate(&SHAPE, 3).expect("made");
        let counts = &made.tracks().counts;
        assert_eq!(counts.len(), SHAPE.tracks);
        let min = counts.iter().min();
        let max = counts.iter().max();
        assert_eq!((min, max), (Some(&2), Some(&7)));
        let rows = made.rows();
        let mean = rows.clusters() as f64 / rows.len() as f64;
        assert!((8.8..9.2).contains(&mean), "{mean}");
        assert!(rows.counts.iter().all(|count| (5..=13).contains(count)));
    }

    #[test]
    fn tracks_are_in_random_order() {
        let made = generate(&SHAPE, 3).expect("made");
        let starts = &made.tracks().starts;
        let ascending = starts.windows(2).filter(|pair| pair[0] < pair[1]).count();
        let share = ascending as f64 / starts.len() as f64;
        assert!((0.45..0.55).contains(&share), "{share}");
    }

    #[test]
    fn rows_may_have_none() {
        let shape = ClusterShape { tracks: 1, row_clusters: 0, ..SHAPE };
        assert_eq!(generate(&shape, 3).expect("made").rows().clusters(), 0);
    }

    #[test]
    fn threads_change_nothing() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let alone = pool.expect("a thread").install(|| generate(&SHAPE, 9));
        assert_eq!(alone.expect("made"), generate(&SHAPE, 9).expect("made"));
    }
}
