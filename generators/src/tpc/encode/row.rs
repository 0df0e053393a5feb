//! Pages of the row formats: a record for each time bin, empty ones included.

use super::bits::{SLACK, pack, packed_bytes};
use super::sequences::{Sequence, Sequences, is_next_pad, row_of};
use super::slots::{PageEnd, Slots, empty_header};
use super::{FrameInfo, Sample, TimeBin};
use crate::tpc::geometry::MAX_ROWS_IN_HALF;
use crate::tpc::page::rdh::RDH_BYTES;
use crate::tpc::page::zs_header::SHORT_HEADER_BYTES;
use crate::tpc::page::{PAGE_BYTES, ZsHeader};
use crate::tpc::time::crossing_of;

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
