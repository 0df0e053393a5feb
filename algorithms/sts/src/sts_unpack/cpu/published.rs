//! The experiment's algorithm on a CPU: each microslice into a list of its own, then all lists of a
//! timeslice copied into one. Each list finds its offset by adding up all sizes before it.

use generators_sts::Digi;
use generators_sts::raw::{MESSAGE_BYTES, MicrosliceCounts};
use parallel::shared::SharedSlice;
use parallel::{Grain, for_each_range, map_dynamic};
use portable_gpu::timing::Laps;

use super::{UnpackInput, microslice};
use crate::sts_unpack::survey::Job;

/// Messages of a microslice of which there are no digis.
const FIRST_MESSAGES: usize = 2;

pub(super) fn unpack(
    input: &UnpackInput<'_>,
    mut counts: &mut [MicrosliceCounts],
    mut digis: &mut [Digi],
    laps: &mut Laps,
) {
    let mut jobs = input.jobs;
    for timeslice in input.timeslices {
        let (timeslice_jobs, rest) = jobs.split_at(timeslice.microslices as usize);
        let (timeslice_counts, remaining_counts) = counts.split_at_mut(timeslice_jobs.len());
        let lists = lists(input, timeslice_jobs);
        for (counts, (of_microslice, _)) in timeslice_counts.iter_mut().zip(&lists) {
            *counts = *of_microslice;
        }
        laps.lap("unpack", 0);
        let copied = copy_together(&lists, digis);
        laps.lap("copy", 0);
        (jobs, counts, digis) = (rest, remaining_counts, &mut digis[copied..]);
    }
}

type List = (MicrosliceCounts, Vec<Digi>);

/// The digis of each microslice.
fn lists(input: &UnpackInput<'_>, jobs: &[Job]) -> Vec<List> {
    map_dynamic(jobs, |job| {
        let mut digis = Vec::new();
        let Some(own) = input.microslice(job) else {
            return (MicrosliceCounts::default(), digis);
        };
        let messages = own.content.len() / MESSAGE_BYTES;
        digis.reserve(messages.saturating_sub(FIRST_MESSAGES));
        let counts = microslice::unpack(own, microslice::exact, |digi| digis.push(digi));
        (counts, digis)
    })
}

/// Concatenates all lists, and returns the number of digis.
fn copy_together(lists: &[List], digis: &mut [Digi]) -> usize {
    let all = SharedSlice::new(digis);
    for_each_range(lists.len(), Grain::One, |range| {
        let digis_before = |lists: &[List]| lists.iter().map(|(_, digis)| digis.len()).sum();
        let mut index: usize = digis_before(&lists[..range.start]);
        for (_, digis) in &lists[range] {
            // SAFETY: this range is after those of all lists before, so the ranges of different
            // lists are disjoint.
            unsafe { all.part(index..index + digis.len()) }.copy_from_slice(digis);
            index += digis.len();
        }
    });
    lists.iter().map(|(_, digis)| digis.len()).sum()
}
