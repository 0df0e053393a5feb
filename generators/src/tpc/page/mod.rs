//! The parts of a page: fields, their offsets and meaning.
//!
//! | module | content |
//! |---|---|
//! | [`rdh`] | the raw data header at the start of each page |
//! | [`zs_header`] | the header of the zero-suppressed payload |
//! | [`link_header`] | the heads of blocks of the link formats, and the trigger word of the dense ones |
//!
//! Decoding fields can't fail: the readers of pages check their values. All numbers are little
//! endian.

pub mod link_header;
pub mod rdh;
pub mod zs_header;

use std::ops::Range;

pub use link_header::{LinkHeader, TriggerEntry, TriggerKind, TriggerWord};
pub use rdh::{FeeId, Rdh};
pub use zs_header::ZsHeader;

/// Bytes of the slot of a page; a page may use fewer.
pub const PAGE_BYTES: usize = 8192;

/// A page in its slot.
pub type Page = [u8; PAGE_BYTES];

/// A field in a header.
type Field = Range<usize>;

fn u16_at(bytes: &[u8], field: Field) -> u16 {
    let mut word = [0; 2];
    word.copy_from_slice(&bytes[field]);
    u16::from_le_bytes(word)
}

fn u32_at(bytes: &[u8], field: Field) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[field]);
    u32::from_le_bytes(word)
}
