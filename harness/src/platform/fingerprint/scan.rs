//! What a function refers to.

use std::ops::Range;

use object::Architecture;

use super::{aarch64, x86_64};

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
    /// Reads a function that lies at this address. Of processors that are not known the
    /// bytes stay as they are.
    pub(super) fn of(architecture: Architecture, code: &[u8], address: u64) -> Self {
        match architecture {
            Architecture::X86_64 => x86_64::scan(code, address),
            Architecture::Aarch64 => aarch64::scan(code, address),
            _ => Scan {
                code: code.to_vec(),
                references: Vec::new(),
            },
        }
    }

    pub(super) fn mask(&mut self, range: Range<usize>) {
        if let Some(bytes) = self.code.get_mut(range) {
            bytes.fill(0);
        }
    }
}
