//! Kinds of damage of a page and their location, and random damage that is difficult for decoders.

use std::fmt;

use generators_common::random::mix;
use generators_tpc::page::{PAGE_BYTES, Page};

/// The first error of a page. The complete page is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Bytes from the start of the page; beyond 8192 it is in the next page.
    pub offset: usize,
    /// The damaged field.
    pub field: Field,
    /// Its value.
    pub value: u64,
    /// Its expected value.
    pub expected: Expected,
}

/// Expected value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// This number.
    Exactly(u64),
    /// This number or a smaller one.
    AtMost(u64),
    /// This number or a larger one.
    AtLeast(u64),
    /// A multiple of this number.
    MultipleOf(u64),
    /// A description in words.
    Words(&'static str),
}

/// `fields! { /// … Magic = "magic", … }`: fields with their names in reports.
macro_rules! fields {
    ($($(#[$doc:meta])* $field:ident = $name:literal,)+) => {
        /// A field of a page, or a condition on several: the kind of a damage.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Field {
            $($(#[$doc])* $field,)+
        }

        impl Field {
            /// The name in reports.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Field::$field => $name,)+
                }
            }
        }
    };
}

fields! {
    /// Version of the raw data header.
    RdhVersion = "RDH version",
    /// Size of the raw data header.
    RdhSize = "RDH size",
    /// Bytes used of the page.
    MemorySize = "memory size",
    /// The detector field of the raw data header.
    DetectorField = "detector field",
    /// The sender in the raw data header.
    FeeId = "FEE id",
    /// The link in the raw data header.
    LinkId = "link id",
    /// The orbit.
    Orbit = "orbit",
    /// Version of the zero-suppressed format.
    Version = "version",
    /// Last byte of the zero-suppression header.
    Magic = "magic",
    /// The read-out unit in the zero-suppression header.
    Cru = "CRU",
    /// Bunch crossing of the first time bin.
    TimeOffset = "time offset",
    /// Time bins of the page.
    Span = "time bin span",
    /// The number of samples.
    Samples = "number of samples",
    /// Offset of the payload.
    FirstBlock = "payload offset",
    /// The number of blocks.
    Blocks = "number of blocks",
    /// The flags of the zero-suppression header.
    Flags = "flags",
    /// The part of a block in the next page.
    Continuation = "continuation",
    /// End of the payload.
    End = "end of payload",
    /// The rows of a time bin.
    RowMask = "row mask",
    /// The address of a row.
    RowAddress = "row address",
    /// The number of sequences of pads in a row.
    Sequences = "number of sequences",
    /// The first pad of a sequence.
    FirstPad = "first pad",
    /// The samples of a row up to the end of a sequence.
    SequenceEnd = "end of sequence",
    /// Last byte of a link header.
    LinkMagic = "link magic",
    /// The front-end card of a link.
    Fec = "front-end card",
    /// The number of data words of a link.
    DataWords = "number of data words",
    /// The bunch crossing of a block.
    Crossing = "bunch crossing",
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expected::Exactly(value) => write!(f, "{value}"),
            Expected::AtMost(limit) => write!(f, "{limit} at most"),
            Expected::AtLeast(limit) => write!(f, "{limit} at least"),
            Expected::MultipleOf(unit) => write!(f, "a multiple of {unit}"),
            Expected::Words(words) => f.write_str(words),
        }
    }
}

impl Damage {
    /// A damage at an offset of a page.
    #[cold]
    pub(super) fn new(
        offset: usize,
        field: Field,
        value: impl Into<u64>,
        expected: Expected,
    ) -> Self {
        Damage { offset, field, value: value.into(), expected }
    }
}

/// A rejected page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "byte {}: page {page} (sector {sector}, endpoint {endpoint}): {} {} instead of {}",
    self.file_offset(), .damage.field, .damage.value, .damage.expected
)]
pub struct DamagedPage {
    /// Index of the page among all pages of the input.
    pub page: usize,
    /// The sector that sent it.
    pub sector: u8,
    /// The endpoint that sent it, 0 to 19.
    pub endpoint: u8,
    /// The damage.
    pub damage: Damage,
}

impl DamagedPage {
    /// Bytes from the start of the file of pages to the damage.
    pub fn file_offset(&self) -> u64 {
        let page = self.page as u64 * generators_tpc::page::PAGE_BYTES as u64;
        page + self.damage.offset as u64
    }
}

/// The number of rejected pages for each reason, the most frequent first.
pub fn count_by_kind(damaged: &[DamagedPage]) -> Vec<(Field, usize)> {
    let mut counts = std::collections::BTreeMap::new();
    for page in damaged {
        *counts.entry(page.damage.field).or_insert(0) += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|&(field, count)| (std::cmp::Reverse(count), field));
    counts
}

/// Fields of the RDH that are checked: sizes, sender, link, orbit, counter, detector field.
const RDH_FIELDS: [usize; 14] = [0, 1, 2, 3, 10, 11, 12, 20, 21, 22, 23, 36, 37, 48];
const MEMORY_SIZE: usize = 10;
const HEADER_BYTES: usize = 16;
const RDH_BYTES: usize = 64;
/// The longest run of bytes that is overwritten at once.
const RUN: usize = 48;

/// Random damage from a seed.
pub(super) struct Mutator {
    seed: u64,
    drawn: u64,
}

impl Mutator {
    pub(super) fn new(seed: u64) -> Self {
        Mutator { seed, drawn: 0 }
    }

    /// A number below a limit.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.drawn += 1;
        let random = mix(self.seed ^ mix(self.drawn));
        ((u128::from(random) * limit as u128) >> 64) as usize
    }

    /// Damages a page at one to three offsets.
    pub(super) fn damage(&mut self, page: &mut Page) {
        for _ in 0..=self.below(3) {
            self.edit(page);
        }
    }

    fn edit(&mut self, page: &mut Page) {
        let used = u16::from_le_bytes([page[MEMORY_SIZE], page[MEMORY_SIZE + 1]]);
        let used = usize::from(used).clamp(RDH_BYTES + HEADER_BYTES, PAGE_BYTES);
        let behind = used - HEADER_BYTES;
        match self.below(8) {
            0 => self.flip_bit(page, 0, used),
            1 => self.flip_bit(page, RDH_BYTES, HEADER_BYTES),
            2 => self.flip_bit(page, behind, HEADER_BYTES),
            3 => {
                let field = RDH_FIELDS[self.below(RDH_FIELDS.len())];
                self.flip_bit(page, field, 1);
            }
            4 => {
                let offset = self.below(used);
                page[offset] = [0, 1, 0x7f, 0x80, 0xff][self.below(5)];
            }
            5 => {
                let offset = RDH_BYTES + self.below(used - RDH_BYTES);
                page[offset] = self.below(256) as u8;
            }
            6 => self.overwrite_run(page, used),
            _ => {
                let size = (self.below(PAGE_BYTES / 16 + 2) * 16) as u16;
                page[MEMORY_SIZE..MEMORY_SIZE + 2].copy_from_slice(&size.to_le_bytes());
            }
        }
    }

    fn flip_bit(&mut self, page: &mut Page, start: usize, length: usize) {
        let byte = start + self.below(length);
        page[byte] ^= 1 << self.below(8);
    }

    /// Overwrites bytes with those from another offset of the page, or with zeros.
    fn overwrite_run(&mut self, page: &mut Page, used: usize) {
        let length = 1 + self.below(RUN);
        let target = self.below(used).min(PAGE_BYTES - length);
        let source = self.below(used).min(PAGE_BYTES - length);
        if self.below(2) == 0 {
            page[target..target + length].fill(0);
        } else {
            page.copy_within(source..source + length, target);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(index: usize, field: Field) -> DamagedPage {
        let damage = Damage::new(70, field, 9_u8, Expected::Exactly(4));
        DamagedPage { page: index, sector: 7, endpoint: 3, damage }
    }

    #[test]
    fn damage_is_reported_with_its_offset() {
        let expected = "byte 16454: page 2 (sector 7, endpoint 3): version 9 instead of 4";
        assert_eq!(page(2, Field::Version).to_string(), expected);
    }

    #[test]
    fn damages_are_counted_by_kind() {
        let fields = [Field::Magic, Field::Samples, Field::Magic];
        let pages: Vec<_> = (0..3).map(|i| page(i, fields[i])).collect();
        let expected = [(Field::Magic, 2), (Field::Samples, 1)];
        assert_eq!(count_by_kind(&pages), expected);
    }
}
