//! Input and output buffers of presort, and the offsets of sides.

use portable_gpu::{DeviceBuffer, DeviceError, Gpu, LaunchConfig, Ptr};

use crate::kernels::sts_presort::{PRESORT_SUM_SIDES, PresortSumSides};
use crate::kernels::sts_tiles::PartTimes;

/// Digis in the order of readout, and the destination buffers.
#[derive(Clone, Copy)]
pub(super) struct Target<'a> {
    pub(super) stream: &'a DeviceBuffer<u64>,
    /// Number of digis in the stream.
    pub(super) count: usize,
    /// The times of each module that are wanted, if not all are.
    pub(super) part: Option<&'a [PartTimes]>,
    /// The module of each address.
    pub(super) modules: &'a DeviceBuffer<u32>,
    /// Offsets of sides, with the end of the last one.
    pub(super) side_offsets: &'a DeviceBuffer<u32>,
    /// The digis by side.
    pub(super) digis: &'a DeviceBuffer<u64>,
}

impl Target<'_> {
    /// Bytes of the digis.
    pub(super) fn bytes(&self) -> u64 {
        (self.count * size_of::<u64>()) as u64
    }
}

/// Sums up the digis of all sides.
///
/// # Safety
/// There is a total for each side, and one more word in `side_offsets`; no other queue uses them.
pub(super) unsafe fn sum_sides(
    gpu: &Gpu,
    totals: Ptr<u32>,
    sides: u32,
    side_offsets: Ptr<u32>,
) -> Result<(), DeviceError> {
    let arguments = PresortSumSides { totals, sides, side_offsets };
    // SAFETY: as the caller promises.
    unsafe { gpu.launch(&PRESORT_SUM_SIDES, LaunchConfig::blocks(1), arguments) }
}
