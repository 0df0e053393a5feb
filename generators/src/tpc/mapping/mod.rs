//! Mapping of channels of front-end cards to pads.
//!
//! | module | content |
//! |---|---|
//! | `regular` | recobench's built-in mapping |
//! | `wiring` | how regions share a card's chips: the meaning of the experiment's tables |
//!
//! The mapping is the same in all sectors. [`crate::io::read_pad_mapping`] reads the experiment's.

mod regular;
mod wiring;

pub use wiring::{CHANNELS_IN_CHIP, CHIPS_IN_FEC, ChipChannel};

use super::digit::PadId;
use super::geometry::{
    CHANNELS_IN_LINK, Endpoint, PADS_IN_SECTOR, REGIONS, Region, first_pad_of_row, pads_in_row,
};

/// A channel as pages name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkChannel {
    /// The region.
    pub region: Region,
    /// The front-end card, as number in the partition.
    pub fec: u8,
    /// The raw channel, 0 to 79.
    pub channel: u8,
}

impl LinkChannel {
    /// Card and channel as one number, in the order of the pages.
    #[inline]
    pub const fn index(self) -> usize {
        self.fec as usize * CHANNELS_IN_LINK + self.channel as usize
    }

    /// The channel with this index in a region.
    #[inline]
    pub const fn from_index(region: Region, index: usize) -> Self {
        LinkChannel {
            region,
            fec: (index / CHANNELS_IN_LINK) as u8,
            channel: (index % CHANNELS_IN_LINK) as u8,
        }
    }

    /// The endpoint that sends it in the link formats.
    pub fn endpoint(self) -> Endpoint {
        let [first, second] = self.region.endpoints();
        if first.fecs().contains(&usize::from(self.fec)) { first } else { second }
    }
}

/// A pad with two channels or none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MappingError {
    /// Two channels read the same pad.
    #[error("row {} pad {} is read by {first:?} and by {second:?}", pad.row(), pad.pad())]
    Twice {
        /// The pad.
        pad: PadId,
        /// The channel with the smaller index.
        first: LinkChannel,
        /// The other one.
        second: LinkChannel,
    },
    /// A channel reads a pad that is not in its region.
    #[error("{channel:?} reads row {} pad {}, which its region does not have", pad.row(), pad.pad())]
    Outside {
        /// The channel.
        channel: LinkChannel,
        /// The pad.
        pad: PadId,
    },
}

/// A bijection between the channels and the pads of each region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PadMapping {
    /// Pads of each region by [`LinkChannel::index`].
    pads: [Vec<PadId>; REGIONS],
    /// [`LinkChannel::index`] of each pad of the sector.
    channels: Vec<u16>,
}

impl PadMapping {
    /// The regular mapping that is built in; see `docs/tpc-pages.md`.
    pub fn regular() -> Self {
        PadMapping::new(regular::pad).unwrap_or_else(|error| unreachable!("{error}"))
    }

    /// Builds the mapping from the pad of each channel.
    ///
    /// # Errors
    /// If a pad is outside the channel's region, or is read twice. There is a channel for each
    /// pad, so otherwise all pads are read.
    pub fn new(pad: impl Fn(LinkChannel) -> PadId) -> Result<Self, MappingError> {
        let mut pads = [const { Vec::new() }; REGIONS];
        let mut channels = vec![u16::MAX; PADS_IN_SECTOR];
        for region in Region::all() {
            for index in 0..region.pads().len() {
                let channel = LinkChannel::from_index(region, index);
                let pad = pad(channel);
                claim(&mut channels, channel, pad)?;
                pads[region.number()].push(pad);
            }
        }
        Ok(PadMapping { pads, channels })
    }

    /// The pads of a region by [`LinkChannel::index`]: 80 for each card of the
    /// partition.
    #[inline]
    pub fn pads(&self, region: Region) -> &[PadId] {
        &self.pads[region.number()]
    }

    /// The pad of a channel, or none if the channel is out of range.
    #[inline]
    pub fn pad(&self, channel: LinkChannel) -> Option<PadId> {
        self.pads(channel.region).get(channel.index()).copied()
    }

    /// The channel of a pad, or none if the pad is out of range.
    pub fn channel(&self, pad: PadId) -> Option<LinkChannel> {
        let index = pad_number(pad)?;
        let region = Region::for_row(usize::from(pad.row()))?;
        Some(LinkChannel::from_index(region, usize::from(self.channels[index])))
    }
}

/// Index of a pad in its sector, or none if the pad is out of range.
pub fn pad_number(pad: PadId) -> Option<usize> {
    let row = usize::from(pad.row());
    let pad = usize::from(pad.pad());
    let exists = row < super::geometry::ROWS && pad < pads_in_row(row);
    exists.then(|| first_pad_of_row(row) + pad)
}

fn claim(channels: &mut [u16], channel: LinkChannel, pad: PadId) -> Result<(), MappingError> {
    let number = pad_number(pad).filter(|number| channel.region.pads().contains(number));
    let Some(number) = number else {
        return Err(MappingError::Outside { channel, pad });
    };
    let entry = &mut channels[number];
    if *entry != u16::MAX {
        return Err(MappingError::Twice {
            pad,
            first: LinkChannel::from_index(channel.region, usize::from(*entry)),
            second: channel,
        });
    }
    *entry = channel.index() as u16;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_and_pads_of_the_regular_mapping_are_one_to_one() {
        let mapping = PadMapping::regular();
        let mut pads = 0;
        for region in Region::all() {
            for (index, &pad) in mapping.pads(region).iter().enumerate() {
                let channel = LinkChannel::from_index(region, index);
                assert_eq!(mapping.channel(pad), Some(channel));
                assert_eq!(mapping.pad(channel), Some(pad));
                pads += 1;
            }
        }
        assert_eq!(pads, PADS_IN_SECTOR);
    }

    #[test]
    fn neighbouring_channels_are_not_on_neighbouring_pads() {
        let mapping = PadMapping::regular();
        for region in Region::all() {
            for link in mapping.pads(region).chunks(CHANNELS_IN_LINK) {
                for pair in link.windows(2) {
                    let rows = pair[0].row().abs_diff(pair[1].row());
                    let pads = pair[0].pad().abs_diff(pair[1].pad());
                    assert!(rows > 1 || pads > 1, "{region:?} {pair:?}");
                }
            }
        }
    }

    #[test]
    fn mappings_that_are_not_bijections_are_refused() {
        let regular = PadMapping::regular();
        let pad = |channel| regular.pad(channel).expect("a channel");
        let region = Region::new(4).expect("below 10");
        let a = LinkChannel::from_index(region, 3);
        let b = LinkChannel::from_index(region, 90);
        let twice = PadMapping::new(|channel| pad(if channel == b { a } else { channel }));
        let expected = MappingError::Twice { pad: pad(a), first: a, second: b };
        assert_eq!(twice, Err(expected));
        let outside = PadMapping::new(|_| PadId::new(150, 0));
        assert!(matches!(outside, Err(MappingError::Outside { .. })));
        assert_eq!(regular.channel(PadId::new(0, 66)), None);
        assert_eq!(regular.channel(PadId::new(152, 0)), None);
    }
}
