//! What comes out: digits, or positions and maps of charges.

use super::parts::Part;
use crate::device::buffers;
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu};
use crate::tpc_decode::input::{Output, TimeFrame};

/// Where samples go.
pub(super) enum Target {
    /// A list of digits.
    Digits(DeviceBuffer<u64>),
    /// The cluster finder's input.
    Charges(Charges),
}

/// Positions of all fragments, and the maps of the one that is decoded.
pub(super) struct Charges {
    /// The column in the lower half, the time in the upper one.
    pub(super) positions: DeviceBuffer<u32>,
    /// The maps of all sectors.
    pub(super) maps: DeviceBuffer<u16>,
}

/// The maps are cleared, which is not decoding.
const CLEAR: &str = "clear";

impl Target {
    pub(super) fn new(gpu: &Gpu, frame: &TimeFrame, part: &Part) -> Result<Self, DeviceError> {
        let samples = part.samples() as usize;
        Ok(match frame.settings.output {
            Output::Digits => Target::Digits(gpu.buffer(samples)?),
            Output::ChargeMap => Target::Charges(Charges {
                positions: gpu.buffer(samples)?,
                maps: gpu.buffer(part.entries * part.sectors.len())?,
            }),
        })
    }

    /// Gets ready for a fragment.
    pub(super) fn clear(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        match self {
            Target::Digits(_) => Ok(()),
            Target::Charges(charges) => gpu.scope(CLEAR, || gpu.fill(&charges.maps, 0)),
        }
    }

    /// How many digits there is room for.
    pub(super) fn digits(&self) -> usize {
        match self {
            Target::Digits(digits) => digits.len(),
            Target::Charges(_) => 0,
        }
    }

    /// Bytes that are stored for a sample.
    pub(super) fn bytes_of_sample(&self) -> u64 {
        let bytes = match self {
            Target::Digits(_) => size_of::<u64>(),
            Target::Charges(_) => size_of::<u32>() + size_of::<u16>(),
        };
        bytes as u64
    }
}

buffers!(Charges: positions, maps);

buffers!(enum Target: Digits, Charges);
