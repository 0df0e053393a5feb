//! ADC values as a stream of bits, the lowest bit of the first byte first.

use super::Sample;

/// Samples that fill whole bytes at either width.
const GROUP: usize = 4;
/// Bytes after the end of the stream that packing may overwrite.
pub(super) const SLACK: usize = 8;

/// Bytes of `samples` samples of `bits` bits.
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
