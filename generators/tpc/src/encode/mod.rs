//! Encoding of digits as pages.
//!
//! | module | content |
//! |---|---|
//! | `row`, `link`, `dense` | the pages of one endpoint and heartbeat frame |
//! | `slots` | pages being filled, by streams of bits too |
//! | `sector` | all digits of a sector |
//!
//! A heartbeat frame always starts a new page, so frames and endpoints can be encoded in any order
//! and put together later: see [`super::pages`].

mod dense;
mod link;
mod row;
mod sector;
mod slots;

pub use sector::SectorEncoder;

use super::geometry::{Cru, Endpoint};
use super::page::rdh::link_id;
use super::page::{FeeId, Page, TriggerWord};
use super::{Layout, ZsFormat};
use slots::Slots;

/// The part of a time frame that one endpoint sends in one heartbeat frame.
#[derive(Clone, Debug)]
pub struct FrameInfo {
    /// The format.
    pub format: ZsFormat,
    /// The read-out unit.
    pub cru: Cru,
    /// The endpoint in its sector.
    pub endpoint: Endpoint,
    /// The orbit of the heartbeat.
    pub orbit: u32,
    /// The triggers of the heartbeat frame; only dense link pages carry them.
    pub triggers: TriggerWord,
}

impl FrameInfo {
    /// Front-end ID of the pages.
    pub fn fee_id(&self) -> FeeId {
        FeeId::new(self.cru, self.endpoint.half(), link_id(self.format))
    }
}

/// Appends the pages of one endpoint and heartbeat frame; their counters are 0.
///
/// The time bins must ascend and all be of this heartbeat frame, the indices of samples must be of
/// this endpoint, the ADC values in the format's range. Without time bins there are no pages.
pub fn encode_frame<'a>(
    info: &FrameInfo,
    time_bins: impl Iterator<Item = TimeBin<'a>>,
    pages: &mut Vec<Page>,
) {
    let mut time_bins = time_bins.peekable();
    let Some(first) = time_bins.peek().map(|bin| bin.number) else {
        return;
    };
    let slots = Slots::new(info, pages);
    match info.format.layout() {
        Layout::Row => row::encode(info, first, time_bins, slots),
        Layout::Link => link::encode(info, first, time_bins, slots),
        Layout::DenseLink => dense::encode(info, time_bins, slots),
    }
}

const ADC_BITS: u32 = 16;

/// A digit of one endpoint in one time bin, with its index in the order of the pages.
///
/// The lower 16 bits are the ADC value, the upper ones the index: a [`PadId`](crate::PadId) in
/// the row formats and a [`LinkChannel::index`](crate::LinkChannel::index) in the link
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
