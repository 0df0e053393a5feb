//! What the encoders eat.

const ADC_BITS: u32 = 16;
const TIME_SHIFT: u32 = 32;

/// A digit of one endpoint, with its place in the order of the pages.
///
/// From the lowest bit: 16 bits of ADC value, 16 of place, 32 of time bin. The
/// place is a [`PadId`](crate::tpc::PadId) in the row formats and a
/// [`LinkChannel::index`](crate::tpc::LinkChannel::index) in the link formats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(transparent)]
pub struct Sample(u64);

impl Sample {
    /// A sample from its parts.
    #[inline]
    pub const fn new(time_bin: u32, place: u16, adc: u16) -> Self {
        Sample((time_bin as u64) << TIME_SHIFT | (place as u64) << ADC_BITS | adc as u64)
    }

    /// The time bin, from the beginning of the time frame.
    #[inline]
    pub const fn time_bin(self) -> u32 {
        (self.0 >> TIME_SHIFT) as u32
    }

    /// The place.
    #[inline]
    pub const fn place(self) -> u16 {
        (self.0 >> ADC_BITS) as u16
    }

    /// The ADC value.
    #[inline]
    pub const fn adc(self) -> u16 {
        self.0 as u16
    }

    /// Time bin and place: the order of the samples.
    #[inline]
    pub const fn key(self) -> u64 {
        self.0 >> ADC_BITS
    }
}

/// Samples of the same time bin, one group after the other.
pub(super) fn time_bins(samples: &[Sample]) -> impl Iterator<Item = &[Sample]> {
    samples.chunk_by(|a, b| a.time_bin() == b.time_bin())
}
