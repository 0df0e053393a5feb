//! Pages of the link format: a block for each link and time bin, with a mask of the channels that
//! have a sample.

use super::slots::{PageEnd, Slots, empty_header};
use super::{FrameInfo, Sample, TimeBin};
use crate::geometry::MAX_FECS;
use crate::page::link_header::{
    DATA_WORD_BYTES, LINK_HEADER_BYTES, LINK_MAGIC, MASK_BYTES, SAMPLES_IN_DATA_WORD,
    SAMPLES_IN_WORD,
};
use crate::page::rdh::RDH_BYTES;
use crate::page::zs_header::HEADER_BYTES;
use crate::page::{LinkHeader, PAGE_BYTES, ZsHeader};
use crate::time::crossing_of;

const FIRST_BLOCK: usize = RDH_BYTES + HEADER_BYTES;
/// Maximum difference between the last and the first time bin of a page.
const MAX_SPAN: u32 = u8::MAX as u32;
const SAMPLE_BITS: usize = 12;

pub(super) fn encode<'a>(
    info: &FrameInfo,
    first_time_bin: u32,
    time_bins: impl Iterator<Item = TimeBin<'a>>,
    slots: Slots,
) {
    let mut writer =
        Writer { info, slots, position: PAGE_BYTES, first_time_bin, header: ZsHeader::default() };
    writer.open(first_time_bin);
    for bin in time_bins {
        writer.put_links(&bin);
    }
    writer.close(PageEnd::LastOfFrame);
}

struct Writer<'a> {
    info: &'a FrameInfo,
    slots: Slots<'a>,
    position: usize,
    first_time_bin: u32,
    header: ZsHeader,
}

impl Writer<'_> {
    fn open(&mut self, time_bin: u32) {
        self.slots.open();
        self.position = FIRST_BLOCK;
        self.first_time_bin = time_bin;
        self.header = empty_header(self.info);
        self.header.time_offset = crossing_of(time_bin);
    }

    fn close(&mut self, end: PageEnd) {
        self.slots.put_header(RDH_BYTES, &self.header);
        self.slots.close(end.stated_size(self.position));
    }

    fn put_links(&mut self, bin: &TimeBin) {
        let mut samples = bin.samples;
        for (fec, mask) in Channels::from_samples(samples).links() {
            let channels = bits_of(mask);
            let (link, others) = samples.split_at(channels.count_ones() as usize);
            self.put(bin.number, fec, channels, link);
            samples = others;
        }
    }

    fn put(&mut self, time_bin: u32, fec: u8, channels: u128, samples: &[Sample]) {
        let data_words = samples.len().div_ceil(SAMPLES_IN_DATA_WORD);
        let bytes = LINK_HEADER_BYTES + data_words * DATA_WORD_BYTES;
        let too_late = time_bin - self.first_time_bin > MAX_SPAN;
        if too_late || self.position + bytes > PAGE_BYTES {
            self.close(PageEnd::MoreFollows);
            self.open(time_bin);
        }
        let header = LinkHeader {
            channels,
            crossing: crossing_of(time_bin) - self.header.time_offset,
            data_words: data_words as u8,
            fec,
            magic: LINK_MAGIC,
            ..LinkHeader::default()
        };
        let block = &mut self.slots.page()[self.position..self.position + bytes];
        let (head, words) = block.split_at_mut(LINK_HEADER_BYTES);
        head.copy_from_slice(&header.to_bytes());
        put_samples(samples, words);
        self.position += bytes;
        self.header.span = (time_bin - self.first_time_bin) as u8;
        self.header.blocks += 1;
        self.header.samples += samples.len() as u16;
    }
}

/// Bit `c` is channel `c`.
fn bits_of(mask: &ChannelMask) -> u128 {
    let mut bytes = [0; size_of::<u128>()];
    bytes[..mask.len()].copy_from_slice(mask);
    u128::from_le_bytes(bytes)
}

/// Puts samples into words, which are zero.
fn put_samples(samples: &[Sample], words: &mut [u8]) {
    let (words, _) = words.as_chunks_mut();
    let (full, rest) = samples.as_chunks::<SAMPLES_IN_WORD>();
    for (word, samples) in words.iter_mut().zip(full) {
        *word = joined(samples).to_le_bytes();
    }
    if !rest.is_empty() {
        words[full.len()] = joined(rest).to_le_bytes();
    }
}

#[inline]
fn joined(samples: &[Sample]) -> u64 {
    let shifted = samples.iter().enumerate();
    shifted.fold(0, |word, (i, sample)| word | u64::from(sample.adc()) << (SAMPLE_BITS * i))
}

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
