//! From hits in buckets to one flat array.

use generators_common::partition::Partition;
use parallel::for_each;

use crate::sts::{Hit, OfflineHit};

/// The order of the hits that are collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HitOrder {
    /// Modules one after the other, hits in the order found.
    AsFound,
    /// A stream for each module, in order of time, as tracking reads hits.
    Streams,
}

/// Appends hit by hit, as the offline reconstruction fills its output.
pub(super) fn append(modules: &[Vec<OfflineHit>], flat: &mut Vec<OfflineHit>) {
    flat.clear();
    for hits in modules {
        for &hit in hits {
            flat.push(hit);
        }
    }
}

/// Copies the pieces of all modules in parallel to a contiguous array. Returns their partition.
pub(super) fn copy<T: Copy + Default + Send + Sync>(
    pieces: &[&[T]],
    flat: &mut Vec<T>,
) -> Partition {
    let partition = Partition::from_lengths(pieces.iter().map(|piece| piece.len()));
    flat.resize(partition.elements(), T::default());
    let targets = partition.split_mut(flat);
    for_each(targets.into_iter().zip(pieces), |(target, piece)| target.copy_from_slice(piece));
    partition
}

/// Sorts the hits of each module by time.
pub(super) fn make_streams(
    hits: &mut [Hit],
    modules: &Partition,
    sort: impl Fn(&mut [Hit]) + Sync,
) {
    for_each(modules.split_mut(hits), sort);
}
