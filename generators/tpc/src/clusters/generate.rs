//! Generation of all clusters of a timeframe, its parameters, and the memory that they need.

use generators_common::DataError;
use generators_common::random::{Stream, below, stream};
use rand::Rng;
use rayon::prelude::*;

use super::layout::{CLUSTERS_OF_ROW, CLUSTERS_OF_TRACK, Entries, Layout};
use super::{ClusterProblem, Clusters};
use crate::geometry::{ROWS, SECTORS};

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

/// Maximum number of slots of an array of clusters: byte offsets have 32 bits.
const MAX_SLOTS: usize = 1 << 29;
/// Maximum number of clusters of a track, which has 16 bits.
const MAX_CLUSTERS_OF_TRACK: usize = u16::MAX as usize;

/// Parameters of clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClusterShape {
    /// Number of tracks.
    pub tracks: usize,
    /// Minimum number of clusters of a track.
    pub min_clusters: usize,
    /// Maximum number of clusters of a track.
    pub max_clusters: usize,
    /// Mean number of clusters on no track, for each row of each sector.
    pub row_clusters: usize,
}

/// Numbers of slots for tracks, rows and clusters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slots {
    /// Tracks.
    pub tracks: usize,
    /// Slots for clusters on tracks.
    pub attached: usize,
    /// Rows of all sectors.
    pub rows: usize,
    /// Slots for clusters of each row.
    pub row_capacity: usize,
}

impl Slots {
    /// The reason why these slots are invalid, if they are.
    pub fn problem(&self) -> Option<ClusterProblem> {
        let Slots { tracks, attached, rows, row_capacity } = *self;
        if tracks == 0 {
            return Some(ClusterProblem::NoTracks);
        }
        let unattached = rows.saturating_mul(row_capacity);
        let max = tracks.max(attached).max(rows).max(unattached);
        (max > MAX_SLOTS).then_some(ClusterProblem::TooMany {
            tracks,
            attached,
            rows,
            row_capacity,
        })
    }

    /// Layout of the arrays with these slots.
    pub fn layout(&self) -> Layout {
        Layout::new(&Entries {
            rows: self.rows,
            tracks: self.tracks,
            attached: self.attached,
            // The first slot of each track is unused.
            differences: self.attached,
            unattached: self.rows * self.row_capacity,
        })
    }
}

impl ClusterShape {
    /// The tracks of the timeframe that was published, with 130 million clusters: 1.9 GB.
    pub const PUBLISHED_TRACKS: usize = 1_170_000;
    /// Its clusters of a row that are on no track.
    pub const PUBLISHED_ROW_CLUSTERS: usize = 4570;

    /// Checks the parameters.
    ///
    /// # Errors
    /// The invalid value, and the valid ones.
    pub fn validate(&self) -> Result<(), DataError> {
        let ClusterShape { tracks, min_clusters, max_clusters, .. } = *self;
        if tracks == 0 {
            return refuse("no tracks can't be gathered; use --tracks 1 or more");
        }
        if min_clusters == 0 || min_clusters > max_clusters || max_clusters > MAX_CLUSTERS_OF_TRACK
        {
            return refuse(format!(
                "tracks can't have {min_clusters} to {max_clusters} clusters; use --fewest and \
                 --most with 1 <= fewest <= most <= {MAX_CLUSTERS_OF_TRACK}"
            ));
        }
        match self.max_slots().problem() {
            None => Ok(()),
            Some(problem) => refuse(format!(
                "{problem}: there can be {MAX_SLOTS} of a kind; use fewer --tracks or \
                 --row-clusters"
            )),
        }
    }

    /// The maximum number of slots, for any numbers of clusters.
    fn max_slots(&self) -> Slots {
        Slots {
            tracks: self.tracks,
            attached: with_slack(self.tracks.saturating_mul(self.max_clusters)),
            rows: SECTORS * ROWS,
            row_capacity: self.row_capacity(),
        }
    }

    /// About how many clusters there will be on tracks, and on none.
    pub fn mean_clusters(&self) -> [usize; 2] {
        let attached = self.tracks * (self.min_clusters + self.max_clusters) / 2;
        [attached, SECTORS * ROWS * self.row_clusters]
    }

    /// Slots of each row: a third more than the maximum number of clusters.
    pub(super) fn row_capacity(&self) -> usize {
        self.row_clusters.saturating_mul(2)
    }
}

/// Slots for `clusters` clusters on tracks: a sixteenth more.
pub(super) fn with_slack(clusters: usize) -> usize {
    clusters.saturating_add(clusters / 16)
}

fn refuse(problem: impl Into<String>) -> Result<(), DataError> {
    Err(DataError::shape(problem))
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

    const SOUND: ClusterShape =
        ClusterShape { tracks: 10, min_clusters: 20, max_clusters: 160, row_clusters: 5 };

    fn problem(shape: ClusterShape) -> String {
        shape.validate().expect_err("refused").to_string()
    }

    #[test]
    fn invalid_shapes_are_refused_with_the_flag() {
        assert!(SOUND.validate().is_ok());
        assert!(problem(ClusterShape { tracks: 0, ..SOUND }).contains("--tracks"));
        assert!(problem(ClusterShape { min_clusters: 0, ..SOUND }).contains("--fewest"));
        assert!(problem(ClusterShape { max_clusters: 19, ..SOUND }).contains("--most"));
        assert!(problem(ClusterShape { max_clusters: 65_536, ..SOUND }).contains("--most"));
        let tracks = usize::MAX;
        assert!(problem(ClusterShape { tracks, ..SOUND }).contains("--tracks"));
        let row_clusters = usize::MAX;
        assert!(problem(ClusterShape { row_clusters, ..SOUND }).contains("--row-clusters"));
    }

    #[test]
    fn the_published_timeframe_has_its_size() {
        let tracks = ClusterShape::PUBLISHED_TRACKS;
        let attached = tracks * 90;
        let unattached = ClusterShape::PUBLISHED_ROW_CLUSTERS * SECTORS * ROWS;
        let entries = Entries {
            rows: SECTORS * ROWS,
            tracks,
            attached,
            differences: attached - tracks,
            unattached,
        };
        assert!((129_000_000..131_000_000).contains(&(attached + unattached)));
        assert!((1_850_000_000..1_950_000_000).contains(&entries.bytes()));
    }
}
