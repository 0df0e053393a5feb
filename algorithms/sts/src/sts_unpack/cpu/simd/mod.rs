//! recobench: messages are read once, digis written once.
//!
//! The number of digis of a microslice is known after it is unpacked. So a thread unpacks some of
//! them into a cached buffer, waits for the end offset of the parts before, publishes its own, and
//! copies the digis there with streaming stores. `messages` has the inner loop for each instruction
//! set.

mod messages;

use std::hint::spin_loop;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::yield_now;

use generators_sts::Digi;
use generators_sts::raw::{MESSAGE_BYTES, MicrosliceCounts};
use parallel::shared::SharedSlice;
use parallel::{Grain, for_each_range};
use portable_gpu::timing::Laps;

use super::UnpackInput;
use crate::sts_unpack::survey::Job;
use messages::SLACK;
use tasks::device::{Stores, streaming};

pub(super) fn unpack(
    input: &UnpackInput<'_>,
    counts: &mut [MicrosliceCounts],
    digis: &mut [Digi],
    laps: &mut Laps,
) {
    let parts = parts(input.jobs);
    let longest = parts.iter().map(|part| part.messages).max().unwrap_or(0);
    let tickets = OrderedTickets::new(parts.len());
    let counts = SharedSlice::new(counts);
    let digis = SharedSlice::new(digis);
    for_each_range(rayon::current_num_threads().min(parts.len()), Grain::Shares, |_| {
        let mut nearby = vec![Digi::default(); capacity_for(longest)];
        streaming(|stores| {
            while let Some(ticket) = tickets.next(&parts) {
                let part = ticket.part;
                // SAFETY: each microslice is in one part only.
                let counts = unsafe { counts.part(part.jobs.clone()) };
                let found =
                    unpack_part(input, &input.jobs[part.jobs.clone()], counts, &mut nearby, |_| ());
                let offset = ticket.reserve(found);
                // SAFETY: `reserve` gives consecutive ranges to the parts, so no other part writes
                // to this one.
                let offset = unsafe { digis.part(offset..offset + found) };
                stream(stores, offset, &nearby[..found]);
            }
        });
    });
    laps.lap("unpack", 0);
}

fn stream(stores: &Stores, to: &mut [Digi], from: &[Digi]) {
    stores.stream(bytemuck::cast_slice_mut(to), bytemuck::cast_slice(from));
}

/// Messages of a part, without its last microslice: their digis stay in the second-level cache.
const MESSAGES: usize = 1 << 14;

/// Consecutive microslices.
struct Part {
    jobs: Range<usize>,
    /// Messages of all of them: there are no more digis.
    messages: usize,
}

/// All microslices in parts; a long one is a part of its own.
fn parts(jobs: &[Job]) -> Vec<Part> {
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

/// Buffer capacity of a part of `messages` messages.
pub(crate) fn capacity_for(messages: usize) -> usize {
    messages + SLACK
}

/// Messages of microslices.
pub(crate) fn messages_of(jobs: &[Job]) -> usize {
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

// Parts are taken in order, and each gets its offset from the one before. A thread only waits for
// parts that were taken earlier, by threads that are working on them: the first of these does not
// wait.

/// Looks before others are let onto the core: it may be one of them that is waited for.
const SPINS: usize = 1 << 10;
/// The offset is not known yet.
const UNKNOWN: usize = usize::MAX;
/// The offset will never be known, because the thread that should have published it has panicked.
const POISONED: usize = usize::MAX - 1;

/// Offset of each part, and index of the next one.
struct OrderedTickets {
    offsets: Vec<AtomicUsize>,
    next: AtomicUsize,
}

/// A part that was taken. Its owner must call `reserve` with the length; if it is dropped instead,
/// waiting threads panic.
struct Ticket<'t, T> {
    tickets: &'t OrderedTickets,
    index: usize,
    /// The part.
    part: &'t T,
}

impl OrderedTickets {
    /// Tickets for `parts` parts.
    fn new(parts: usize) -> Self {
        let offsets: Vec<_> = (0..=parts).map(|_| AtomicUsize::new(UNKNOWN)).collect();
        offsets[0].store(0, Ordering::Relaxed);
        OrderedTickets { offsets, next: AtomicUsize::new(0) }
    }

    /// Takes the next part.
    fn next<'t, T>(&'t self, parts: &'t [T]) -> Option<Ticket<'t, T>> {
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        Some(Ticket { tickets: self, index, part: parts.get(index)? })
    }

    fn begin(&self, part: usize) -> usize {
        let mut spins = 0;
        loop {
            match self.offsets[part].load(Ordering::Acquire) {
                UNKNOWN if spins < SPINS => spin_loop(),
                UNKNOWN => yield_now(),
                POISONED => panic!("a part before is not there"),
                begin => return begin,
            }
            spins += 1;
        }
    }
}

impl<T> Ticket<'_, T> {
    /// Returns the offset of the part, which has `elements` elements, and publishes that of the
    /// next.
    fn reserve(self, elements: usize) -> usize {
        let begin = self.tickets.begin(self.index);
        self.tickets.offsets[self.index + 1].store(begin + elements, Ordering::Release);
        begin
    }
}

impl<T> Drop for Ticket<'_, T> {
    /// Releases waiting threads if the length was never published.
    fn drop(&mut self) {
        let end = &self.tickets.offsets[self.index + 1];
        // Only this thread writes it.
        if end.load(Ordering::Relaxed) == UNKNOWN {
            end.store(POISONED, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use parallel::{Grain, for_each_range};

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

    #[test]
    fn parts_are_consecutive_in_any_order_of_completion() {
        let parts: Vec<usize> = (0..500).map(|part| part * 7 % 5).collect();
        let tickets = OrderedTickets::new(parts.len());
        let offsets: Vec<_> = parts.iter().map(|_| AtomicUsize::new(UNKNOWN)).collect();
        for_each_range(4, Grain::One, |_| {
            while let Some(ticket) = tickets.next(&parts) {
                let index = ticket.index;
                let elements = *ticket.part;
                offsets[index].store(ticket.reserve(elements), Ordering::Relaxed);
            }
        });
        let mut expected = 0;
        for (begin, part) in offsets.iter().zip(&parts) {
            assert_eq!(begin.load(Ordering::Relaxed), expected);
            expected += part;
        }
    }

    #[test]
    fn no_thread_waits_for_a_lost_part() {
        let parts = [1, 2, 3];
        let tickets = OrderedTickets::new(3);
        assert_eq!(tickets.next(&parts).map(|ticket| ticket.reserve(5)), Some(0));
        drop(tickets.next(&parts));
        let last = tickets.next(&parts).expect("the third");
        assert!(catch_unwind(AssertUnwindSafe(|| last.reserve(1))).is_err());
    }
}
