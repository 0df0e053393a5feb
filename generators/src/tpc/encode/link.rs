//! Pages of the link format: a block for each link and time bin.

use super::slots::{PageEnd, Slots, empty_header};
use super::{FrameInfo, Sample, TimeBin};
use crate::tpc::geometry::CHANNELS_IN_LINK;
use crate::tpc::page::link_header::{
    DATA_WORD_BYTES, LINK_HEADER_BYTES, LINK_MAGIC, SAMPLES_IN_DATA_WORD, SAMPLES_IN_WORD,
};
use crate::tpc::page::rdh::RDH_BYTES;
use crate::tpc::page::zs_header::HEADER_BYTES;
use crate::tpc::page::{LinkHeader, PAGE_BYTES, ZsHeader};
use crate::tpc::time::crossing_of;

const FIRST_BLOCK: usize = RDH_BYTES + HEADER_BYTES;
/// The last time bin of a page is at most so many after the first one.
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
        for link in bin.samples.chunk_by(|a, b| fec(a) == fec(b)) {
            writer.put(bin.number, link);
        }
    }
    writer.close(PageEnd::LastOfFrame);
}

fn fec(sample: &Sample) -> usize {
    usize::from(sample.place()) / CHANNELS_IN_LINK
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

    fn put(&mut self, time_bin: u32, samples: &[Sample]) {
        let data_words = samples.len().div_ceil(SAMPLES_IN_DATA_WORD);
        let bytes = LINK_HEADER_BYTES + data_words * DATA_WORD_BYTES;
        let too_late = time_bin - self.first_time_bin > MAX_SPAN;
        if too_late || self.position + bytes > PAGE_BYTES {
            self.close(PageEnd::MoreFollows);
            self.open(time_bin);
        }
        self.put_link_header(time_bin, samples, data_words);
        self.put_samples(samples);
        self.position += bytes;
        self.header.span = (time_bin - self.first_time_bin) as u8;
        self.header.blocks += 1;
        self.header.samples += samples.len() as u16;
    }

    fn put_link_header(&mut self, time_bin: u32, samples: &[Sample], data_words: usize) {
        let channel = |sample: &Sample| usize::from(sample.place()) % CHANNELS_IN_LINK;
        let bytes = LinkHeader {
            channels: samples.iter().fold(0, |mask, s| mask | 1 << channel(s)),
            crossing: crossing_of(time_bin) - self.header.time_offset,
            data_words: data_words as u8,
            fec: fec(&samples[0]) as u8,
            magic: LINK_MAGIC,
            ..LinkHeader::default()
        }
        .to_bytes();
        let position = self.position;
        self.slots.page()[position..position + LINK_HEADER_BYTES].copy_from_slice(&bytes);
    }

    fn put_samples(&mut self, samples: &[Sample]) {
        let position = self.position + LINK_HEADER_BYTES;
        let page = self.slots.page();
        let words = page[position..].chunks_exact_mut(size_of::<u64>());
        for (word, samples) in words.zip(samples.chunks(SAMPLES_IN_WORD)) {
            word.copy_from_slice(&joined(samples).to_le_bytes());
        }
    }
}

fn joined(samples: &[Sample]) -> u64 {
    let shifted = samples.iter().enumerate();
    shifted.fold(0, |word, (i, sample)| word | u64::from(sample.adc()) << (SAMPLE_BITS * i))
}
