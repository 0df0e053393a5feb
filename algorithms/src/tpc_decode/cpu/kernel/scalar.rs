//! One sample at a time, on any machine.

use generators::tpc::{Digit, PadId};

use super::isa::{Bytes, Group, Isa, SEQUENCE, array_at};
use super::pad_list::PadList;
use crate::tpc_decode::pads::LINK_STRIDE;

const SAMPLES_IN_WORD: usize = 5;
const WORD_SAMPLE_BITS: usize = 12;

/// No instructions beyond those of the target.
#[derive(Clone, Copy)]
pub(in crate::tpc_decode::cpu) struct Scalar;

impl Isa for Scalar {
    #[inline(always)]
    fn spread(self, level: u16, bytes: &[u8; 16]) -> u128 {
        let mut mask = [0; 16];
        let mut rest = level;
        for byte in bytes {
            if rest == 0 {
                break;
            }
            mask[rest.trailing_zeros() as usize] = *byte;
            rest &= rest - 1;
        }
        u128::from_le_bytes(mask)
    }

    #[inline(always)]
    fn list_selected(
        self,
        pads: &mut PadList,
        start: usize,
        link: &[PadId; LINK_STRIDE],
        channels: u128,
    ) -> usize {
        let halves = [(channels as u64, 0), ((channels >> 64) as u64, 64)];
        let mut end = start;
        for (mut rest, first) in halves {
            let count = rest.count_ones() as usize;
            for pad in &mut pads.target::<64>(end)[..count] {
                *pad = link[first + rest.trailing_zeros() as usize];
                rest &= rest - 1;
            }
            end += count;
        }
        end
    }

    #[inline(always)]
    fn number(self, pads: &mut [PadId; SEQUENCE], first: PadId) {
        for (pad, number) in pads.iter_mut().zip(0_u8..) {
            *pad = PadId::new(first.row(), first.pad().wrapping_add(number));
        }
    }

    #[inline(always)]
    fn join_packed<const BITS: usize>(
        self,
        bytes: &Bytes,
        pads: &PadList,
        group: Group,
        digits: &mut [Digit],
    ) {
        let range = usize::from(group.first)..usize::from(group.end);
        for (index, (sample, digit)) in range.zip(digits).enumerate() {
            let bit = index * BITS;
            let word = *array_at(bytes, group.position as usize + bit / 8);
            let adc = u32::from_le_bytes(word) >> (bit % 8) & ((1 << BITS) - 1);
            *digit = join(group.template, pads.at::<1>(sample)[0], adc.into());
        }
    }

    #[inline(always)]
    fn join_words(self, bytes: &Bytes, pads: &PadList, group: Group, digits: &mut [Digit]) {
        let mut sample = usize::from(group.first);
        let mut position = group.position as usize;
        let end = usize::from(group.end);
        for digits in digits[..end - sample].chunks_mut(SAMPLES_IN_WORD) {
            let mut word = u64::from_le_bytes(*array_at(bytes, position));
            for digit in digits {
                let adc = word & ((1 << WORD_SAMPLE_BITS) - 1);
                *digit = join(group.template, pads.at::<1>(sample)[0], adc);
                word >>= WORD_SAMPLE_BITS;
                sample += 1;
            }
            position += 8;
        }
    }
}

#[inline(always)]
fn join(template: u64, pad: PadId, adc: u64) -> Digit {
    Digit::from_bits(template | u64::from(pad.bits()) << 16 | adc)
}
