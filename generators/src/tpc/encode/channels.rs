//! Masks of the channels with a sample in a time bin, for the link formats.

use super::Sample;
use crate::tpc::geometry::MAX_FECS;
use crate::tpc::page::dense_block::MASK_BYTES;

/// The channels of a card: bit `c % 8` of byte `c / 8` is channel `c`.
pub(super) type ChannelMask = [u8; MASK_BYTES];

/// The channels of all cards of a partition that one region reads.
pub(super) struct Channels([ChannelMask; MAX_FECS]);

impl Channels {
    /// Channels of these samples. All cards are handled in one pass, because where the samples of a
    /// card end is as hard to predict as the data are.
    #[inline]
    pub(super) fn from_samples(samples: &[Sample]) -> Self {
        let mut channels = Channels([[0; MASK_BYTES]; MAX_FECS]);
        let bytes = channels.0.as_flattened_mut();
        for sample in samples {
            let index = usize::from(sample.index());
            bytes[index / 8] |= 1 << (index % 8);
        }
        channels
    }

    /// The cards with samples.
    #[inline]
    pub(super) fn links(&self) -> impl Iterator<Item = (u8, &ChannelMask)> {
        let links = (0..).zip(&self.0);
        links.filter(|(_, mask)| **mask != [0; MASK_BYTES])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_are_channels_of_cards() {
        let samples = [3, 160, 168, 239].map(|index| Sample::new(index, 1));
        let channels = Channels::from_samples(&samples);
        let links: Vec<_> = channels.links().collect();
        let [first, third] = [[8, 0, 0, 0, 0, 0, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0, 0, 0, 0, 0x80]];
        assert_eq!(links, [(0, &first), (2, &third)]);
    }
}
