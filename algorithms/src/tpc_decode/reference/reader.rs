//! Reading a payload from front to back, and never beyond its end.

use crate::tpc_decode::damage::{Damage, Expected, Field};
use crate::tpc_decode::header::OpenPage;
use crate::tpc_decode::payload::Payload;

/// A place in a payload.
pub(super) struct Reader<'a> {
    page: &'a OpenPage,
    bytes: &'a [u8],
    /// Bytes from the beginning of the page.
    pub(super) position: usize,
}

impl<'a> Reader<'a> {
    /// At the beginning of a page's payload.
    pub(super) fn new(page: &'a OpenPage, payload: &'a Payload) -> Self {
        Reader {
            page,
            bytes: &payload.bytes()[..page.joined_end()],
            position: page.start,
        }
    }

    /// The next bytes.
    pub(super) fn take(&mut self, length: usize) -> Result<&'a [u8], Damage> {
        let start = self.position;
        let bytes = self.bytes.get(start..start + length).ok_or_else(|| {
            let expected = Expected::AtMost(self.bytes.len() as u64);
            self.page
                .damage(start, Field::End, (start + length) as u64, expected)
        })?;
        self.position += length;
        Ok(bytes)
    }

    /// The next byte.
    pub(super) fn u8(&mut self) -> Result<u8, Damage> {
        Ok(self.take(1)?[0])
    }

    /// The next two bytes as a number.
    pub(super) fn u16(&mut self) -> Result<u16, Damage> {
        let bytes = self.take(2)?;
        Ok(u16::from_le_bytes([bytes[0], bytes[1]]))
    }

    /// The next bytes as a stream of numbers, the lowest bit of the first byte first.
    pub(super) fn samples(
        &mut self,
        count: usize,
        bits: usize,
        adcs: &mut Vec<u16>,
    ) -> Result<(), Damage> {
        let bytes = self.take((count * bits).div_ceil(8))?;
        adcs.clear();
        adcs.extend((0..count).map(|i| sample(bytes, i * bits, bits)));
        Ok(())
    }
}

/// So many bits from a bit on.
fn sample(bytes: &[u8], first_bit: usize, bits: usize) -> u16 {
    let byte = first_bit / 8;
    // 12 bits at most, and they begin at an even bit: two bytes hold them.
    let word = u16::from_le_bytes([bytes[byte], bytes[byte + 1]]);
    word >> (first_bit % 8) & ((1 << bits) - 1)
}
