//! Mapping of channels of front-end cards to pads.
//!
//! The mapping is the same in all sectors. [`crate::io::read_pad_mapping`] reads the experiment's.
//! The regular one, which is built in, has its dimensions, but is computed by a rule: a card reads
//! a strip of its region, from the first row to the last and some pads wide, like the experiment's
//! cards: a cluster of charge is therefore read by one card or two. On the card, pads are dealt to
//! channels in large steps.
//!
//! A front-end card's chips are assigned to two regions as in the experiment's tables: a card has
//! five SAMPA chips of 32 channels. Chips 0 and 1 and the lower half of chip 2 serve the even
//! region of the partition, the upper half of chip 2 and chips 3 and 4 the odd one. A link carries
//! its 80 channels in ten streams of eight, alternating two channels of each stream.

use std::sync::LazyLock;

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
        PadMapping::new(pad).unwrap_or_else(|error| unreachable!("{error}"))
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

/// Pads from one channel to the next, modulo the 80 of the card. It has no factor
/// in common with 80, and is more than two rows of any strip.
const STEP: usize = 17;

static STRIPS: LazyLock<[Vec<PadId>; REGIONS]> =
    LazyLock::new(|| std::array::from_fn(|number| Region::new(number).map_or(Vec::new(), strips)));

/// The pad that a channel reads.
fn pad(channel: LinkChannel) -> PadId {
    let strip = &STRIPS[channel.region.number()][usize::from(channel.fec) * CHANNELS_IN_LINK..];
    strip[usize::from(channel.channel) * STEP % CHANNELS_IN_LINK]
}

/// The pads of a region, 80 of each card together: cards by azimuth, the pads of
/// a card by row.
fn strips(region: Region) -> Vec<PadId> {
    let pads = region
        .rows()
        .flat_map(|row| (0..pads_in_row(row)).map(move |pad| PadId::new(row as u8, pad as u8)));
    let mut pads: Vec<_> = pads.collect();
    // The middle of a pad as a fraction of its row; a product of integers
    // compares it without rounding.
    pads.sort_by(|a, b| {
        let left = middle(*a) * pads_in_row(usize::from(b.row()));
        let right = middle(*b) * pads_in_row(usize::from(a.row()));
        left.cmp(&right).then(a.cmp(b))
    });
    for card in pads.chunks_mut(CHANNELS_IN_LINK) {
        card.sort();
    }
    pads
}

fn middle(pad: PadId) -> usize {
    2 * usize::from(pad.pad()) + 1
}

/// SAMPA chips on a front-end card.
pub const CHIPS_IN_FEC: usize = 5;
/// Channels of a chip.
pub const CHANNELS_IN_CHIP: usize = 32;

/// Streams of one region on a card.
const STREAMS: usize = 5;
/// Channels that follow each other in one stream.
const CHANNELS_IN_TURN: usize = 2;
/// Number of raw channels in a round over all streams.
const ROUND: usize = STREAMS * CHANNELS_IN_TURN;
/// The chip of each stream: five of the even region, five of the odd one.
const CHIP: [u8; 2 * STREAMS] = [0, 0, 1, 1, 2, 3, 3, 4, 4, 2];
/// The first channel on that chip.
const FIRST_CHANNEL: [u8; 2 * STREAMS] = [0, 16, 0, 16, 0, 0, 16, 0, 16, 16];

/// A channel as the tables of the pad planes name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ChipChannel {
    /// The card, as number in the sector, 0 to 90.
    pub fec: u8,
    /// The chip on the card, 0 to 4.
    pub chip: u8,
    /// The channel on the chip, 0 to 31.
    pub channel: u8,
}

impl From<LinkChannel> for ChipChannel {
    fn from(link: LinkChannel) -> Self {
        let raw = usize::from(link.channel);
        let stream = raw % ROUND / CHANNELS_IN_TURN + STREAMS * (link.region.number() % 2);
        let position = raw % CHANNELS_IN_TURN + CHANNELS_IN_TURN * (raw / ROUND);
        ChipChannel {
            fec: first_fec(link.region) + link.fec,
            chip: CHIP[stream],
            channel: FIRST_CHANNEL[stream] + position as u8,
        }
    }
}

fn first_fec(region: Region) -> u8 {
    region.fecs().start as u8
}

impl ChipChannel {
    /// All channels of a sector as one number: card, chip, channel.
    pub const fn index(self) -> usize {
        (self.fec as usize * CHIPS_IN_FEC + self.chip as usize) * CHANNELS_IN_CHIP
            + self.channel as usize
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

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

    #[test]
    fn a_card_reads_a_narrow_strip_of_all_rows() {
        for region in Region::all() {
            for card in strips(region).chunks(CHANNELS_IN_LINK) {
                for row in region.rows() {
                    let pads: Vec<_> = card
                        .iter()
                        .filter(|pad| usize::from(pad.row()) == row)
                        .map(|pad| pad.pad())
                        .collect();
                    assert!((3..=9).contains(&pads.len()), "{region:?} {pads:?}");
                    let width = pads[pads.len() - 1] - pads[0];
                    assert_eq!(usize::from(width), pads.len() - 1);
                }
            }
        }
    }

    #[test]
    fn each_chip_channel_belongs_to_one_link_channel() {
        let mut seen = HashSet::new();
        for region in Region::all() {
            for index in 0..region.pads().len() {
                let chip = ChipChannel::from(LinkChannel::from_index(region, index));
                assert!(usize::from(chip.chip) < CHIPS_IN_FEC);
                assert!(usize::from(chip.channel) < CHANNELS_IN_CHIP);
                assert!(seen.insert(chip.index()), "{chip:?}");
            }
        }
        assert_eq!(seen.len(), PADS_IN_SECTOR);
    }

    #[test]
    fn the_middle_chip_is_shared() {
        let raw = |region, channel| {
            let region = Region::new(region).expect("below 10");
            let fec = 0;
            ChipChannel::from(LinkChannel { region, fec, channel })
        };
        assert_eq!((raw(2, 8).chip, raw(2, 8).channel), (2, 0));
        assert_eq!((raw(3, 8).chip, raw(3, 8).channel), (2, 16));
        assert_eq!((raw(3, 79).fec, raw(3, 79).channel), (15, 31));
    }
}
