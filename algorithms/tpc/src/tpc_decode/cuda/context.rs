//! Arguments of decoders.

use portable_gpu::{DeviceError, Gpu, Ptr};

use super::division::{Index, Maps};
use super::parts::Load;
use super::resident::Resident;
use super::target::Target;
use crate::kernels::tpc_decode_cuda_pages_page_h::Decoding;

/// Configuration of a decoder, independent of the division into parts.
#[derive(Clone, Copy)]
pub(crate) struct DecoderConfig {
    pub(crate) index: Index,
    pub(super) maps: Maps,
    pub(crate) decode: Decode,
}

/// Decodes the pages of a fragment.
pub(crate) type Decode = fn(&FragmentContext<'_>) -> Result<(), DeviceError>;

/// A fragment to be decoded.
pub(crate) struct FragmentContext<'a> {
    pub(crate) gpu: &'a Gpu,
    pub(crate) resident: &'a Resident<'a>,
    pub(crate) target: &'a Target,
    /// Its index in the list of fragments.
    pub(crate) fragment: usize,
}

impl FragmentContext<'_> {
    /// Sizes that the headers of its pages announce.
    pub(super) fn load(&self) -> Load {
        self.resident.part.fragments[self.fragment].load
    }

    /// Bytes that are read and written.
    pub(super) fn bytes(&self) -> u64 {
        let load = self.load();
        load.bytes + load.samples * self.target.bytes_of_sample()
    }

    /// Arguments of decoders.
    pub(super) fn arguments(&self) -> Decoding {
        let buffers = self.resident.buffers;
        let tables = self.resident.tables;
        let mut digits = Ptr::NONE;
        let mut positions = Ptr::NONE;
        let mut charges = Ptr::NONE;
        let mut maps = Ptr::NONE;
        match self.target {
            Target::Digits(decoded) => digits = decoded.ptr(),
            Target::Charges(decoded) => {
                positions = decoded.positions.ptr();
                charges = decoded.tiles.as_ref().map_or(Ptr::NONE, |tiles| tiles.charges.ptr());
                maps = decoded.maps.ptr();
            }
        }
        Decoding {
            pages: buffers.pages.ptr(),
            records: buffers.records.ptr(),
            index: buffers.index.ptr(),
            geometry: tables.geometry(),
            pads: tables.pads.ptr(),
            pad_cells: tables.pad_cells.ptr(),
            charge_cells: tables.charge_cells.ptr(),
            gains: tables.gains.ptr(),
            jobs: buffers.jobs.ptr(),
            job_offsets: buffers.job_offsets.ptr(),
            fragments: buffers.fragments.ptr(),
            digits,
            positions,
            charges,
            maps,
            stride: buffers.stride,
            fragment: self.fragment as u32,
        }
    }
}
