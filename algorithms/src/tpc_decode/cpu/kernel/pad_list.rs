//! The pads of samples that are to be joined with them.

use generators::tpc::PadId;
use generators::tpc::geometry::{CHANNELS_IN_LINK, MAX_FECS};

/// The most pads that a time bin adds: all channels of all links of an endpoint,
/// which are more than the pads of its rows.
pub(super) const MAX_ADDED: usize = MAX_FECS / 2 * CHANNELS_IN_LINK;
/// Pads of several time bins.
const MAX_PADS: usize = 2560;
/// Room that wide stores may overwrite.
const SLACK: usize = 320;

/// Pads in the order of their samples.
#[repr(align(64))]
pub(in crate::tpc_decode) struct PadList {
    pads: [PadId; MAX_PADS + SLACK],
    length: usize,
}

impl PadList {
    /// An empty list.
    pub(in crate::tpc_decode) fn new() -> Box<Self> {
        Box::new(PadList {
            pads: [PadId::default(); MAX_PADS + SLACK],
            length: 0,
        })
    }

    #[inline(always)]
    pub(in crate::tpc_decode::cpu) fn clear(&mut self) {
        self.length = 0;
    }

    #[inline(always)]
    pub(in crate::tpc_decode::cpu) fn len(&self) -> usize {
        self.length
    }

    /// Whether the pads of another time bin might not fit.
    #[inline(always)]
    pub(in crate::tpc_decode::cpu) fn is_almost_full(&self) -> bool {
        self.length + MAX_ADDED > MAX_PADS
    }

    /// Where the `N` pads from `ahead` behind the end go. They may all be written,
    /// whatever is then kept.
    #[inline(always)]
    pub(in crate::tpc_decode::cpu) fn room<const N: usize>(
        &mut self,
        ahead: usize,
    ) -> &mut [PadId; N] {
        match self.pads[self.length + ahead..].first_chunk_mut() {
            Some(room) => room,
            None => unreachable!("there is slack behind a full list"),
        }
    }

    /// Keeps so many of the pads that were written to the room.
    #[inline(always)]
    pub(in crate::tpc_decode::cpu) fn keep(&mut self, count: usize) {
        self.length += count;
    }

    /// `N` pads from an index on; those beyond the list's length mean nothing.
    #[inline(always)]
    pub(super) fn at<const N: usize>(&self, index: usize) -> &[PadId; N] {
        match self.pads[index..].first_chunk() {
            Some(pads) => pads,
            None => unreachable!("there is slack behind a full list"),
        }
    }
}
