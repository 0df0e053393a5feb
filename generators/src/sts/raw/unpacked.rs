//! Results of unpacking raw data.

use bytemuck::{Pod, Zeroable};

use crate::sts::Digi;

/// Digis in the order of timeslices, components, microslices and messages, and counters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unpacked {
    /// Counters of each timeslice.
    pub timeslices: Vec<TimesliceCounts>,
    /// Counters of each microslice of accepted components.
    pub microslices: Vec<MicrosliceCounts>,
    /// All digis.
    pub digis: Vec<Digi>,
}

/// Counters of a microslice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct MicrosliceCounts {
    /// Digis.
    pub digis: u32,
    /// Messages after the first two that are neither hits nor numbers of epochs.
    pub other: u32,
    /// Hits of e-links that there are not.
    pub elink: u32,
    /// 1 if the first two messages are not the expected ones.
    pub first: u32,
    /// 1 if its size is not a multiple of a message, or below two of them.
    pub size: u32,
    /// Hits whose times exceed the range of digis.
    pub overflow: u32,
    /// Hits that the experiment's code leaves undefined: dropped here. By the current rules
    /// `overflow` counts them too.
    pub undefined: u32,
}

/// Counters of a timeslice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct TimesliceCounts {
    /// Components that were unpacked.
    pub components: u64,
    /// Their microslices.
    pub microslices: u64,
    /// Bytes of these components: descriptors, contents and gaps.
    pub bytes_in: u64,
    /// Bytes of digis.
    pub bytes_out: u64,
    /// Microslices of a version that is not unpacked.
    pub bad_version: u64,
    /// Components and microslices of boards that are not known.
    pub bad_equipment: u64,
}

impl TimesliceCounts {
    /// Digis of the timeslice.
    pub fn digis(&self) -> usize {
        (self.bytes_out / size_of::<Digi>() as u64) as usize
    }
}

impl MicrosliceCounts {
    /// All counts in the order of files; `undefined` is in none.
    pub fn in_files(&self) -> [u32; 6] {
        [self.digis, self.other, self.elink, self.first, self.size, self.overflow]
    }
}
