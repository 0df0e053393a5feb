//! Parts of all microslices that threads unpack independently, for chains that move digis on.

use std::ops::Range;

use generators::sts::Digi;
use generators::sts::raw::{MESSAGE_BYTES, MicrosliceCounts};

use super::messages::{self, SLACK};
use crate::sts_unpack::cpu::runner::UnpackInput;
use crate::sts_unpack::survey::Job;

/// Buffer capacity of a part of `messages` messages.
pub(crate) fn capacity_for(messages: usize) -> usize {
    messages + SLACK
}

/// Messages of microslices.
pub(crate) fn messages(jobs: &[Job]) -> usize {
    jobs.iter().map(|job| job.bytes as usize / MESSAGE_BYTES).sum()
}

/// Writes the digis of these microslices one after the other, and calls `show` with those of each
/// microslice while they are cached. Returns the number of digis.
pub(crate) fn unpack_part(
    input: &UnpackInput<'_>,
    jobs: &[Job],
    counts: &mut [MicrosliceCounts],
    buffer: &mut [Digi],
    mut show: impl FnMut(&[Digi]),
) -> usize {
    let messages = messages::best();
    let mut found = 0;
    for (counts, job) in counts.iter_mut().zip(jobs) {
        let unpack = |microslice| messages(microslice, &mut buffer[found..]);
        *counts = input.microslice(job).map_or_else(MicrosliceCounts::default, unpack);
        let written = found..found + counts.digis as usize;
        show(&buffer[written.clone()]);
        found = written.end;
    }
    found
}

/// Divides consecutive microslices into `parts` parts of about the same number of messages; some
/// may be empty.
pub(crate) fn even_parts(jobs: &[Job], parts: usize) -> Vec<Range<usize>> {
    let bytes: u64 = jobs.iter().map(|job| u64::from(job.bytes)).sum();
    let mut begin = 0;
    let mut seen = 0;
    let part = |index: usize| {
        let wanted = (u128::from(bytes) * (index as u128 + 1) / parts as u128) as u64;
        let first = begin;
        while begin < jobs.len() && (seen < wanted || index + 1 == parts) {
            seen += u64::from(jobs[begin].bytes);
            begin += 1;
        }
        first..begin
    };
    (0..parts).map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_all_and_are_even() {
        let jobs: Vec<_> =
            [4, 0, 0, 8, 4, 400, 4, 4].map(|bytes| Job { bytes, ..Job::default() }).into();
        for count in 1..10 {
            let parts = even_parts(&jobs, count);
            assert_eq!(parts.len(), count);
            let all: Vec<_> = parts.iter().cloned().flatten().collect();
            assert!(all.into_iter().eq(0..jobs.len()), "{parts:?}");
        }
        assert_eq!(even_parts(&jobs, 2), [0..6, 6..8]);
        assert_eq!(even_parts(&[], 2), [0..0, 0..0]);
        let nothing = [Job::default(); 3];
        assert_eq!(even_parts(&nothing, 2), [0..0, 0..3]);
    }
}
