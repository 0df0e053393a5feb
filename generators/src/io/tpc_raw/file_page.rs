//! A page of a file, with its header.

use crate::tpc::page::{PAGE_BYTES, Rdh};

/// Oldest version of the header with the same layout of all fields that are used.
pub(super) const OLDEST_VERSION: u8 = 6;

/// A page, in a slot of zeros.
pub(super) struct FilePage {
    pub(super) rdh: Rdh,
    pub(super) slot: [u8; PAGE_BYTES],
    /// Offset in the file.
    pub(super) start: u64,
}

/// The header of a page.
pub(super) fn header_of(slot: &[u8; PAGE_BYTES]) -> Rdh {
    Rdh::from_bytes(slot.first_chunk().expect("a page is longer than its header"))
}
