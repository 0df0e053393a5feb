//! Charges and peaks of a fragment of a sector, in tiles of a cache line.

use std::sync::atomic::{AtomicU8, AtomicU16, Ordering};

use crate::parallel::for_each;
use crate::shared::atomic;
use crate::tpc_cluster_finder::directions::Step;
use crate::tpc_decode::Position;
use crate::tpc_decode::charge_map::{COLUMNS, entry};

/// Pads and time bins of a tile of the map of peaks.
const PEAK_TILE: usize = 8;
/// Entries that are cleared at a time.
const CLEARED: usize = 1 << 16;

/// Entry of a charge: its bits,
pub(super) const CHARGE: u16 = (1 << 14) - 1;
/// set if there is a peak in its neighbourhood, or it is one,
pub(super) const AT_PEAK: u16 = 1 << 14;
/// and a flag for a divided charge.
pub(super) const DIVIDED: u16 = 1 << 15;

/// Entry of a peak: a flag for a peak,
pub(super) const PEAK: u8 = 1;
/// and one for a charge above the inner threshold.
pub(super) const ABOVE: u8 = 2;

/// Both maps. Threads write different cells, and read no cell that others write in the same stage.
pub(crate) struct Maps<'m> {
    charges: &'m [AtomicU16],
    peaks: &'m [AtomicU8],
}

/// Entries of the map of peaks that belongs to a map of `charges` charges.
pub(crate) fn peak_entries(charges: usize) -> usize {
    (charges / COLUMNS).next_multiple_of(PEAK_TILE) * COLUMNS
}

/// The position a step away.
#[inline]
pub(super) fn plus(position: Position, step: Step) -> Position {
    Position { column: position.column + step.0, time: position.time + step.1 }
}

impl<'m> Maps<'m> {
    /// Maps of charges and of peaks; the buffer of peaks may be larger than needed.
    pub(crate) fn new(charges: &'m mut [u16], peaks: &'m mut [u8]) -> Self {
        let peaks = &mut peaks[..peak_entries(charges.len())];
        Maps { charges: atomic(charges), peaks: atomic(peaks) }
    }

    /// Map of charges that are divided: peaks are no longer needed.
    pub(in crate::tpc_cluster_finder) fn from_divided(charges: &'m mut [u16]) -> Self {
        Maps { charges: atomic(charges), peaks: &[] }
    }

    /// Clears the charges.
    pub(super) fn clear_charges(&self) {
        for_each(self.charges.chunks(CLEARED), |part| {
            part.iter().for_each(|charge| charge.store(0, Ordering::Relaxed));
        });
    }

    /// Clears the peaks.
    pub(super) fn clear_peaks(&self) {
        for_each(self.peaks.chunks(CLEARED), |part| {
            part.iter().for_each(|peak| peak.store(0, Ordering::Relaxed));
        });
    }

    /// The entry of a charge.
    #[inline]
    pub(super) fn charge(&self, position: Position) -> u16 {
        self.charges[charge_index(position)].load(Ordering::Relaxed)
    }

    #[inline]
    pub(super) fn set_charge(&self, position: Position, charge: u16) {
        self.charges[charge_index(position)].store(charge, Ordering::Relaxed);
    }

    /// The entry of a peak.
    #[inline]
    pub(super) fn peak(&self, position: Position) -> u8 {
        self.peaks[peak_index(position)].load(Ordering::Relaxed)
    }

    #[inline]
    pub(super) fn set_peak(&self, position: Position, peak: u8) {
        self.peaks[peak_index(position)].store(peak, Ordering::Relaxed);
    }
}

#[inline]
fn charge_index(position: Position) -> usize {
    entry(position.column as usize, position.time as usize)
}

#[inline]
fn peak_index(position: Position) -> usize {
    let column = position.column as usize;
    let line = position.time as usize;
    let tile = line / PEAK_TILE * (COLUMNS / PEAK_TILE) + column / PEAK_TILE;
    tile * PEAK_TILE * PEAK_TILE + line % PEAK_TILE * PEAK_TILE + column % PEAK_TILE
}
