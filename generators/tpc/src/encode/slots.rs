//! Pages being filled. ADC values are a stream of bits, the lowest bit of the first byte first.

use super::{FrameInfo, Sample};
use crate::page::rdh::RDH_BYTES;
use crate::page::zs_header::{HEADER_BYTES, HEADER_MAGIC};
use crate::page::{PAGE_BYTES, Page, Rdh, ZsHeader};

/// The pages of one endpoint and heartbeat frame, the last one open.
pub(super) struct Slots<'a> {
    pages: &'a mut Vec<Page>,
    rdh: Rdh,
}

impl<'a> Slots<'a> {
    pub(super) fn new(info: &FrameInfo, pages: &'a mut Vec<Page>) -> Self {
        let fee_id = info.fee_id();
        let rdh = Rdh { fee_id, link_id: fee_id.link(), orbit: info.orbit, ..Rdh::default() };
        Slots { pages, rdh }
    }

    /// Opens a page, all zero.
    pub(super) fn open(&mut self) {
        self.pages.push([0; PAGE_BYTES]);
    }

    /// The open page.
    pub(super) fn page(&mut self) -> &mut Page {
        let last = self.pages.len() - 1;
        &mut self.pages[last]
    }

    /// Writes the RDH of the open page, of which `used` bytes are used.
    pub(super) fn close(&mut self, used: usize) {
        self.rdh.memory_size = used as u16;
        let rdh = self.rdh.to_bytes();
        self.page()[..RDH_BYTES].copy_from_slice(&rdh);
    }

    /// Writes a long header into the open page.
    pub(super) fn put_header(&mut self, offset: usize, header: &ZsHeader) {
        self.page()[offset..offset + HEADER_BYTES].copy_from_slice(&header.to_bytes());
    }
}

/// Header of an empty page.
pub(super) fn empty_header(info: &FrameInfo) -> ZsHeader {
    ZsHeader {
        version: info.format.version(),
        cru: info.cru.number(),
        magic: HEADER_MAGIC,
        ..ZsHeader::default()
    }
}

/// Trailer of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PageEnd {
    /// More data of the heartbeat frame follow in the next page.
    MoreFollows,
    /// The data of the heartbeat frame end here.
    LastOfFrame,
}

impl PageEnd {
    /// The size that row and link pages state: the whole slot if more follows,
    /// however little of it is used.
    pub(super) fn stated_size(self, used: usize) -> usize {
        match self {
            PageEnd::MoreFollows => PAGE_BYTES,
            PageEnd::LastOfFrame => used.next_multiple_of(SIZE_UNIT),
        }
    }
}

/// Sizes are multiples of the 16-byte words of the read-out link.
pub(super) const SIZE_UNIT: usize = 16;

/// Samples that fill whole bytes at either width.
const GROUP: usize = 4;
/// Bytes after the end of the stream that packing may overwrite.
pub(super) const SLACK: usize = 8;

pub(super) const fn packed_bytes(samples: usize, bits: u32) -> usize {
    (samples * bits as usize).div_ceil(8)
}

/// Writes the samples at the beginning of `out`, which must be [`SLACK`] bytes longer than they
/// need, and returns their size in bytes. The bytes after them are 0 or unchanged.
#[inline]
pub(super) fn pack(samples: &[Sample], bits: u32, out: &mut [u8]) -> usize {
    match bits {
        10 => pack_groups::<10>(samples, out),
        _ => pack_groups::<12>(samples, out),
    }
}

fn pack_groups<const BITS: usize>(samples: &[Sample], out: &mut [u8]) -> usize {
    let mut position = 0;
    let mut groups = samples.chunks_exact(GROUP);
    for group in &mut groups {
        store(out, position, joined::<BITS>(group));
        position += GROUP * BITS / 8;
    }
    let rest = groups.remainder();
    if !rest.is_empty() {
        store(out, position, joined::<BITS>(rest));
    }
    position + packed_bytes(rest.len(), BITS as u32)
}

#[inline]
fn joined<const BITS: usize>(samples: &[Sample]) -> u64 {
    let shifted =
        samples.iter().enumerate().map(|(i, sample)| u64::from(sample.adc()) << (i * BITS));
    shifted.fold(0, |word, value| word | value)
}

#[inline]
fn store(out: &mut [u8], position: usize, word: u64) {
    out[position..position + SLACK].copy_from_slice(&word.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sample `i` has bits `i * bits` and on of the stream: bit by bit.
    fn bit_by_bit(values: &[u16], bits: u32) -> Vec<u8> {
        let mut bytes = vec![0; packed_bytes(values.len(), bits)];
        for (i, value) in values.iter().enumerate() {
            for bit in 0..bits as usize {
                let bit_offset = i * bits as usize + bit;
                bytes[bit_offset / 8] |= ((value >> bit & 1) as u8) << (bit_offset % 8);
            }
        }
        bytes
    }

    #[test]
    fn packing_is_what_bit_by_bit_gives() {
        for bits in [10, 12] {
            for count in 0..20_u16 {
                let values: Vec<_> =
                    (0..count).map(|i| i.wrapping_mul(2654) % (1 << bits)).collect();
                let samples: Vec<_> = values.iter().map(|adc| Sample::new(0, *adc)).collect();
                let mut out = [0; 64];
                let bytes = pack(&samples, bits, &mut out);
                assert_eq!(out[..bytes], bit_by_bit(&values, bits), "{count} of {bits}");
                assert!(out[bytes..].iter().all(|byte| *byte == 0));
            }
        }
    }
}
