//! Reads a payload sequentially, with bounds checks.

use crate::tpc_decode::damage::{Damage, Expected, Field};
use crate::tpc_decode::header::OpenPage;
use crate::tpc_decode::payload::Payload;

/// A cursor in a payload.
pub(super) struct Reader<'a> {
    page: &'a OpenPage,
    bytes: &'a [u8],
    /// Bytes from the beginning of the page.
    pub(super) position: usize,
}

impl<'a> Reader<'a> {
    /// A reader at the start of a page's payload.
    pub(super) fn new(page: &'a OpenPage, payload: &'a Payload) -> Self {
        Reader { page, bytes: &payload.bytes()[..page.joined_end()], position: page.start }
    }

    /// The next bytes.
    #[inline]
    pub(super) fn take(&mut self, length: usize) -> Result<&'a [u8], Damage> {
        let start = self.position;
        let bytes = self.bytes.get(start..start + length).ok_or_else(|| {
            let expected = Expected::AtMost(self.bytes.len() as u64);
            self.page.damage(start, Field::End, (start + length) as u64, expected)
        })?;
        self.position += length;
        Ok(bytes)
    }

    /// The next byte.
    #[inline]
    pub(super) fn u8(&mut self) -> Result<u8, Damage> {
        Ok(self.take(1)?[0])
    }

    /// The next two bytes as a number.
    #[inline]
    pub(super) fn u16(&mut self) -> Result<u16, Damage> {
        let bytes = self.take(2)?;
        Ok(u16::from_le_bytes([bytes[0], bytes[1]]))
    }

    /// The next bytes as a stream of packed numbers, the lowest bit of the first byte first.
    #[inline]
    pub(super) fn packed(&mut self, count: usize, bits: usize) -> Result<Packed<'a>, Damage> {
        let bytes = self.take((count * bits).div_ceil(8))?;
        Ok(Packed { bytes, bits })
    }
}

/// Packed numbers of `bits` bits each.
pub(super) struct Packed<'a> {
    bytes: &'a [u8],
    bits: usize,
}

impl Packed<'_> {
    /// Returns a number by its index.
    #[inline]
    pub(super) fn get(&self, index: usize) -> u16 {
        let first_bit = index * self.bits;
        let byte = first_bit / 8;
        // Numbers have 12 bits at most, and start at an even bit: two bytes contain them.
        let word = u16::from_le_bytes([self.bytes[byte], self.bytes[byte + 1]]);
        word >> (first_bit % 8) & ((1 << self.bits) - 1)
    }
}
