//! What stages left in flat arrays, kept for the next run without their gaps.

use generators::partition::Partition;
use generators::sts::Digi;

use crate::all_cores::{joined, spread};
use crate::sts::{Cluster, ClusterEntry, Hit};

/// What the stages before one left. What no later stage reads is not there.
#[derive(Default)]
pub(super) struct Kept {
    pub(super) digis: Vec<Digi>,
    pub(super) clusters: Vec<Cluster>,
    pub(super) entries: Vec<ClusterEntry>,
    /// The largest error of a time in each side.
    pub(super) errors: Vec<f32>,
    /// Hits by bucket, or by who found them.
    pub(super) hits: Vec<Hit>,
}

/// The filled front of each room.
pub(super) fn filled<'a, T>(all: &'a [T], rooms: &Partition, counts: &[usize]) -> Vec<&'a [T]> {
    let rooms = rooms.split(&all[..rooms.elements()]).into_iter();
    let filled = rooms.zip(counts).map(|(room, &count)| &room[..count]);
    filled.collect()
}

/// Copies what was filled back to the fronts of their rooms.
pub(super) fn fill_again<T: Copy + Send + Sync>(
    kept: &[T],
    all: &mut [T],
    rooms: &Partition,
    counts: &[usize],
) {
    let rooms = rooms.split_mut(&mut all[..rooms.elements()]).into_iter();
    let fronts = rooms.zip(counts).map(|(room, &count)| &mut room[..count]);
    spread(kept, fronts.collect());
}

/// A copy of what is filled.
pub(super) fn copied<T: Copy + Default + Send + Sync>(
    all: &[T],
    rooms: &Partition,
    counts: &[usize],
) -> Vec<T> {
    joined(&filled(all, rooms, counts))
}
