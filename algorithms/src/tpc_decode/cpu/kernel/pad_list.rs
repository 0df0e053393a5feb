//! The pads of samples that are to be joined with them.

use generators::tpc::PadId;
use generators::tpc::geometry::{CHANNELS_IN_LINK, MAX_FECS};

/// Maximum number of pads that a time bin adds: all channels of all links of an endpoint, which are
/// more than the pads of its rows.
pub(super) const MAX_ADDED: usize = MAX_FECS / 2 * CHANNELS_IN_LINK;
/// Pads of several time bins.
const MAX_PADS: usize = 2560;
/// Padding that wide stores may overwrite.
const SLACK: usize = 320;

/// Pads in the order of their samples. The caller keeps their number: in a register, so that it
/// doesn't wait for the stores to the list.
#[repr(align(64))]
pub(in crate::tpc_decode::cpu) struct PadList {
    pads: [PadId; MAX_PADS + SLACK],
}

impl PadList {
    /// An empty list.
    pub(in crate::tpc_decode::cpu) fn new() -> Box<Self> {
        Box::new(PadList { pads: [PadId::default(); MAX_PADS + SLACK] })
    }

    /// True if the pads of another time bin might not fit after this number of pads.
    #[inline(always)]
    pub(in crate::tpc_decode::cpu) fn is_almost_full(length: usize) -> bool {
        length + MAX_ADDED > MAX_PADS
    }

    /// Destination of `N` pads from an index on. All may be written, even if fewer of them count as
    /// listed.
    #[inline(always)]
    pub(in crate::tpc_decode::cpu) fn target<const N: usize>(
        &mut self,
        start: usize,
    ) -> &mut [PadId; N] {
        match self.pads[start..].first_chunk_mut() {
            Some(target) => target,
            None => unreachable!("a full list is followed by padding"),
        }
    }

    /// `N` pads from an index on; those that were not listed are undefined.
    #[inline(always)]
    pub(super) fn at<const N: usize>(&self, index: usize) -> &[PadId; N] {
        match self.pads[index..].first_chunk() {
            Some(pads) => pads,
            None => unreachable!("a full list is followed by padding"),
        }
    }
}
