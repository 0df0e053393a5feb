//! Walks through the payload of a page, and validates it.
//!
//! A walk makes all checks of the reference, and decodes in between with an [`Isa`]. In case of
//! doubt it stops without a reason: the reference then decides about the page, and reports the
//! damage.

mod layouts;

use generators_tpc::{Digit, Layout, PadId};

use super::kernel::{Bytes, Group, Isa, Packing, PadList, array_at};
use crate::tpc_decode::header::{OpenPage, Payload};
use crate::tpc_decode::input::Tables;

/// A page to be decoded, with the necessary tables and buffers.
pub(in crate::tpc_decode::cpu) struct Job<'a> {
    pub(in crate::tpc_decode::cpu) page: &'a OpenPage,
    pub(in crate::tpc_decode::cpu) payload: &'a Payload,
    pub(in crate::tpc_decode::cpu) tables: &'a Tables,
    /// Buffer for the pads of a time bin.
    pub(in crate::tpc_decode::cpu) pads: &'a mut PadList,
}

/// Writes the digits of a page to a slice whose length is the number that the header states; `None`
/// if the page does not have exactly this number, or is damaged otherwise. The content is undefined
/// then.
#[inline(always)]
pub(super) fn decode(isa: impl Isa, job: Job<'_>, digits: &mut [Digit]) -> Option<()> {
    let mut walk = Walk {
        isa,
        page: job.page,
        bytes: job.payload.bytes(),
        position: job.page.start,
        joiner: Joiner::new(job.pads, digits),
    };
    match job.page.format.layout() {
        Layout::Row => layouts::walk_rows(&mut walk)?,
        Layout::Link => layouts::walk_links(&mut walk, &job.tables.links)?,
        Layout::DenseLink => layouts::walk_dense_links(&mut walk, &job.tables.links)?,
    }
    walk.joiner.flush(isa, walk.bytes);
    walk.joiner.is_full().then_some(())
}

/// An offset in a payload, and the results of the bytes before it.
struct Walk<'a, K> {
    isa: K,
    page: &'a OpenPage,
    bytes: &'a Bytes,
    position: usize,
    joiner: Joiner<'a>,
}

impl<'a, K: Isa> Walk<'a, K> {
    #[inline(always)]
    fn u8_at(&self, position: usize) -> u8 {
        self.bytes[position]
    }

    #[inline(always)]
    fn u16_at(&self, position: usize) -> u16 {
        u16::from_le_bytes(*self.array_at(position))
    }

    #[inline(always)]
    fn array_at<const N: usize>(&self, position: usize) -> &'a [u8; N] {
        array_at(self.bytes, position)
    }

    /// The common bits of the digits of a time bin.
    #[inline(always)]
    fn template(&self, time_bin: u32) -> u64 {
        Digit::new(self.page.sector, PadId::default(), time_bin, 0).bits()
    }

    /// Skips the samples of the next pads, which must end before a limit. They are joined later.
    #[inline(always)]
    fn samples(
        &mut self,
        pads: usize,
        packing: Packing,
        template: u64,
        limit: usize,
    ) -> Option<()> {
        let position = self.position;
        self.position += packing.bytes_of(pads);
        if self.position > limit {
            return None;
        }
        self.joiner.push(self.isa, self.bytes, packing, template, position, pads)
    }
}

// Pads and samples are joined some time bins after the pads were listed: pads are listed by stores
// that overlap, and joined by loads that straddle them. A core that loads data just stored in
// pieces stalls until the stores have left its store buffer; with the work of some time bins in
// between, they have.

/// Groups that are joined at once.
const GROUPS: usize = 128;

/// Groups of samples whose pads are listed, and the digits that were made so far.
struct Joiner<'a> {
    pads: &'a mut PadList,
    groups: [Group; GROUPS],
    waiting: usize,
    /// Number of pads of the pending groups: the index for the next ones.
    listed: usize,
    digits: &'a mut [Digit],
    /// Number of digits made so far, including those of pending groups.
    promised: usize,
    made: usize,
}

impl<'a> Joiner<'a> {
    #[inline(always)]
    fn new(pads: &'a mut PadList, digits: &'a mut [Digit]) -> Self {
        Joiner {
            pads,
            groups: [Group::default(); GROUPS],
            waiting: 0,
            listed: 0,
            digits,
            promised: 0,
            made: 0,
        }
    }

    /// Makes a group of the next pads; `None` if there is no capacity for their digits.
    #[inline(always)]
    fn push(
        &mut self,
        isa: impl Isa,
        bytes: &Bytes,
        packing: Packing,
        template: u64,
        position: usize,
        pads: usize,
    ) -> Option<()> {
        self.promised += pads;
        if self.promised > self.digits.len() {
            return None;
        }
        self.groups[self.waiting] = Group {
            template,
            position: position as u32,
            first: self.listed as u16,
            end: (self.listed + pads) as u16,
            packing,
        };
        self.waiting += 1;
        self.listed += pads;
        if self.waiting == GROUPS || PadList::is_almost_full(self.listed) {
            self.flush(isa, bytes);
        }
        Some(())
    }

    /// Makes the digits of all groups.
    #[inline(always)]
    fn flush(&mut self, isa: impl Isa, bytes: &Bytes) {
        for &group in &self.groups[..self.waiting] {
            let digits = &mut self.digits[self.made..];
            match group.packing {
                Packing::Bits10 => isa.join_packed::<10>(bytes, self.pads, group, digits),
                Packing::Bits12 => isa.join_packed::<12>(bytes, self.pads, group, digits),
                Packing::Words => isa.join_words(bytes, self.pads, group, digits),
            }
            self.made += group.len();
        }
        self.waiting = 0;
        self.listed = 0;
    }

    /// True if the digits are complete.
    #[inline(always)]
    fn is_full(&self) -> bool {
        self.made == self.digits.len()
    }
}
