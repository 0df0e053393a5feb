//! Joining pads and samples, some time bins after the pads were listed.
//!
//! Pads are listed by stores that overlap, and joined by loads that straddle them. A core that
//! loads data just stored in pieces stalls until the stores have left its store buffer; with the
//! work of some time bins in between, they have.

use generators::tpc::Digit;

use crate::tpc_decode::cpu::kernel::{Bytes, Group, Isa, Packing, PadList};

/// Groups that are joined at once.
const GROUPS: usize = 128;

/// Groups of samples whose pads are listed, and the digits that were made so far.
pub(super) struct Joiner<'a> {
    pub(super) pads: &'a mut PadList,
    groups: [Group; GROUPS],
    waiting: usize,
    /// Number of pads of the pending groups: the index for the next ones.
    pub(super) listed: usize,
    digits: &'a mut [Digit],
    /// Number of digits made so far, including those of pending groups.
    promised: usize,
    made: usize,
}

impl<'a> Joiner<'a> {
    #[inline(always)]
    pub(super) fn new(pads: &'a mut PadList, digits: &'a mut [Digit]) -> Self {
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
    pub(super) fn push(
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
    pub(super) fn flush(&mut self, isa: impl Isa, bytes: &Bytes) {
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
    pub(super) fn is_full(&self) -> bool {
        self.made == self.digits.len()
    }
}
