//! Output of unpacking, the order of its digis, and its check.

use generators::named;
use generators::partition::Partition;
use generators::sts::raw::{MicrosliceCounts, TimesliceCounts, Unpacked};
use rayon::slice::ParallelSliceMut;

use crate::algorithm::mutants::inside;
use crate::algorithm::{CheckError, Choose, Element, Mutants, Output};
use crate::parallel::for_each;
use crate::sts_sort::check::same_keys_and_runs;
use crate::sts_sort::order::ByTime;

/// All counts, and all digis in their order.
impl Output for Unpacked {
    fn nothing() -> Self {
        Unpacked::default()
    }

    fn compare(&self, right: &Self) -> Result<(), CheckError> {
        compare_counts(self, right)?;
        self.digis.compare(&right.digis)
    }

    fn mutants(&self, choose: Choose<'_>) -> Mutants<Self> {
        let timeslices = self.timeslices.mutants(choose);
        let microslices = self.microslices.mutants(choose);
        let digis = self.digis.mutants(choose);
        let timeslices = inside(self, timeslices, |all, list| all.timeslices = list);
        let microslices = inside(self, microslices, |all, list| all.microslices = list);
        let digis = inside(self, digis, |all, list| all.digis = list);
        timeslices.chain(microslices).chain(digis).collect()
    }
}

/// All but the digis.
pub(super) fn compare_counts(found: &Unpacked, right: &Unpacked) -> Result<(), CheckError> {
    found.timeslices.compare(&right.timeslices)?;
    found.microslices.compare(&right.microslices)
}

impl Element for TimesliceCounts {
    const NAME: &'static str = "timeslice";

    fn changed(&self, choose: Choose<'_>) -> Self {
        let mut numbers: [u64; 6] = bytemuck::cast(*self);
        numbers[choose(6)] ^= 1 << choose(64);
        bytemuck::cast(numbers)
    }
}

impl Element for MicrosliceCounts {
    const NAME: &'static str = "microslice";

    fn changed(&self, choose: Choose<'_>) -> Self {
        let mut numbers: [u32; 7] = bytemuck::cast(*self);
        numbers[choose(7)] ^= 1 << choose(32);
        bytemuck::cast(numbers)
    }
}

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
