//! The order of digis.

use generators::named;
use generators::partition::Partition;
use generators::sts::raw::{TimesliceCounts, Unpacked};
use rayon::slice::ParallelSliceMut;

use crate::algorithm::CheckError;
use crate::parallel::for_each;
use crate::sts_sort::check::same_keys_and_runs;
use crate::sts_sort::order::ByTime;

/// Order of digis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum DigiOrder {
    /// By component, microslice and message.
    #[default]
    Arrival,
    /// By time within each timeslice; those of the same time in any order.
    Time,
}

named! { "order", DigiOrder { Arrival = "arrival", Time = "time" } }

/// The digis of each timeslice.
pub(super) fn partition(timeslices: &[TimesliceCounts]) -> Partition {
    Partition::from_lengths(timeslices.iter().map(TimesliceCounts::digis))
}

/// Sorts the digis of each timeslice stably by time.
pub(super) fn sort(unpacked: &mut Unpacked) {
    let timeslices = partition(&unpacked.timeslices).split_mut(&mut unpacked.digis);
    for_each(timeslices, |digis| digis.par_sort_by_key(|digi| digi.time_ns()));
}

/// Checks that digis of these timeslices are the right ones, sorted by time.
pub(super) fn compare(found: &Unpacked, right: &Unpacked) -> Result<(), CheckError> {
    let timeslices = partition(&right.timeslices);
    Ok(same_keys_and_runs::<ByTime>(&timeslices, &right.digis, &found.digis, |digi| digi)?)
}
