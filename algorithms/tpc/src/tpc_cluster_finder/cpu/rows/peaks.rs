//! Finds the cells that are peaks, a bit for each from nine lines of charges, and suppresses those
//! that are bumps on the slopes of larger ones.

use super::strip::{PRESENT, Strip, WORD, for_each_set, window};
use crate::tpc_cluster_finder::{is_valley, sixteenths};

/// Finds the peaks of a strip.
pub(super) type FindPeaks = fn(&mut Strip<'_>);

/// The cells of a word, and one before and after them.
const LOADED: usize = WORD + 2;

/// The cells of a word, which starts with the second one.
type Cells = [u16; LOADED];

/// The widest implementation that this machine supports.
pub(super) fn best() -> FindPeaks {
    #[cfg(target_arch = "x86_64")]
    if let Some(widest) = avx512::if_available().or_else(avx2::if_available) {
        return widest;
    }
    portable
}

/// Portable code.
fn portable(strip: &mut Strip<'_>) {
    find(strip, |before, middle, behind, cutoff| {
        let is_peak = |cell: usize| {
            let charge = middle[cell];
            let smaller =
                middle[cell + 1].max(behind[cell - 1]).max(behind[cell]).max(behind[cell + 1]);
            let not_larger =
                before[cell - 1].max(before[cell]).max(before[cell + 1]).max(middle[cell - 1]);
            charge > cutoff && charge >= not_larger && charge > smaller
        };
        (0..WORD).fold(0, |peaks, bit| peaks | u64::from(is_peak(bit + 1)) << bit)
    });
}

/// 16 cells at once.
#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::*;
    use tasks::device::cpu_features::with_instructions;

    /// Cells of a vector.
    const LANES: usize = 16;

    with_instructions! {
        /// For machines with AVX2.
        ["avx2"]
        FindPeaks: fn of_strip(strip: &mut Strip<'_>) {
            find(strip, |before, middle, behind, cutoff| {
                let half = |first| u64::from(peaks(before, middle, behind, cutoff, first));
                half(0) | half(2 * LANES) << (2 * LANES)
            });
        }
    }

    /// Loads the 32 cells from `first` on.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn peaks(before: &Cells, middle: &Cells, behind: &Cells, cutoff: u16, first: usize) -> u32 {
        let [low, high] =
            [first, first + LANES].map(|first| are_peaks(before, middle, behind, cutoff, first));
        // A byte for each cell; packing is by halves of vectors.
        let bytes = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi16(low, high));
        _mm256_movemask_epi8(bytes) as u32
    }

    /// All bits of each of the 16 cells from `first` on that is a peak. Entries have 15 bits, so
    /// that signed comparisons are correct.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn are_peaks(
        before: &Cells,
        middle: &Cells,
        behind: &Cells,
        cutoff: u16,
        first: usize,
    ) -> __m256i {
        let load = |cells: &Cells, shift: usize| -> __m256i {
            let cells: &[u16; LANES] = match cells[first + shift..].first_chunk() {
                Some(cells) => cells,
                None => unreachable!("a word has four vectors, and a cell more on either side"),
            };
            // SAFETY: `cells` has the length of a vector.
            unsafe { _mm256_loadu_si256(cells.as_ptr().cast()) }
        };
        let all = |cells: &Cells| {
            _mm256_max_epi16(_mm256_max_epi16(load(cells, 0), load(cells, 1)), load(cells, 2))
        };
        let charge = load(middle, 1);
        let not_larger = _mm256_max_epi16(all(before), load(middle, 0));
        let smaller = _mm256_max_epi16(all(behind), load(middle, 2));
        let smaller = _mm256_max_epi16(smaller, _mm256_set1_epi16(cutoff as i16));
        let is_not_smaller = _mm256_cmpeq_epi16(_mm256_max_epi16(charge, not_larger), charge);
        _mm256_and_si256(is_not_smaller, _mm256_cmpgt_epi16(charge, smaller))
    }
}

/// 32 cells at once.
#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use super::*;
    use tasks::device::cpu_features::with_instructions;

    /// Cells of a vector.
    const LANES: usize = 32;

    with_instructions! {
        /// For machines with AVX-512.
        ["avx512f", "avx512bw"]
        FindPeaks: fn of_strip(strip: &mut Strip<'_>) {
            find(strip, |before, middle, behind, cutoff| {
                let half = |first| u64::from(peaks(before, middle, behind, cutoff, first));
                half(0) | half(LANES) << LANES
            });
        }
    }

    /// Loads the 32 cells from `first` on.
    #[target_feature(enable = "avx512f,avx512bw")]
    #[inline]
    fn peaks(before: &Cells, middle: &Cells, behind: &Cells, cutoff: u16, first: usize) -> u32 {
        let load = |cells: &Cells, shift: usize| -> __m512i {
            let cells: &[u16; LANES] = match cells[first + shift..].first_chunk() {
                Some(cells) => cells,
                None => unreachable!("a word has two vectors, and a cell more on either side"),
            };
            // SAFETY: `cells` has the length of a vector.
            unsafe { _mm512_loadu_epi16(cells.as_ptr().cast()) }
        };
        let all = |cells: &Cells| {
            _mm512_max_epu16(_mm512_max_epu16(load(cells, 0), load(cells, 1)), load(cells, 2))
        };
        let charge = load(middle, 1);
        let not_larger = _mm512_max_epu16(all(before), load(middle, 0));
        let smaller = _mm512_max_epu16(all(behind), load(middle, 2));
        let smaller = _mm512_max_epu16(smaller, _mm512_set1_epi16(cutoff as i16));
        _mm512_cmpge_epu16_mask(charge, not_larger) & _mm512_cmpgt_epu16_mask(charge, smaller)
    }
}

/// Iterates over the words of all pads that are not noisy: `peaks` gets the cells of the previous
/// pad, of the pad itself and of the next one. All samples have [`PRESENT`], so that entries are in
/// the order of charges.
#[inline(always)]
fn find(strip: &mut Strip<'_>, peaks: impl Fn(&Cells, &Cells, &Cells, u16) -> u64) {
    let cutoff = sixteenths(strip.row.settings.qmax_cutoff) as u16 | PRESENT;
    let line = strip.line;
    for pad in 0..strip.row.pads() {
        if strip.row.is_noisy[pad] {
            continue;
        }
        let first = strip.first_cell(pad);
        // The last word of a line has no cells.
        for cell in (first..first + line - WORD).step_by(WORD) {
            let cells = |cell: usize| strip.charges[cell - 1..].first_chunk();
            let (Some(before), Some(middle), Some(behind)) =
                (cells(cell - line), cells(cell), cells(cell + line))
            else {
                unreachable!("there are lines before the first pad and after the last one");
            };
            strip.raw[cell / WORD] = peaks(before, middle, behind, cutoff);
        }
    }
}

/// Time bins on either side in which larger peaks are searched.
const TIMES: i32 = 3;
/// Time bins that are searched, on the pad of a peak and the adjacent ones: peaks are never
/// neighbours.
const NEAR: u64 = 0b110_0011;
/// Time bins that are searched two pads away.
const FAR: u64 = 0b111_1111;

impl Strip<'_> {
    /// Removes the peaks that are noise.
    pub(super) fn suppress_noise(&mut self) {
        self.kept.copy_from_slice(self.raw);
        for word in self.words() {
            for_each_set(self.raw[word], word * WORD, |cell| {
                if self.is_noise(cell) {
                    self.kept[word] &= !(1 << (cell % WORD));
                }
            });
        }
    }

    #[inline]
    fn is_noise(&self, peak: usize) -> bool {
        let others = |pads: i32| {
            let mask = if pads.abs() == 2 { FAR } else { NEAR };
            window(self.raw, self.plus(peak, (pads, -TIMES)), mask)
        };
        let others = [-2, -1, 0, 1, 2].map(others);
        if others == [0; 5] {
            return false;
        }
        others.into_iter().zip(-2..).any(|(others, pads)| {
            let mut is_noise = false;
            for_each_set(others, 0, |time| {
                is_noise |= self.hides(peak, (pads, time as i32 - TIMES));
            });
            is_noise
        })
    }

    /// True if the peak a step away is larger, and no valley lies between.
    fn hides(&self, peak: usize, step: (i32, i32)) -> bool {
        let charge = self.charge(peak);
        let is_valley =
            |step| is_valley(charge, self.charge(self.plus(peak, step)), self.row.settings);
        let towards = (step.0.signum(), step.1.signum());
        let behind = (towards.0, 2 * towards.1);
        self.charge(self.plus(peak, step)) > charge
            && !is_valley(towards)
            && !(step.1.abs() == TIMES && is_valley(behind))
    }
}
