//! Pages of the row formats: a record for each time bin, empty ones included, with the samples as
//! sequences of pads next to each other.

use super::slots::{PageEnd, SLACK, Slots, empty_header, pack, packed_bytes};
use super::{FrameInfo, Sample, TimeBin};
use crate::geometry::MAX_ROWS_IN_HALF;
use crate::page::rdh::RDH_BYTES;
use crate::page::zs_header::SHORT_HEADER_BYTES;
use crate::page::{PAGE_BYTES, ZsHeader};
use crate::time::crossing_of;

const FIRST_RECORD: usize = RDH_BYTES + SHORT_HEADER_BYTES;
/// Maximum number of time bins of a page, empty ones included.
const MAX_TIME_BINS: u32 = u8::MAX as u32;
/// Bytes of the mask of rows, and of the address of a row.
const MASK_BYTES: usize = 2;
const ADDRESS_BYTES: usize = 2;
/// Bytes of the number of sequences of a row, and of the header of a sequence.
const COUNT_BYTES: usize = 1;
const SEQUENCE_BYTES: usize = 2;
/// Bit in the mask of rows: the endpoint is the second of its region.
const SECOND_HALF: u16 = 1 << 15;
/// Records start at even offsets.
const RECORD_ALIGNMENT: usize = 2;

pub(super) fn encode<'a>(
    info: &FrameInfo,
    first_time_bin: u32,
    time_bins: impl Iterator<Item = TimeBin<'a>>,
    slots: Slots,
) {
    let mut writer = Writer {
        info,
        slots,
        scratch: [0; PAGE_BYTES + SLACK],
        position: FIRST_RECORD,
        first_time_bin,
        header: ZsHeader::default(),
        sequences: Sequences::default(),
    };
    writer.open(first_time_bin);
    for bin in time_bins {
        writer.put(bin.number, bin.samples);
    }
    writer.close(PageEnd::LastOfFrame);
}

struct Writer<'a> {
    info: &'a FrameInfo,
    slots: Slots<'a>,
    /// The open page, with slack because packing writes past its end.
    scratch: [u8; PAGE_BYTES + SLACK],
    /// End of the open page's last record.
    position: usize,
    first_time_bin: u32,
    header: ZsHeader,
    /// Reused.
    sequences: Sequences,
}

impl Writer<'_> {
    fn open(&mut self, time_bin: u32) {
        self.slots.open();
        self.scratch.fill(0);
        self.position = FIRST_RECORD;
        self.first_time_bin = time_bin;
        self.header = empty_header(self.info);
        self.header.time_offset = crossing_of(time_bin);
    }

    fn close(&mut self, end: PageEnd) {
        let header = self.header.to_short_bytes();
        self.scratch[RDH_BYTES..FIRST_RECORD].copy_from_slice(&header);
        self.slots.page().copy_from_slice(&self.scratch[..PAGE_BYTES]);
        self.slots.close(end.stated_size(self.position));
    }

    /// Writes a time bin, into the pages that it needs.
    fn put(&mut self, time_bin: u32, mut samples: &[Sample]) {
        while !samples.is_empty() {
            let fitting = self.put_fitting(time_bin, samples);
            samples = &samples[fitting..];
            if !samples.is_empty() {
                self.close(PageEnd::MoreFollows);
                self.open(time_bin);
            }
        }
    }

    /// Writes the samples of a time bin that fit into the open page; returns their number.
    fn put_fitting(&mut self, time_bin: u32, samples: &[Sample]) -> usize {
        let number = time_bin - self.first_time_bin;
        if number >= MAX_TIME_BINS {
            return 0;
        }
        let empty = number as usize - usize::from(self.header.span);
        let start = self.position.next_multiple_of(RECORD_ALIGNMENT) + empty * MASK_BYTES;
        let capacity = PAGE_BYTES.saturating_sub(start);
        let fitting = fitting(samples, self.info.format.sample_bits(), capacity);
        if fitting > 0 {
            self.position = start;
            self.put_record(&samples[..fitting]);
            self.header.span = number as u8 + 1;
            self.header.samples += fitting as u16;
        }
        fitting
    }

    fn put_record(&mut self, samples: &[Sample]) {
        let mut sequences = std::mem::take(&mut self.sequences);
        let found = sequences.find(samples);
        let start = self.position;
        let mask = self.mask_of_rows(found);
        let mut address = start + MASK_BYTES;
        self.position = address + (mask.count_ones() as usize - 1) * ADDRESS_BYTES;
        let half = SECOND_HALF * self.info.endpoint.half() as u16;
        self.put_u16(start, half | mask);
        let mut first_sample = 0;
        for (index, row) in found.chunk_by(|a, b| a.row() == b.row()).enumerate() {
            if index > 0 {
                self.put_u16(address, self.position as u16);
                address += ADDRESS_BYTES;
            }
            self.put_sequences(row, first_sample);
            let end = row.last().map_or(first_sample, |last| usize::from(last.end));
            self.put_samples(&samples[first_sample..end]);
            first_sample = end;
        }
        self.sequences = sequences;
    }

    fn mask_of_rows(&self, sequences: &[Sequence]) -> u16 {
        let first_row = self.info.endpoint.rows().start as u16;
        sequences.iter().fold(0, |mask, sequence| mask | 1 << (sequence.row() - first_row))
    }

    /// Writes the sequences of a row, of which this sample is the first.
    fn put_sequences(&mut self, row: &[Sequence], first_sample: usize) {
        let bytes = COUNT_BYTES + row.len() * SEQUENCE_BYTES;
        let [count, out @ ..] = &mut self.scratch[self.position..self.position + bytes] else {
            return;
        };
        *count = row.len() as u8;
        for (sequence, out) in row.iter().zip(out.as_chunks_mut::<SEQUENCE_BYTES>().0) {
            *out = [sequence.index as u8, (usize::from(sequence.end) - first_sample) as u8];
        }
        self.position += bytes;
    }

    fn put_samples(&mut self, samples: &[Sample]) {
        let bits = self.info.format.sample_bits();
        self.position += pack(samples, bits, &mut self.scratch[self.position..]);
    }

    fn put_u16(&mut self, offset: usize, value: u16) {
        self.scratch[offset..offset + 2].copy_from_slice(&value.to_le_bytes());
    }
}

fn rows(samples: &[Sample]) -> impl Iterator<Item = &[Sample]> {
    samples.chunk_by(|a, b| row_of(a.index()) == row_of(b.index()))
}

/// Number of samples of a time bin that fit into `capacity` bytes as a record.
fn fitting(samples: &[Sample], bits: u32, capacity: usize) -> usize {
    if largest_record(samples.len()) <= capacity {
        return samples.len();
    }
    let mut record = MASK_BYTES;
    let mut taken = 0;
    for (index, row) in rows(samples).enumerate() {
        let address = if index > 0 { ADDRESS_BYTES } else { 0 };
        let in_row = fitting_of_row(row, bits, capacity.saturating_sub(record + address));
        taken += in_row;
        if in_row < row.len() {
            return taken;
        }
        record += address + row_bytes(row, bits);
    }
    taken
}

/// Upper bound of the bytes of a record of `samples` samples.
fn largest_record(samples: usize) -> usize {
    let rows = MASK_BYTES + MAX_ROWS_IN_HALF * (ADDRESS_BYTES + COUNT_BYTES + 1);
    rows + samples * (SEQUENCE_BYTES + 2)
}

fn fitting_of_row(row: &[Sample], bits: u32, capacity: usize) -> usize {
    let mut sequences = 0;
    for (index, sample) in row.iter().enumerate() {
        let continues = index > 0 && is_next_pad(&row[index - 1], sample);
        sequences += usize::from(!continues);
        if bytes_of(sequences, index + 1, bits) > capacity {
            return index;
        }
    }
    row.len()
}

fn row_bytes(row: &[Sample], bits: u32) -> usize {
    bytes_of(row.chunk_by(is_next_pad).count(), row.len(), bits)
}

fn bytes_of(sequences: usize, samples: usize, bits: u32) -> usize {
    COUNT_BYTES + sequences * SEQUENCE_BYTES + packed_bytes(samples, bits)
}

/// Some pads of a row, next to each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sequence {
    /// Index of its first pad.
    pub(super) index: u16,
    /// Number of samples of the time bin up to its end.
    pub(super) end: u16,
}

impl Sequence {
    /// The row, as number in the sector.
    pub(super) fn row(self) -> u16 {
        row_of(self.index)
    }
}

pub(super) fn row_of(index: u16) -> u16 {
    index >> 8
}

/// True if two pads of a row are adjacent, and so in one sequence. Rows are too short for the first
/// pad of the next row to follow their last one.
pub(super) fn is_next_pad(a: &Sample, b: &Sample) -> bool {
    a.index() + 1 == b.index()
}

/// Memory for the sequences of a time bin.
#[derive(Default)]
pub(super) struct Sequences(Vec<Sequence>);

impl Sequences {
    /// Finds the sequences of these samples.
    ///
    /// One is written with each sample, over the previous one if that continues: a branch would be
    /// as hard to predict as the data are.
    pub(super) fn find(&mut self, samples: &[Sample]) -> &[Sequence] {
        if self.0.len() <= samples.len() {
            self.0.resize(samples.len() + 1, Sequence::default());
        }
        // The first one is there before there is a sample.
        let mut count = 0;
        let mut index = 0;
        let mut before = Sample::new(u16::MAX - 1, 0);
        for (sample, end) in samples.iter().zip(1..) {
            let is_new = !is_next_pad(&before, sample);
            index = if is_new { sample.index() } else { index };
            count += usize::from(is_new);
            self.0[count] = Sequence { index, end };
            before = *sample;
        }
        &self.0[1..=count]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_end_with_rows_and_where_a_pad_is_missing() {
        let indices = [0x105, 0x106, 0x109, 0x189, 0x200, 0x201, 0x300];
        let samples = indices.map(|index| Sample::new(index, 7));
        let expected = [(0x105, 2), (0x109, 3), (0x189, 4), (0x200, 6), (0x300, 7)];
        let expected = expected.map(|(index, end)| Sequence { index, end });
        let mut sequences = Sequences::default();
        assert_eq!(sequences.find(&samples[..0]), []);
        assert_eq!(sequences.find(&samples), expected);
        assert_eq!(sequences.find(&samples[..1]), [Sequence { index: 0x105, end: 1 }]);
    }
}
