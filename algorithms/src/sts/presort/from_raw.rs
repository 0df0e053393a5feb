//! From raw data to digis by module side; the digis of each side are counted in the same pass.
//!
//! Each thread unpacks a part into its own buffer, and counts digis while they are in the cache. So
//! parts are not joined to a stream first, and digis are not read once more to be counted.

use generators::sts::Digi;
use generators::sts::raw::MicrosliceCounts;

use super::LookupTable;
use super::lookup_table::offsets;
use crate::parallel::{for_each, map};
use crate::shared::SharedSlice;
use crate::sts_unpack::cpu::{UnpackInput, capacity_for, even_parts, messages_of, unpack_part};
use crate::sts_unpack::survey::Job;

/// A part of all microslices, with its buffers.
struct Part<'p> {
    jobs: &'p [Job],
    counts: &'p mut [MicrosliceCounts],
    buffer: &'p mut [Digi],
}

/// Digis that were unpacked, and how many of them each side has.
struct Unpacked<'p> {
    digis: &'p [Digi],
    of_sides: Vec<u32>,
}

impl LookupTable {
    /// Unpacks microslices and scatters their digis to module sides in the order of the messages.
    /// Also writes the counts of microslices; `buffer` is overwritten, and needs
    /// [`capacity_for_parts`] elements. Returns the digis of each side.
    ///
    /// # Panics
    /// If the capacity is too small for all digis.
    pub(in crate::sts) fn scatter_raw(
        &self,
        input: &UnpackInput<'_>,
        counts: &mut [MicrosliceCounts],
        buffer: &mut [Digi],
        target: &mut [Digi],
        threads: usize,
    ) -> Vec<usize> {
        let unpacked = map(parts(input.jobs, counts, buffer, threads), |part| {
            let mut of_sides = vec![0; self.sides()];
            let count = |digis: &[Digi]| self.add(digis, &mut of_sides);
            let Part { jobs, counts, buffer } = part;
            let found = unpack_part(input, jobs, counts, buffer, count);
            Unpacked { digis: &buffer[..found], of_sides }
        });
        let counted: Vec<_> = unpacked.iter().map(|part| part.of_sides.clone()).collect();
        let totals = self.totals(&counted);
        assert!(
            totals.iter().sum::<usize>() <= target.len(),
            "the target is too short for all digis"
        );
        let target = SharedSlice::new(target);
        for_each(unpacked.into_iter().zip(offsets(&counted)), |(part, mut offsets)| {
            self.move_part(part.digis, &mut offsets, &target, |_, _| ());
        });
        totals
    }
}

/// Buffer capacity for the digis of `messages` messages in `parts` parts.
pub(in crate::sts) fn capacity_for_parts(messages: usize, parts: usize) -> usize {
    messages + parts * capacity_for(0)
}

fn parts<'p>(
    jobs: &'p [Job],
    mut counts: &'p mut [MicrosliceCounts],
    mut buffer: &'p mut [Digi],
    count: usize,
) -> Vec<Part<'p>> {
    let part = |range| {
        let jobs: &[Job] = &jobs[range];
        let part_counts = counts.split_off_mut(..jobs.len()).unwrap_or_default();
        let part_buffer =
            buffer.split_off_mut(..capacity_for(messages_of(jobs))).unwrap_or_default();
        Part { jobs, counts: part_counts, buffer: part_buffer }
    };
    even_parts(jobs, count).into_iter().map(part).collect()
}
