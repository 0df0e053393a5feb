//! Walking through the payload of a page: what is where, and whether it can be.
//!
//! A walk checks all that the reference checks, and does the work in between with a
//! [`Isa`]. Where it doubts, it gives up without saying why: the reference then
//! judges the page, and names the damage.

mod dense;
mod joiner;
mod link;
mod row;

use generators::tpc::{Digit, Layout, PadId};

use super::kernel::{Isa, Packing, PadList};
use crate::tpc_decode::header::OpenPage;
use crate::tpc_decode::input::Tables;
use crate::tpc_decode::payload::{PAYLOAD_BYTES, Payload};
use joiner::Joiner;

/// A page to be decoded, and what that needs.
pub(in crate::tpc_decode) struct Job<'a> {
    pub(in crate::tpc_decode) page: &'a OpenPage,
    pub(in crate::tpc_decode) payload: &'a Payload,
    pub(in crate::tpc_decode) tables: &'a Tables,
    /// Room for the pads of a time bin.
    pub(in crate::tpc_decode) pads: &'a mut PadList,
}

/// Puts the digits of a page in their place, which has room for as many as the
/// header states; `None` if the page does not have just as many, or is damaged in
/// some other way. What stands there then means nothing.
#[inline(always)]
pub(super) fn decode<K: Isa>(job: Job<'_>, digits: &mut [Digit]) -> Option<()> {
    let mut walk = Walk {
        page: job.page,
        bytes: job.payload.bytes(),
        position: job.page.start,
        joiner: Joiner::new(job.pads, digits),
    };
    match job.page.format.layout() {
        Layout::Row => row::walk::<K>(&mut walk)?,
        Layout::Link => link::walk::<K>(&mut walk, &job.tables.links)?,
        Layout::DenseLink => dense::walk::<K>(&mut walk, &job.tables.links)?,
    }
    walk.joiner.flush::<K>(walk.bytes);
    walk.joiner.is_full().then_some(())
}

/// A place in a payload, and what came of the bytes before it.
struct Walk<'a> {
    page: &'a OpenPage,
    bytes: &'a [u8; PAYLOAD_BYTES],
    position: usize,
    joiner: Joiner<'a>,
}

impl<'a> Walk<'a> {
    #[inline(always)]
    fn u8_at(&self, position: usize) -> u8 {
        self.bytes[position]
    }

    #[inline(always)]
    fn u16_at(&self, position: usize) -> u16 {
        u16::from_le_bytes(*self.array_at(position))
    }

    #[inline(always)]
    fn array_at<const N: usize>(&self, position: usize) -> &'a [u8; N] {
        match self.bytes[position..].first_chunk() {
            Some(array) => array,
            None => unreachable!("there is room behind each payload"),
        }
    }

    /// What the digits of a time bin have in common.
    #[inline(always)]
    fn template(&self, time_bin: u32) -> u64 {
        Digit::new(self.page.sector, PadId::default(), time_bin, 0).bits()
    }

    /// Goes over the samples of the next so many pads, which must end before a limit.
    /// They are joined later.
    #[inline(always)]
    fn samples<K: Isa>(
        &mut self,
        pads: usize,
        packing: Packing,
        template: u64,
        limit: usize,
    ) -> Option<()> {
        let position = self.position;
        self.position += packing.bytes_of(pads);
        if self.position > limit {
            return None;
        }
        self.joiner
            .push::<K>(self.bytes, packing, template, position, pads)
    }
}
