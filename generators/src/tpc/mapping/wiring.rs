//! Assignment of a front-end card's chips to two regions.
//!
//! A card has five SAMPA chips of 32 channels. Chips 0 and 1 and the lower half of chip 2 serve the
//! even region of the partition, the upper half of chip 2 and chips 3 and 4 the odd one. A link
//! carries its 80 channels in ten streams of eight, alternating two channels of each stream.

use super::LinkChannel;
use crate::tpc::geometry::Region;

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
    use crate::tpc::geometry::PADS_IN_SECTOR;

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
