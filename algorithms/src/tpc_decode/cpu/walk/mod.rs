//! Walks through the payload of a page, and validates it.
//!
//! A walk makes all checks of the reference, and decodes in between with an [`Isa`]. In case of
//! doubt it stops without a reason: the reference then decides about the page, and reports the
//! damage.

mod dense;
mod joiner;
mod link;
mod position;
mod row;

use generators::tpc::{Digit, Layout};

use super::kernel::{Isa, PadList};
use crate::tpc_decode::header::OpenPage;
use crate::tpc_decode::input::Tables;
use crate::tpc_decode::payload::Payload;
use joiner::Joiner;
use position::Walk;

/// A page to be decoded, with the necessary tables and buffers.
pub(in crate::tpc_decode::cpu) struct Job<'a> {
    pub(in crate::tpc_decode::cpu) page: &'a OpenPage,
    pub(in crate::tpc_decode::cpu) payload: &'a Payload,
    pub(in crate::tpc_decode::cpu) tables: &'a Tables,
    /// Buffer for the pads of a time bin.
    pub(in crate::tpc_decode::cpu) pads: &'a mut PadList,
}

/// Writes the digits of a page to a slice whose length is the number that the header states; `None`
/// if the page does not have exactly this number, or is damaged otherwise. The content is undefined
/// then.
#[inline(always)]
pub(super) fn decode(isa: impl Isa, job: Job<'_>, digits: &mut [Digit]) -> Option<()> {
    let mut walk = Walk {
        isa,
        page: job.page,
        bytes: job.payload.bytes(),
        position: job.page.start,
        joiner: Joiner::new(job.pads, digits),
    };
    match job.page.format.layout() {
        Layout::Row => row::walk(&mut walk)?,
        Layout::Link => link::walk(&mut walk, &job.tables.links)?,
        Layout::DenseLink => dense::walk(&mut walk, &job.tables.links)?,
    }
    walk.joiner.flush(isa, walk.bytes);
    walk.joiner.is_full().then_some(())
}
