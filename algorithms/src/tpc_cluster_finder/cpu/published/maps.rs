//! Charges and peaks of a fragment of a sector, in tiles of a cache line.

use std::sync::atomic::{AtomicU8, AtomicU16, Ordering};

use generators::tpc::PadId;

use super::Place;
use crate::device::atomic;
use crate::parallel::for_each;
use crate::tpc_cluster_finder::cpu::directions::Step;
use crate::tpc_decode::charge_map::{self, COLUMNS, TIME_MARGIN, column, entry};

/// Pads and time bins of a tile of the map of peaks.
const PEAK_TILE: usize = 8;
/// Entries that are cleared at a time.
const CLEARED: usize = 1 << 16;

/// Of the entry of a charge: its bits,
pub(super) const CHARGE: u16 = (1 << 14) - 1;
/// whether there is a peak in its neighbourhood, or it is one,
pub(super) const AT_PEAK: u16 = 1 << 14;
/// and whether it was divided.
pub(super) const DIVIDED: u16 = 1 << 15;

/// Of the entry of a peak: that it is one,
pub(super) const PEAK: u8 = 1;
/// and that it is above the inner threshold.
pub(super) const ABOVE: u8 = 2;

/// Both maps. Threads write different cells, and read no cell that others write in the same stage.
pub(super) struct Maps<'m> {
    charges: &'m [AtomicU16],
    peaks: &'m [AtomicU8],
}

/// Entries of a map of charges for so many time bins.
pub(super) fn charge_entries(time_bins: u32) -> usize {
    charge_map::entries(time_bins)
}

/// Entries of a map of peaks for so many time bins.
pub(super) fn peak_entries(time_bins: u32) -> usize {
    let lines = (time_bins + 2 * TIME_MARGIN) as usize;
    lines.next_multiple_of(PEAK_TILE) * COLUMNS
}

/// Where a pad is, in a time bin of the fragment.
pub(super) fn place(pad: PadId, time: u32) -> Place {
    [column(pad) as i16, (time + TIME_MARGIN) as i16]
}

/// The place that lies a step away.
#[inline]
pub(super) fn plus(place: Place, step: Step) -> Place {
    [place[0] + step.0, place[1] + step.1]
}

impl<'m> Maps<'m> {
    /// Maps for so many time bins, in memory that may have room for more.
    pub(super) fn new(charges: &'m mut [u16], peaks: &'m mut [u8], time_bins: u32) -> Self {
        Maps {
            charges: atomic(&mut charges[..charge_entries(time_bins)]),
            peaks: atomic(&mut peaks[..peak_entries(time_bins)]),
        }
    }

    /// No charges, no peaks.
    pub(super) fn clear(&self) {
        for_each(self.charges.chunks(CLEARED), |part| {
            part.iter().for_each(|charge| charge.store(0, Ordering::Relaxed));
        });
        for_each(self.peaks.chunks(CLEARED), |part| {
            part.iter().for_each(|peak| peak.store(0, Ordering::Relaxed));
        });
    }

    /// The entry of a charge.
    #[inline]
    pub(super) fn charge(&self, place: Place) -> u16 {
        self.charges[charge_index(place)].load(Ordering::Relaxed)
    }

    #[inline]
    pub(super) fn set_charge(&self, place: Place, charge: u16) {
        self.charges[charge_index(place)].store(charge, Ordering::Relaxed);
    }

    /// The entry of a peak.
    #[inline]
    pub(super) fn peak(&self, place: Place) -> u8 {
        self.peaks[peak_index(place)].load(Ordering::Relaxed)
    }

    #[inline]
    pub(super) fn set_peak(&self, place: Place, peak: u8) {
        self.peaks[peak_index(place)].store(peak, Ordering::Relaxed);
    }
}

#[inline]
fn charge_index([column, line]: Place) -> usize {
    entry(column as usize, line as usize)
}

#[inline]
fn peak_index([column, line]: Place) -> usize {
    let (column, line) = (column as usize, line as usize);
    let tile = line / PEAK_TILE * (COLUMNS / PEAK_TILE) + column / PEAK_TILE;
    tile * PEAK_TILE * PEAK_TILE + line % PEAK_TILE * PEAK_TILE + column % PEAK_TILE
}
