//! From raw data to digis by module side, with the digis of each side counted on the way.
//!
//! Each thread unpacks a part into memory of its own, and counts digis while they are in the cache. So
//! nobody has to bring parts together, or to read all digis once more to count them.

use generators::sts::Digi;
use generators::sts::raw::MicrosliceCounts;

use super::LookupTable;
use super::lookup_table::places;
use crate::device::SharedSlice;
use crate::parallel::{for_each, map};
use crate::sts_unpack::cpu::{Work, even_parts, messages_of, room_for, unpack_part};
use crate::sts_unpack::survey::Job;

/// A part of all microslices, with its own places.
struct Part<'p> {
    jobs: &'p [Job],
    counts: &'p mut [MicrosliceCounts],
    room: &'p mut [Digi],
}

/// Digis that were unpacked, and how many of them each side has.
struct Unpacked<'p> {
    digis: &'p [Digi],
    of_sides: Vec<u32>,
}

impl LookupTable {
    /// Unpacks microslices and puts their digis to module sides in the order of the messages. Counts
    /// of microslices go beside; `room` is overwritten: [`room_for_parts`] tells how much it has to
    /// be. Returns the digis of each side.
    ///
    /// # Panics
    /// If there is no room for all digis.
    pub(in crate::sts) fn scatter_raw(
        &self,
        work: &Work<'_>,
        (counts, room): (&mut [MicrosliceCounts], &mut [Digi]),
        target: &mut [Digi],
        threads: usize,
    ) -> Vec<usize> {
        let unpacked = map(parts(work.jobs, counts, room, threads), |part| {
            let mut of_sides = vec![0; self.sides()];
            let count = |digis: &[Digi]| self.add(digis, &mut of_sides);
            let Part { jobs, counts, room } = part;
            let found = unpack_part(work, jobs, counts, room, count);
            Unpacked { digis: &room[..found], of_sides }
        });
        let counted: Vec<_> = unpacked.iter().map(|part| part.of_sides.clone()).collect();
        let totals = self.totals(&counted);
        assert!(totals.iter().sum::<usize>() <= target.len(), "no room for all digis");
        let target = SharedSlice::new(target);
        for_each(unpacked.into_iter().zip(places(&counted)), |(part, mut places)| {
            self.move_part(part.digis, &mut places, &target, |_, _| ());
        });
        totals
    }
}

/// Places for the digis of so many messages in so many parts.
pub(in crate::sts) fn room_for_parts(messages: usize, parts: usize) -> usize {
    messages + parts * room_for(0)
}

fn parts<'p>(
    jobs: &'p [Job],
    mut counts: &'p mut [MicrosliceCounts],
    mut room: &'p mut [Digi],
    count: usize,
) -> Vec<Part<'p>> {
    let part = |range| {
        let jobs: &[Job] = &jobs[range];
        let own_counts = counts.split_off_mut(..jobs.len()).unwrap_or_default();
        let own_room = room.split_off_mut(..room_for(messages_of(jobs))).unwrap_or_default();
        Part { jobs, counts: own_counts, room: own_room }
    };
    even_parts(jobs, count).into_iter().map(part).collect()
}
