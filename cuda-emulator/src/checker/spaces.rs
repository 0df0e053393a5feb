//! A piece of memory that a kernel may use.

use super::shadow::{Conflict, Shadow, Trace};
use super::vector_clock::AccessTime;

/// Distance from a piece of memory within which an address counts as out of its bounds.
const NEAR: usize = 4096;

/// The piece of memory of an address.
#[derive(Clone, Copy)]
pub(super) enum SpaceId {
    /// An allocation, by its index in the list.
    Global(usize),
    Dynamic,
    Static,
}

/// A piece of memory: its written bytes, and its users.
pub(super) struct Space {
    base: usize,
    written: Vec<bool>,
    shadow: Shadow,
}

impl Space {
    pub(super) fn new(base: usize, written: Vec<bool>) -> Self {
        let shadow = Shadow::new(written.len());
        Space { base, written, shadow }
    }

    pub(super) fn into_written(self) -> Vec<bool> {
        self.written
    }

    /// Marks all bytes as unwritten.
    pub(super) fn clear(&mut self) {
        self.written.fill(false);
        self.shadow.clear();
    }

    pub(super) fn base(&self) -> usize {
        self.base
    }

    pub(super) fn size(&self) -> usize {
        self.written.len()
    }

    pub(super) fn contains(&self, address: usize, bytes: usize) -> bool {
        let offset = address.wrapping_sub(self.base);
        offset < self.size() && bytes <= self.size() - offset
    }

    /// Bytes from the beginning, negative before it.
    pub(super) fn offset(&self, address: usize) -> i64 {
        address.wrapping_sub(self.base).cast_signed() as i64
    }

    /// Distance of an address from this piece, if it is close enough to be an access past its end
    /// or before its start.
    pub(super) fn near(&self, address: usize) -> Option<usize> {
        let before = self.base.saturating_sub(address);
        let after = address.saturating_sub(self.base + self.size());
        Some(before.max(after)).filter(|distance| *distance < NEAR)
    }

    pub(super) fn is_written(&self, address: usize, bytes: usize) -> bool {
        self.written[address - self.base..][..bytes].iter().all(|&written| written)
    }

    /// Records an access inside, and returns one that it races with, and the address.
    pub(super) fn access(
        &mut self,
        address: usize,
        bytes: usize,
        trace: Trace,
        writes: bool,
        happened: &impl Fn(&AccessTime) -> bool,
    ) -> Option<(Conflict, usize)> {
        let offset = address - self.base;
        if writes {
            self.written[offset..][..bytes].fill(true);
        }
        let conflict = self.shadow.access(offset, bytes, trace, writes, happened)?;
        Some((conflict, self.base + conflict.offset))
    }
}
