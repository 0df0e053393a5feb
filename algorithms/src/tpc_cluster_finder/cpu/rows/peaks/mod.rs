//! Finds the cells that are peaks: a bit for each, from nine lines of charges.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;

use super::bits::WORD;
use super::strip::{PRESENT, Strip};
use crate::tpc_cluster_finder::settings::sixteenths;

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
