//! Pages to digits.

use std::borrow::Cow;
use std::ops::Range;

use generators_tpc::Digit;
use parallel::{fill, split_mut};
use portable_gpu::DeviceError;

use super::workers::{DecodeWorkers, Slot};
use super::{DecodePage, Level, PageDecoder, workers};
use crate::tpc_decode::damage::DamagedPage;
use crate::tpc_decode::input::TimeFrame;
use crate::tpc_decode::{Decoded, TpcDecode};
use tasks::algorithm::Runner;
use tasks::device::{Arena, ArenaVec, Buffers};

/// An invalid digit, which no input has.
const POISON: Digit = Digit::from_bits(u64::MAX);

/// A decoder with the pages of a time frame.
pub(crate) struct DigitsRunner<'a> {
    frame: &'a TimeFrame,
    arena: &'a Arena,
    workers: DecodeWorkers,
    decode: DecodePage,
    /// Number of samples that the headers state.
    promised: usize,
}

/// Buffers of a decoder.
pub(crate) struct DecodedPages<'a> {
    slots: ArenaVec<'a, Slot>,
    output: Decoded,
    arena: &'a Arena,
}

impl DecodedPages<'_> {
    /// Digits of the last run.
    pub(crate) fn digits(&self) -> &[Digit] {
        &self.output.digits
    }
}

impl Drop for DecodedPages<'_> {
    fn drop(&mut self) {
        self.arena.give(std::mem::take(&mut self.output.digits));
    }
}

impl Buffers for DecodedPages<'_> {
    fn poison(&mut self) -> Result<(), DeviceError> {
        self.slots.poison()?;
        fill(&mut self.output.digits, POISON);
        self.output.damaged.clear();
        Ok(())
    }

    fn bytes(&self) -> u64 {
        self.slots.bytes() + size_of_val(self.output.digits.as_slice()) as u64
    }
}

/// Range of a damaged page's digits, which is unused.
struct Hole {
    start: usize,
    length: usize,
}

impl<'a> DigitsRunner<'a> {
    pub(super) fn new(
        frame: &'a TimeFrame,
        arena: &'a Arena,
        workers: DecodeWorkers,
        decode: DecodePage,
    ) -> Self {
        let promised = workers::slots(frame).iter().map(Slot::samples).sum();
        DigitsRunner { frame, arena, workers, decode, promised }
    }

    /// The fastest decoder of this machine, with a team of `threads` threads.
    pub(crate) fn fastest(frame: &'a TimeFrame, arena: &'a Arena, threads: usize) -> Self {
        let decode = Level::best().decoder().unwrap_or(super::reference_page);
        DigitsRunner::new(frame, arena, DecodeWorkers::for_one_team(frame, threads), decode)
    }

    /// Number of samples that headers state: an upper bound.
    pub(crate) fn promised(&self) -> usize {
        self.promised
    }
}

impl<'a> Runner<TpcDecode> for DigitsRunner<'a> {
    type Buffers = DecodedPages<'a>;

    fn allocate(&self) -> Result<DecodedPages<'a>, DeviceError> {
        let digits = self.arena.take(self.promised);
        Ok(DecodedPages {
            slots: self.arena.vector(self.frame.pages.pages().len()),
            output: Decoded { digits, ..Decoded::default() },
            arena: self.arena,
        })
    }

    /// Restores the capacity that damaged pages have removed.
    fn load(&mut self, buffers: &mut DecodedPages<'a>) -> Result<(), DeviceError> {
        buffers.output.digits.resize(self.promised, Digit::default());
        Ok(())
    }

    fn run(&mut self, buffers: &mut DecodedPages<'a>) -> Result<(), DeviceError> {
        workers::read(self.frame, &self.workers, &mut buffers.slots);
        let frame = self.frame;
        let decode = self.decode;
        let slots = &buffers.slots;
        let samples = |pages: &Range<usize>| slots[pages.clone()].iter().map(Slot::samples).sum();
        let lengths: Vec<usize> = self.workers.tasks.iter().map(samples).collect();
        let parts = split_mut(&mut buffers.output.digits, lengths.iter().copied());
        let rejected = self
            .workers
            .map(parts, |pages, digits| decode_task(frame, decode, pages, slots, digits));
        conclude(&mut buffers.output, rejected, &lengths);
        Ok(())
    }

    fn output<'b>(&'b self, buffers: &'b DecodedPages<'a>) -> Cow<'b, Decoded> {
        Cow::Borrowed(&buffers.output)
    }

    fn input_bytes(&self) -> u64 {
        self.frame.pages.bytes().len() as u64
    }
}

/// Lists the damaged pages, and removes their unused ranges.
fn conclude(output: &mut Decoded, rejected: Vec<Vec<(DamagedPage, Hole)>>, lengths: &[usize]) {
    let mut start = 0;
    let mut holes = Vec::new();
    output.damaged.clear();
    for (of_task, length) in rejected.into_iter().zip(lengths) {
        for (page, hole) in of_task {
            output.damaged.push(page);
            holes.push(start + hole.start..start + hole.start + hole.length);
        }
        start += length;
    }
    close(&mut output.digits, &holes);
}

/// Decodes the pages of a task; returns those that are damaged.
fn decode_task(
    frame: &TimeFrame,
    decode: DecodePage,
    pages: &Range<usize>,
    slots: &[Slot],
    digits: &mut [Digit],
) -> Vec<(DamagedPage, Hole)> {
    let mut decoder = PageDecoder::new(frame, decode);
    let mut rejected = Vec::new();
    let mut start = 0;
    for index in pages.clone() {
        let length = slots[index].samples();
        let result = match &slots[index] {
            Slot::Empty => Ok(()),
            Slot::Damaged(damage) => Err(*damage),
            Slot::Page(page) => decoder.decode(index, page, &mut digits[start..start + length]),
        };
        if let Err(damage) = result {
            rejected.push((frame.damaged(index, damage), Hole { start, length }));
        }
        start += length;
    }
    rejected
}

/// Removes ascending ranges from a list.
pub(super) fn close<T: Copy>(list: &mut Vec<T>, holes: &[Range<usize>]) {
    let Some(first) = holes.first() else { return };
    let mut end = first.start;
    let next_starts = holes[1..].iter().map(|hole| hole.start);
    for (hole, kept_end) in holes.iter().zip(next_starts.chain([list.len()])) {
        list.copy_within(hole.end..kept_end, end);
        end += kept_end - hole.end;
    }
    list.truncate(end);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_are_closed() {
        let mut list: Vec<u32> = (0..10).collect();
        close(&mut list, &[0..2, 3..3, 5..6, 9..10]);
        assert_eq!(list, [2, 3, 4, 6, 7, 8]);
        close(&mut list, &[]);
        assert_eq!(list.len(), 6);
    }
}
