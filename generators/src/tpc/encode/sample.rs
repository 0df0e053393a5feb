//! Input of the encoders.

const ADC_BITS: u32 = 16;

/// A digit of one endpoint in one time bin, with its index in the order of the pages.
///
/// The lower 16 bits are the ADC value, the upper ones the index: a [`PadId`](crate::tpc::PadId) in
/// the row formats and a [`LinkChannel::index`](crate::tpc::LinkChannel::index) in the link
/// formats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(transparent)]
pub struct Sample(u32);

impl Sample {
    /// A sample from its parts.
    #[inline]
    pub const fn new(index: u16, adc: u16) -> Self {
        Sample((index as u32) << ADC_BITS | adc as u32)
    }

    /// Index in the order of the pages.
    #[inline]
    pub const fn index(self) -> u16 {
        (self.0 >> ADC_BITS) as u16
    }

    /// The ADC value.
    #[inline]
    pub const fn adc(self) -> u16 {
        self.0 as u16
    }
}

/// The samples of one time bin, in order of their index.
#[derive(Clone, Copy, Debug)]
pub struct TimeBin<'a> {
    /// The time bin, from the beginning of the time frame.
    pub number: u32,
    /// At least one sample; no two have the same index.
    pub samples: &'a [Sample],
}
