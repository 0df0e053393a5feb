//! Output: digits, or positions and maps of charges.

use portable_gpu::{DeviceBuffer, DeviceError, Gpu, Ptr};

use super::division::Maps;
use super::parts::Part;
use super::tables::DeviceTables;
use super::tile_buffers::{TileBuffers, clear_margins};
use crate::tpc_decode::input::{Output, TimeFrame};
use tasks::device::buffers;

/// Destination of samples.
pub(crate) enum Target {
    /// A list of digits.
    Digits(DeviceBuffer<u64>),
    /// The cluster finder's input.
    Charges(Charges),
}

/// Positions of all fragments, and the maps of the current one.
pub(crate) struct Charges {
    /// The column in the lower half, the time in the upper one.
    pub(crate) positions: DeviceBuffer<u32>,
    /// The maps of all sectors.
    pub(crate) maps: DeviceBuffer<u16>,
    /// Buffers for making complete tiles; maps that are cleared and filled need none.
    pub(super) tiles: Option<Box<TileBuffers>>,
}

/// Stage in which maps are cleared; it is not part of decoding.
const CLEAR: &str = "clear";

impl Target {
    pub(super) fn new(
        gpu: &Gpu,
        frame: &TimeFrame,
        part: &Part,
        maps: Maps,
    ) -> Result<Self, DeviceError> {
        let samples = part.samples() as usize;
        Ok(match frame.settings.output {
            Output::Digits => Target::Digits(gpu.buffer(samples)?),
            Output::ChargeMap => Target::Charges(Charges {
                positions: gpu.buffer(samples)?,
                maps: gpu.buffer(part.entries() * part.sectors.len())?,
                tiles: match maps {
                    Maps::Filled => None,
                    Maps::Tiled => Some(Box::new(TileBuffers::new(gpu, frame, part)?)),
                },
            }),
        })
    }

    /// Allocates a target for `digits` digits.
    pub(crate) fn for_digits(gpu: &Gpu, digits: usize) -> Result<Self, DeviceError> {
        Ok(Target::Digits(gpu.buffer(digits)?))
    }

    /// Allocates a target for samples, and maps with this number of entries, which are filled.
    pub(crate) fn for_charges(
        gpu: &Gpu,
        samples: usize,
        entries: usize,
    ) -> Result<Self, DeviceError> {
        let positions = gpu.buffer(samples)?;
        let maps = gpu.buffer(entries)?;
        Ok(Target::Charges(Charges { positions, maps, tiles: None }))
    }

    /// Untimed preparation: initializes the data that no run changes.
    pub(super) fn load(
        &self,
        gpu: &Gpu,
        part: &Part,
        tables: &DeviceTables,
    ) -> Result<(), DeviceError> {
        match self {
            Target::Charges(Charges { maps, tiles: Some(_), .. }) => {
                clear_margins(gpu, part, tables, maps)
            }
            Target::Charges(_) | Target::Digits(_) => Ok(()),
        }
    }

    /// Prepares for a fragment. Complete tiles need nothing, as they include their zeros.
    pub(crate) fn clear(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        match self {
            Target::Charges(Charges { maps, tiles: None, .. }) => {
                gpu.scope(CLEAR, || gpu.fill(maps, 0))
            }
            Target::Charges(_) | Target::Digits(_) => Ok(()),
        }
    }

    /// Pointer to the digits.
    pub(crate) fn digits_ptr(&self) -> Ptr<u64> {
        match self {
            Target::Digits(digits) => digits.ptr(),
            Target::Charges(_) => unreachable!("digits are asked for"),
        }
    }

    /// Capacity for digits.
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

buffers!(Charges: positions, maps, tiles);

buffers!(enum Target: Digits, Charges);
