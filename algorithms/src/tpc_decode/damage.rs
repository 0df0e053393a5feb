//! What can be wrong with a page, and where.

use std::fmt;

/// The first thing that is wrong with a page. All of the page is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Bytes from the beginning of the page; beyond 8192 it is in the next page.
    pub offset: usize,
    /// What is wrong.
    pub field: Field,
    /// What stands there.
    pub value: u64,
    /// What should.
    pub expected: Expected,
}

/// What should have stood in a field.
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
    /// What words say better.
    Words(&'static str),
}

/// A field of a page, or what follows from several: the kind of a damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// Version of the raw data header.
    RdhVersion,
    /// Size of the raw data header.
    RdhSize,
    /// Bytes used of the page.
    MemorySize,
    /// The detector field of the raw data header.
    DetectorField,
    /// The sender in the raw data header.
    FeeId,
    /// The link in the raw data header.
    LinkId,
    /// The orbit.
    Orbit,
    /// Version of the zero-suppressed format.
    Version,
    /// Last byte of the zero-suppression header.
    Magic,
    /// The read-out unit in the zero-suppression header.
    Cru,
    /// Bunch crossing of the first time bin.
    TimeOffset,
    /// Time bins of the page.
    Span,
    /// The number of samples.
    Samples,
    /// Where the payload begins.
    FirstBlock,
    /// The number of blocks.
    Blocks,
    /// The flags of the zero-suppression header.
    Flags,
    /// The rest of a block in the next page.
    Continuation,
    /// Where the payload ends.
    End,
    /// The rows of a time bin.
    RowMask,
    /// The address of a row.
    RowAddress,
    /// The number of sequences of pads in a row.
    Sequences,
    /// The first pad of a sequence.
    FirstPad,
    /// The samples of a row up to the end of a sequence.
    SequenceEnd,
    /// Last byte of a link header.
    LinkMagic,
    /// The front-end card of a link.
    Fec,
    /// The number of data words of a link.
    DataWords,
    /// The bunch crossing of a block.
    Crossing,
}

impl Field {
    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Field::RdhVersion => "RDH version",
            Field::RdhSize => "RDH size",
            Field::MemorySize => "memory size",
            Field::DetectorField => "detector field",
            Field::FeeId => "FEE id",
            Field::LinkId => "link id",
            Field::Orbit => "orbit",
            Field::Version => "version",
            Field::Magic => "magic",
            Field::Cru => "CRU",
            Field::TimeOffset => "time offset",
            Field::Span => "time bin span",
            Field::Samples => "number of samples",
            Field::FirstBlock => "payload offset",
            Field::Blocks => "number of blocks",
            Field::Flags => "flags",
            Field::Continuation => "continuation",
            Field::End => "end of payload",
            Field::RowMask => "row mask",
            Field::RowAddress => "row address",
            Field::Sequences => "number of sequences",
            Field::FirstPad => "first pad",
            Field::SequenceEnd => "end of sequence",
            Field::LinkMagic => "link magic",
            Field::Fec => "front-end card",
            Field::DataWords => "number of data words",
            Field::Crossing => "bunch crossing",
        }
    }
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
        Damage {
            offset,
            field,
            value: value.into(),
            expected,
        }
    }
}

/// A page that was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "byte {}: page {page} (sector {sector}, endpoint {endpoint}): {} {} instead of {}",
    self.file_offset(), .damage.field, .damage.value, .damage.expected
)]
pub struct DamagedPage {
    /// The page's number among all pages of the input.
    pub page: usize,
    /// The sector that sent it.
    pub sector: u8,
    /// The endpoint that sent it, 0 to 19.
    pub endpoint: u8,
    /// What is wrong.
    pub damage: Damage,
}

impl DamagedPage {
    /// Bytes from the beginning of the file of pages to what is wrong.
    pub fn file_offset(&self) -> u64 {
        let page = self.page as u64 * generators::tpc::page::PAGE_BYTES as u64;
        page + self.damage.offset as u64
    }
}

/// How many pages were rejected for each reason, the most frequent first.
pub fn count_by_kind(damaged: &[DamagedPage]) -> Vec<(Field, usize)> {
    let mut counts = std::collections::BTreeMap::new();
    for page in damaged {
        *counts.entry(page.damage.field).or_insert(0) += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|&(field, count)| (std::cmp::Reverse(count), field));
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(number: usize, field: Field) -> DamagedPage {
        let damage = Damage::new(70, field, 9_u8, Expected::Exactly(4));
        DamagedPage {
            page: number,
            sector: 7,
            endpoint: 3,
            damage,
        }
    }

    #[test]
    fn a_damaged_page_is_named_with_its_place() {
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
