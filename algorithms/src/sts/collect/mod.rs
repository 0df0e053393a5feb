//! From hits in buckets to one flat array.

use generators::partition::Partition;
use rayon::prelude::*;

use crate::sts::OfflineHit;

/// Appends hit by hit, as the offline reconstruction fills its output.
pub(super) fn append(modules: &[Vec<OfflineHit>], flat: &mut Vec<OfflineHit>) {
    flat.clear();
    for hits in modules {
        for &hit in hits {
            flat.push(hit);
        }
    }
}

/// Copies the pieces of all modules behind each other, all at the same time. Returns
/// where they lie.
pub(super) fn copy<T: Copy + Default + Send + Sync>(
    pieces: &[&[T]],
    flat: &mut Vec<T>,
) -> Partition {
    let places = Partition::from_lengths(pieces.iter().map(|piece| piece.len()));
    flat.resize(places.elements(), T::default());
    let targets = places.split_mut(flat);
    let copies = targets.into_par_iter().zip(pieces.par_iter());
    copies.for_each(|(target, piece)| target.copy_from_slice(piece));
    places
}
