//! Microslices that are unpacked together.

use std::ops::Range;

use generators::sts::raw::MESSAGE_BYTES;

use crate::sts_unpack::survey::Job;

/// Messages of a part, without its last microslice: their digis stay in the second-level cache.
const MESSAGES: usize = 1 << 14;

/// Consecutive microslices.
pub(super) struct Part {
    pub(super) jobs: Range<usize>,
    /// Messages of all of them: there are no more digis.
    pub(super) messages: usize,
}

/// All microslices in parts; a long one is a part of its own.
pub(super) fn parts(jobs: &[Job]) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut open = Part { jobs: 0..0, messages: 0 };
    for job in jobs {
        open.messages += job.bytes as usize / MESSAGE_BYTES;
        open.jobs.end += 1;
        if open.messages >= MESSAGES {
            let next = open.jobs.end..open.jobs.end;
            parts.push(std::mem::replace(&mut open, Part { jobs: next, messages: 0 }));
        }
    }
    if !open.jobs.is_empty() {
        parts.push(open);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_microslice_is_in_one_part() {
        let job = |messages: usize| Job { bytes: (4 * messages) as u32, ..Job::default() };
        let lengths = [0, 5, MESSAGES - 5, 1, 3 * MESSAGES, 0, 0];
        let parts = parts(&lengths.map(job));
        let found: Vec<_> = parts.iter().map(|part| (part.jobs.clone(), part.messages)).collect();
        assert_eq!(found, [(0..3, MESSAGES), (3..5, 3 * MESSAGES + 1), (5..7, 0)]);
        assert!(super::parts(&[]).is_empty());
    }
}
