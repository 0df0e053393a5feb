//! State of the walk through a payload.

use generators::tpc::{Digit, PadId};

use super::joiner::Joiner;
use crate::tpc_decode::cpu::kernel::{Bytes, Isa, Packing, array_at};
use crate::tpc_decode::header::OpenPage;

/// An offset in a payload, and the results of the bytes before it.
pub(super) struct Walk<'a, K> {
    pub(super) isa: K,
    pub(super) page: &'a OpenPage,
    pub(super) bytes: &'a Bytes,
    pub(super) position: usize,
    pub(super) joiner: Joiner<'a>,
}

impl<'a, K: Isa> Walk<'a, K> {
    #[inline(always)]
    pub(super) fn u8_at(&self, position: usize) -> u8 {
        self.bytes[position]
    }

    #[inline(always)]
    pub(super) fn u16_at(&self, position: usize) -> u16 {
        u16::from_le_bytes(*self.array_at(position))
    }

    #[inline(always)]
    pub(super) fn array_at<const N: usize>(&self, position: usize) -> &'a [u8; N] {
        array_at(self.bytes, position)
    }

    /// The common bits of the digits of a time bin.
    #[inline(always)]
    pub(super) fn template(&self, time_bin: u32) -> u64 {
        Digit::new(self.page.sector, PadId::default(), time_bin, 0).bits()
    }

    /// Skips the samples of the next pads, which must end before a limit. They are joined later.
    #[inline(always)]
    pub(super) fn samples(
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
