//! Charge that a crossing leaves on a row of pads.

use bytemuck::{Pod, Zeroable};

use super::Avx512;
use super::cells::NO_CELL;
use super::response::{BELOW, BINS, Shape, Shares};

/// A pad with less charge, in quarters of an ADC unit, gets no sample from it.
const MIN_CHARGE: f32 = 16.0;

/// The charge of a crossing, spread over pads and time bins.
pub(super) struct Deposit<'a> {
    pub(super) row: usize,
    /// Pads of the row.
    pub(super) pads: usize,
    /// The pad of the centre of the charge, shifted by `BINS`, so that a pad just outside the row
    /// has a valid index too.
    pub(super) shifted_pad: usize,
    /// Per 65536th, in quarters of an ADC unit.
    pub(super) charge: f32,
    pub(super) on_pads: &'a Shares,
    /// Its first column.
    pub(super) column: usize,
    pub(super) in_time: Shape,
}

/// Deposit of a crossing on a pad.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct PadDeposit {
    pub(super) cell: u16,
    /// Its first column.
    pub(super) column: u16,
    /// In quarters of an ADC unit.
    pub(super) charge: u16,
    /// Its distribution over columns.
    pub(super) in_time: Shape,
}

impl Deposit<'_> {
    /// The charge on each of the pads around.
    #[inline]
    fn charges(&self) -> [f32; BINS] {
        self.on_pads.map(|share| self.charge * f32::from(share))
    }

    /// Lists the deposits on the pads with these cells; returns their number.
    ///
    /// Each entry is written, and counted only if it has charge: a branch would be as hard to
    /// predict as the data are.
    #[inline]
    pub(super) fn list(&self, cells: &[u16; BINS], to: &mut [PadDeposit; BINS]) -> usize {
        let mut count = 0;
        for (charge, cell) in self.charges().into_iter().zip(*cells) {
            let column = self.column as u16;
            let in_time = self.in_time;
            to[count] = PadDeposit { cell, column, charge: charge as u16, in_time };
            count += usize::from(charge >= MIN_CHARGE && cell != NO_CELL);
        }
        count
    }

    /// Lists the deposits of all pads with vector instructions; returns their number.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    pub(super) fn list_by_vectors(
        &self,
        _: Avx512,
        cells: &[u16; BINS],
        to: &mut [PadDeposit; BINS],
    ) -> usize {
        // SAFETY: the witness proves that the CPU has the features of `list_by_avx512`.
        unsafe { self.list_by_avx512(cells, to) }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,popcnt")]
    #[inline]
    fn list_by_avx512(&self, cells: &[u16; BINS], to: &mut [PadDeposit; BINS]) -> usize {
        use std::arch::x86_64::{
            _CMP_GE_OQ, _mm_cmpneq_epu16_mask, _mm_loadu_si128, _mm_set1_epi16, _mm256_cmp_ps_mask,
            _mm256_cvtepi32_ps, _mm256_cvtepu16_epi32, _mm256_cvttps_epi32, _mm256_min_ps,
            _mm256_mul_ps, _mm256_set1_ps, _mm512_cvtepu16_epi64, _mm512_cvtepu32_epi64,
            _mm512_maskz_compress_epi64, _mm512_or_si512, _mm512_set1_epi64, _mm512_slli_epi64,
            _mm512_storeu_si512,
        };
        // SAFETY: both have eight numbers.
        let [shares, cells] = [self.on_pads, cells]
            .map(|numbers| unsafe { _mm_loadu_si128(numbers.as_ptr().cast()) });
        let shares = _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(shares));
        let charges = _mm256_mul_ps(_mm256_set1_ps(self.charge), shares);
        let is_enough = _mm256_cmp_ps_mask::<_CMP_GE_OQ>(charges, _mm256_set1_ps(MIN_CHARGE));
        let is_pad = _mm_cmpneq_epu16_mask(cells, _mm_set1_epi16(NO_CELL.cast_signed()));
        let wanted = is_enough & is_pad;
        // In the order of the fields of a deposit.
        let whole = _mm256_min_ps(charges, _mm256_set1_ps(f32::from(u16::MAX)));
        let whole = _mm512_cvtepu32_epi64(_mm256_cvttps_epi32(whole));
        let of_all = PadDeposit {
            column: self.column as u16,
            in_time: self.in_time,
            ..PadDeposit::default()
        };
        let deposits = _mm512_or_si512(
            _mm512_or_si512(_mm512_cvtepu16_epi64(cells), _mm512_slli_epi64::<32>(whole)),
            _mm512_set1_epi64(bytemuck::cast(of_all)),
        );
        let first = _mm512_maskz_compress_epi64(wanted, deposits);
        // SAFETY: `to` has eight deposits of eight bytes each.
        unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), first) };
        wanted.count_ones() as usize
    }

    #[cfg(not(target_arch = "x86_64"))]
    pub(super) fn list_by_vectors(
        &self,
        _: Avx512,
        cells: &[u16; BINS],
        to: &mut [PadDeposit; BINS],
    ) -> usize {
        self.list(cells, to)
    }

    /// The pads that get charge, and how much.
    pub(super) fn pads(&self) -> impl Iterator<Item = (usize, u16)> {
        // Beside the row on the low side, the difference wraps to a large number.
        let pads = (0..BINS).map(|i| (self.shifted_pad + i).wrapping_sub(BINS + BELOW));
        let charged = pads.zip(self.charges());
        charged
            .filter(|(pad, charge)| *pad < self.pads && *charge >= MIN_CHARGE)
            .map(|(pad, charge)| (pad, charge as u16))
    }
}

#[cfg(test)]
mod tests {
    use generators_common::random::mix;

    use super::*;
    use crate::simulate::response::Response;

    #[test]
    fn vectors_list_the_same_deposits_as_scalars() {
        let Some(avx512) = Avx512::detect() else {
            eprintln!("skipped: no AVX-512");
            return;
        };
        for index in 0..1000 {
            let random = |of: u64| mix(8 * index + of);
            // Some with less than is seen, some with more than there are numbers for.
            let charge = [1e-4, 1e-3, 0.1, 10.0][random(0) as usize % 4];
            let on_pads = std::array::from_fn(|i| random(1) as u16 >> (i * 2));
            let deposit = Deposit {
                row: 0,
                pads: 0,
                shifted_pad: 0,
                charge,
                on_pads: &on_pads,
                column: random(2) as usize % 500,
                in_time: Response::shape(random(3) as f64 / u64::MAX as f64, 1.0),
            };
            let cell = |i| if random(4) >> i & 3 == 0 { NO_CELL } else { i as u16 * 100 };
            let cells = std::array::from_fn(cell);
            let mut lists = [[PadDeposit::default(); BINS]; 2];
            let expected = deposit.list(&cells, &mut lists[0]);
            assert_eq!(deposit.list_by_vectors(avx512, &cells, &mut lists[1]), expected);
            assert_eq!(lists[0][..expected], lists[1][..expected]);
        }
    }
}
