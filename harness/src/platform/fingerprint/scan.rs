//! References of a function.

use std::ops::Range;

/// A function, read instruction by instruction.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Scan {
    /// Its bytes, with zeros for everything that depends on addresses.
    pub(super) code: Vec<u8>,
    /// References in the order of the code.
    pub(super) references: Vec<Reference>,
}

/// A reference to something outside of the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reference {
    /// Address that is called, jumped to, or taken.
    Address(u64),
    /// Address and number of bytes that are read or written; 0 if unknown.
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
