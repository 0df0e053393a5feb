//! The payload of a page in contiguous memory, with padding after it.

use generators::tpc::page::rdh::RDH_BYTES;
use generators::tpc::page::{PAGE_BYTES, Page};

use super::header::OpenPage;

/// Readable padding after every payload, of undefined content: the heads of all links that a block
/// can announce, and a wide load.
const ROOM: usize = 512;
/// Bytes of a payload with its continuation and the padding.
pub(super) const PAYLOAD_BYTES: usize = 2 * PAGE_BYTES + ROOM;

/// A copy of a page with the continuation of its last block appended to the payload.
///
/// The copy is cheap: the page has to be read from memory anyway. It makes every offset in the two
/// pages safe to read from with a wide load.
#[repr(align(64))]
pub(super) struct Payload([u8; PAYLOAD_BYTES]);

impl Payload {
    /// An empty payload.
    pub(super) fn new() -> Box<Self> {
        Box::new(Payload([0; PAYLOAD_BYTES]))
    }

    /// Copies a page. `next` is the next page of the stream.
    #[inline]
    pub(super) fn fill(&mut self, page: &OpenPage, bytes: &Page, next: Option<&Page>) {
        self.0[..page.end].copy_from_slice(&bytes[..page.end]);
        if let (Some(length), Some(next)) = (page.continuation, next) {
            let rest = &next[RDH_BYTES..RDH_BYTES + length];
            self.0[page.end..page.end + length].copy_from_slice(rest);
        }
    }

    /// The bytes, at their offsets in the page.
    #[inline]
    pub(super) fn bytes(&self) -> &[u8; PAYLOAD_BYTES] {
        &self.0
    }
}
