//! Reasons why an event of a file is left out.

use crate::events::EventProblem;

/// Event of a file that is left out, or whose truth is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("event {event}: {problem}")]
pub struct EventDefect {
    /// Index of the event in the file.
    pub event: u64,
    /// The problem.
    pub problem: MdfProblem,
}

/// Problem of an event. Offsets are bytes from the start of the file, decompressed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MdfProblem {
    /// Sizes that are not three times the same.
    #[error(
        "byte {offset}: the sizes {} {} {} differ; this event and those after it are left out",
        sizes[0], sizes[1], sizes[2]
    )]
    Sizes {
        /// Offset of the event.
        offset: u64,
        /// The sizes.
        sizes: [u32; 3],
    },
    /// A size without room for the header.
    #[error(
        "byte {offset}: {size} bytes hold no header of 48; this event and those after it are left out"
    )]
    TooSmall {
        /// Offset of the event.
        offset: u64,
        /// The size.
        size: u32,
    },
    /// A file that ends within the event.
    #[error("byte {offset}: the file ends here, within the event")]
    Truncated {
        /// Length of the file.
        offset: u64,
    },
    /// A checksum that is not that of the content.
    #[error("byte {offset}: the checksum is {stored:#010x}, that of the content {computed:#010x}")]
    Checksum {
        /// Offset of the checksum.
        offset: u64,
        /// The checksum in the file.
        stored: u32,
        /// The checksum of the content.
        computed: u32,
    },
    /// Compressed banks.
    #[error(
        "byte {offset}: the banks are compressed (ROOT, level {level}); decompress the file first"
    )]
    Compressed {
        /// Offset of the level.
        offset: u64,
        /// The level.
        level: u8,
    },
    /// A header of another version.
    #[error("byte {offset}: the header is of version {version}; version 3 is known")]
    HeaderVersion {
        /// Offset of the version.
        offset: u64,
        /// The version.
        version: u8,
    },
    /// A sub-header of another length.
    #[error("byte {offset}: the sub-header has {words} words, not 7")]
    SubHeader {
        /// Offset of the length.
        offset: u64,
        /// The length in words of 32 bits.
        words: u8,
    },
    /// Content other than banks.
    #[error("byte {offset}: the content is of type {data_type}, not 1 (banks)")]
    DataType {
        /// Offset of the type.
        offset: u64,
        /// The type.
        data_type: u8,
    },
    /// A bank that does not start as one.
    #[error("byte {offset}: the bank starts with {magic:#06x}, not 0xcbcb")]
    Magic {
        /// Offset of the bank.
        offset: u64,
        /// The first 16 bits.
        magic: u16,
    },
    /// A bank shorter than its header.
    #[error("byte {offset}: the bank has {length} bytes, fewer than its header of 8")]
    BankTooShort {
        /// Offset of the bank.
        offset: u64,
        /// Its length.
        length: u16,
    },
    /// A bank that is longer than the rest of the event.
    #[error("byte {offset}: a bank of {length} bytes in the last {rest} of the event")]
    BankBeyondEvent {
        /// Offset of the bank.
        offset: u64,
        /// Its length.
        length: u16,
        /// Bytes of the event from the offset on.
        rest: usize,
    },
    /// A bank of the VELO that is not made of words.
    #[error("bank {source_id}: {bytes} bytes are no words of 32 bits")]
    PartOfWord {
        /// Source of the bank.
        source_id: u16,
        /// Length of its body.
        bytes: usize,
    },
    /// A bank of the VELO that lacks the count of words.
    #[error("bank {source_id}: it is empty, without a count of words")]
    NoCount {
        /// Source of the bank.
        source_id: u16,
    },
    /// Banks of the VELO of several versions.
    #[error("bank {source_id}: it is of version {version}, others of {first}")]
    MixedVersions {
        /// Source of the bank.
        source_id: u16,
        /// Its version.
        version: u8,
        /// Version of the first bank.
        first: u8,
    },
    /// No banks of the VELO.
    #[error("it has no banks of the VELO")]
    NoBanks,
    /// Too few banks of the VELO.
    #[error("it has {banks} banks of the VELO; a complete event has {expected}")]
    Incomplete {
        /// Number of banks.
        banks: usize,
        /// Number of banks of a complete event.
        expected: usize,
    },
    /// A bank with run and event number that is too short.
    #[error("the ODIN bank has {0} bytes, fewer than the 24 up to the event number")]
    Odin(usize),
    /// Banks of the VELO that are invalid.
    #[error(transparent)]
    Banks(#[from] EventProblem),
    /// Truth that is invalid.
    #[error("{0}; truth of the file is left out")]
    Truth(#[from] TruthProblem),
    /// An event without truth, after others with it.
    #[error("it has no truth, which others have; truth of the file is left out")]
    NoTruth,
}

/// Problem of the banks with truth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TruthProblem {
    /// Particles or vertices without the others.
    #[error("the truth has no {0}")]
    Missing(&'static str),
    /// A part that is missing or there twice.
    #[error("parts of the particles are numbered {found} instead of {expected}")]
    Part {
        /// Number of the part.
        found: u16,
        /// Number that was expected.
        expected: u16,
    },
    /// A bank that ends too early.
    #[error("the {0} end too early")]
    TooShort(&'static str),
    /// Bytes after the last record.
    #[error("there are {bytes} bytes after the {what}")]
    TooLong {
        /// The records.
        what: &'static str,
        /// Bytes after them.
        bytes: usize,
    },
    /// A negative number of vertices.
    #[error("{0} vertices")]
    Vertices(i32),
    /// Property of a particle that is neither true nor false.
    #[error("particle {particle}: property {property} is {value}, neither 0 nor 1")]
    Property {
        /// Index of the particle.
        particle: u32,
        /// Index of the property.
        property: usize,
        /// The value.
        value: u8,
    },
}
