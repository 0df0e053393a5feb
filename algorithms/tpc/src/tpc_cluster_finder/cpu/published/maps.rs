//! Charges and peaks of a fragment of a sector, in tiles of a cache line, and labels from the
//! indices of the samples around peaks.

use std::sync::atomic::{AtomicU8, AtomicU16, Ordering};

use generators_tpc::charges::{Charge, ChargeCase};
use parallel::shared::{SharedSlice, atomic};
use parallel::{Grain, for_each, for_each_range};

use crate::tpc_cluster_finder::cpu::of_sample;
use crate::tpc_cluster_finder::labels::collect::Collect;
use crate::tpc_cluster_finder::row::{DIRECTIONS, Step};
use crate::tpc_cluster_finder::sixteenths;
use crate::tpc_decode::charge_map::{COLUMNS, entry};
use crate::tpc_decode::{FragmentOfFrame, Position};

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

/// The samples of a fragment of a sector, by their cells.
#[derive(Clone, Copy)]
pub(in crate::tpc_cluster_finder) struct Numbered<'n> {
    /// The sector.
    pub(in crate::tpc_cluster_finder) case: &'n ChargeCase,
    /// The index in the sector of the sample of each entry of the map that has one.
    pub(in crate::tpc_cluster_finder) indices: &'n [u32],
}

/// Stores the index of each sample in the sector at the entry of its charge in the map of a
/// fragment.
pub(in crate::tpc_cluster_finder) fn number_samples(
    case: &ChargeCase,
    fragment: &FragmentOfFrame,
    samples: &[Charge],
    indices: &mut [u32],
) {
    let times = &fragment.time_bins;
    let first = samples.as_ptr_range().start.addr() - case.charges.as_ptr_range().start.addr();
    let first = first / size_of::<Charge>();
    let shared = SharedSlice::new(indices);
    for_each_range(samples.len(), Grain::Adaptive, |range| {
        for number in range.filter(|number| times.contains(&samples[*number].time)) {
            let Charge { time, pad, .. } = samples[number];
            let cell = Position::new(pad, time - times.start);
            // SAFETY: no two samples are in the same cell.
            unsafe { shared.write(cell.index(), (first + number) as u32) };
        }
    });
}

impl Numbered<'_> {
    /// The labels of the cluster around a peak, once charges are divided.
    pub(in crate::tpc_cluster_finder) fn collected<C: Collect>(
        &self,
        maps: &Maps<'_>,
        peak: Position,
    ) -> Vec<u64> {
        let mut collect = C::default();
        let mut list = Vec::new();
        self.labelled(maps, peak, |cell| {
            let sample = self.indices[cell.index()] as usize;
            let labels = of_sample(self.case.labels.as_ref(), sample);
            labels.iter().for_each(|label| collect.add(*label));
        });
        collect.take(&mut list);
        list
    }

    /// Calls `add` for the cells whose samples give their labels to the cluster around a peak: the
    /// neighbours, then the outer cells, as far as they have charge.
    fn labelled(&self, maps: &Maps<'_>, peak: Position, mut add: impl FnMut(Position)) {
        let threshold = sixteenths(self.case.settings.inner_threshold);
        let charge = |step| i32::from(maps.charge(plus(peak, step)) & CHARGE);
        let mut give = |step: Step| {
            if charge(step) > 0 {
                add(plus(peak, step));
            }
        };
        give((0, 0));
        DIRECTIONS.iter().for_each(|(inner, _)| give(*inner));
        for (inner, behind) in DIRECTIONS {
            if charge(inner) > threshold {
                behind.iter().for_each(|step| give(*step));
            }
        }
    }
}
