//! The charges of a row in some time bins: a line for each pad, with empty lines before the first
//! and after the last, and empty cells at the end of each.

use std::ops::Range;

use generators_tpc::charges::Charge;
use generators_tpc::geometry::{ROWS, pads_in_row};

use crate::tpc_cluster_finder::Settings;
use crate::tpc_decode::{FragmentOfFrame, Fragments};
use tasks::device::{Arena, ArenaVec, buffers};

/// Empty lines on either side of the pads of a row: four that are examined, and one because the
/// first time bins of a line are adjacent to the last ones of the previous line.
pub(super) const MARGIN_LINES: usize = 5;
/// Time bins of a strip: with all pads they fit into the second-level cache.
const TIMES: u32 = 1024;
/// Cells of a line: one word of bits more than time bins.
const LONGEST_LINE: usize = TIMES as usize + WORD;

/// Cells of the longest strip of the row with the most pads.
pub(super) const MAX_CELLS: usize = (MAX_PADS + 2 * MARGIN_LINES) * LONGEST_LINE;
/// Maximum number of pads of a row.
const MAX_PADS: usize = pads_in_row(ROWS - 1);

/// Flag of a sample, which is set even if its charge is 0.
pub(super) const PRESENT: u16 = 1 << 14;
/// The charge of a cell.
pub(super) const CHARGE: u16 = PRESENT - 1;

/// A row of pads with its samples.
pub(crate) struct Row<'r> {
    /// Thresholds.
    pub(crate) settings: &'r Settings,
    /// Time bins of the frame.
    pub(crate) time_bins: u32,
    /// True for noisy pads.
    pub(crate) is_noisy: Vec<bool>,
}

impl Row<'_> {
    pub(super) fn pads(&self) -> usize {
        self.is_noisy.len()
    }
}

/// Buffers of a thread for a strip.
pub(super) struct Scratch<'a> {
    charges: ArenaVec<'a, u16>,
    raw: ArenaVec<'a, u64>,
    kept: ArenaVec<'a, u64>,
}

buffers!(Scratch<'_>: charges, raw, kept);

impl<'a> Scratch<'a> {
    pub(super) fn take(arena: &'a Arena) -> Self {
        let lines = (0..ROWS).map(pads_in_row).max().unwrap_or(0) + 2 * MARGIN_LINES;
        let bits = words(lines, LONGEST_LINE / WORD);
        Scratch {
            charges: arena.vector(lines * LONGEST_LINE),
            raw: arena.vector(bits),
            kept: arena.vector(bits),
        }
    }
}

/// Splits a frame into strips, which overlap like fragments.
pub(super) fn of_frame(time_bins: u32) -> impl Iterator<Item = FragmentOfFrame> {
    Fragments::new(TIMES).of_frame(time_bins)
}

/// A row of pads in some time bins.
pub(crate) struct Strip<'s> {
    pub(super) row: &'s Row<'s>,
    pub(super) times: FragmentOfFrame,
    /// Cells of a line.
    pub(super) line: usize,
    /// Charges of samples with [`PRESENT`]; 0 where there is no sample.
    pub(super) charges: &'s mut [u16],
    /// A bit for each cell that is a peak,
    pub(super) raw: &'s mut [u64],
    /// and for those that are not suppressed.
    pub(super) kept: &'s mut [u64],
}

impl<'s> Strip<'s> {
    /// Creates a strip without charges.
    pub(super) fn new(
        row: &'s Row<'s>,
        times: FragmentOfFrame,
        scratch: &'s mut Scratch<'_>,
    ) -> Self {
        let line = times.time_bins.len().next_multiple_of(WORD) + WORD;
        let lines = row.pads() + 2 * MARGIN_LINES;
        let words = words(lines, line / WORD);
        let charges = &mut scratch.charges[..lines * line];
        let raw = &mut scratch.raw[..words];
        let kept = &mut scratch.kept[..words];
        charges.fill(0);
        raw.fill(0);
        Strip { row, times, line, charges, raw, kept }
    }

    /// Stores the samples of the strip in their cells; samples of other strips are skipped.
    pub(super) fn fill(&mut self, samples: &[Charge]) {
        for sample in samples {
            if let Some(cell) = self.cell_of(*sample) {
                self.charges[cell] = sample.charge | PRESENT;
            }
        }
    }

    /// The cell of a sample, if the strip has its time bin.
    #[inline]
    pub(super) fn cell_of(&self, sample: Charge) -> Option<usize> {
        let Range { start, end } = self.times.time_bins;
        let time = sample.time.wrapping_sub(start);
        (time < end - start).then(|| self.first_cell(sample.pad.pad().into()) + time as usize)
    }

    /// The first cell of a pad.
    #[inline]
    pub(super) fn first_cell(&self, pad: usize) -> usize {
        (pad + MARGIN_LINES) * self.line
    }

    /// Pad and time bin of the frame of a cell.
    #[inline]
    pub(super) fn pad_and_time(&self, cell: usize) -> (i32, u32) {
        let pad = cell / self.line - MARGIN_LINES;
        let time = cell % self.line;
        (pad as i32, self.times.time_bins.start + time as u32)
    }

    /// The words of bits of the pads' cells.
    pub(super) fn words(&self) -> Range<usize> {
        let end = self.first_cell(self.row.pads());
        self.first_cell(0) / WORD..end / WORD
    }

    /// The cell a step away, in pads and time bins.
    #[inline]
    pub(super) fn plus(&self, cell: usize, (pads, times): (i32, i32)) -> usize {
        cell.wrapping_add_signed(pads as isize * self.line as isize + times as isize)
    }

    /// The charge of a cell.
    #[inline]
    pub(super) fn charge(&self, cell: usize) -> i32 {
        (self.charges[cell] & CHARGE).into()
    }
}

/// Bits of a word.
pub(super) const WORD: usize = 64;

/// Words of bits for a strip with `lines` lines: one more, as a window may reach into it.
pub(super) const fn words(lines: usize, words_in_line: usize) -> usize {
    lines * words_in_line + 1
}

/// The bits from a cell on, up to the length of `mask`.
#[inline]
pub(super) fn window(bits: &[u64], first: usize, mask: u64) -> u64 {
    let word = first / WORD;
    let shift = first % WORD;
    let low = bits[word] >> shift;
    let high = bits[word + 1] << (WORD - 1 - shift) << 1;
    (low | high) & mask
}

/// Calls `cell` with the index of each set bit of a word.
#[inline]
pub(super) fn for_each_set(word: u64, first: usize, mut cell: impl FnMut(usize)) {
    let mut left = word;
    while left != 0 {
        cell(first + left.trailing_zeros() as usize);
        left &= left - 1;
    }
}
