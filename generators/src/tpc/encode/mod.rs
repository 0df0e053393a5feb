//! Encoding of digits as pages.
//!
//! | module | content |
//! |---|---|
//! | `sample` | input of the encoders: index in the page's order, ADC value |
//! | `row`, `link`, `dense` | the pages of one endpoint and heartbeat frame |
//! | `sequences` | neighbouring pads, for the row formats |
//! | `channels` | channels with a sample, for the link formats |
//! | `block` | a block of the dense link formats |
//! | `slots` | pages being filled |
//! | `bits` | ADC values as a stream of bits |
//! | `sector` | all digits of a sector |
//!
//! A heartbeat frame always starts a new page, so frames and endpoints can be encoded in any order
//! and put together later: see [`super::pages`].

mod bits;
mod block;
mod channels;
mod dense;
mod link;
mod row;
mod sample;
mod sector;
mod sequences;
mod slots;

pub use sample::{Sample, TimeBin};
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
