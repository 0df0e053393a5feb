//! What a function refers to.

use std::ops::Range;

/// A function, read instruction by instruction.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Scan {
    /// Its bytes, with zeros for whatever depends on where it and others lie.
    pub(super) code: Vec<u8>,
    /// In the order of the code.
    pub(super) references: Vec<Reference>,
}

/// Something outside of the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reference {
    /// That is called, jumped to, or whose address is taken.
    Address(u64),
    /// So many bytes that are read or written; 0 if that is not known.
    Bytes(u64, u64),
}

impl Scan {
    pub(super) fn new(code: &[u8]) -> Self {
        Scan { code: code.to_vec(), references: Vec::new() }
    }

    pub(super) fn mask(&mut self, range: Range<usize>) {
        if let Some(bytes) = self.code.get_mut(range) {
            bytes.fill(0);
        }
    }
}

impl Reference {
    pub(super) fn address(self) -> u64 {
        match self {
            Reference::Address(address) | Reference::Bytes(address, _) => address,
        }
    }
}
