//! Samples on the device.

use crate::device::gpu::Ptr;

/// The samples in which clusters are found, from any source.
#[derive(Clone, Copy)]
pub(crate) struct Samples {
    /// A map for each job of a batch.
    pub(crate) charges: Ptr<u16>,
    /// Entries of each map.
    pub(crate) entries: usize,
    /// Positions of the jobs' charges.
    pub(crate) positions: Ptr<u32>,
}
