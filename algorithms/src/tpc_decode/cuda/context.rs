//! Arguments of decoders.

use super::division::{Index, Maps};
use super::parts::Load;
use super::resident::Resident;
use super::target::Target;
use crate::device::gpu::{DeviceError, Gpu};

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
}
