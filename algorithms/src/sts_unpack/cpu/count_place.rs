//! Messages are looked at twice: sizes first, then each digi goes into its place.

use generators::sts::Digi;
use generators::sts::raw::MicrosliceCounts;

use super::microslice;
use super::runner::Work;
use crate::device::SharedSlice;
use crate::parallel::{Grain, for_each_part, for_each_range};
use crate::timing::Laps;

pub(super) fn unpack(
    work: &Work<'_>,
    counts: &mut [MicrosliceCounts],
    digis: &mut [Digi],
    laps: &mut Laps,
) {
    for_each_part(counts, Grain::One, |first, counts| {
        for (counts, job) in counts.iter_mut().zip(&work.jobs[first..]) {
            let counted = |own| microslice::unpack(own, microslice::looked_up, |_| {});
            *counts = work.microslice(job).map_or_else(MicrosliceCounts::default, counted);
        }
    });
    laps.lap("count", 0);
    let places = places(counts);
    let all = SharedSlice::new(digis);
    for_each_range(work.jobs.len(), Grain::One, |range| {
        for (job, places) in work.jobs[range.clone()].iter().zip(places[range.start..].windows(2)) {
            let Some(own) = work.microslice(job) else { continue };
            // SAFETY: these places are of this microslice alone.
            let mut places = unsafe { all.part(places[0]..places[1]) }.iter_mut();
            microslice::unpack(own, microslice::looked_up, |digi| {
                if let Some(place) = places.next() {
                    *place = digi;
                }
            });
        }
    });
    laps.lap("place", 0);
}

/// Where the digis of each microslice begin, and where the last ones end.
fn places(counts: &[MicrosliceCounts]) -> Vec<usize> {
    let ends = counts.iter().scan(0, |end, counts| {
        *end += counts.digis as usize;
        Some(*end)
    });
    [0].into_iter().chain(ends).collect()
}
