//! The stages of a fragment of a sector, one after the other.

use generators_tpc::PadId;
use generators_tpc::geometry::pads_in_row;
use parallel::shared::SharedSlice;
use parallel::{Grain, for_each_range};
use portable_gpu::timing::Laps;

use super::maps::{ABOVE, AT_PEAK, CHARGE, DIVIDED, Maps, PEAK, plus};
use crate::tpc_cluster_finder::cluster::{Cluster, Peak, Sums};
use crate::tpc_cluster_finder::row::{DIRECTIONS, RING, Step};
use crate::tpc_cluster_finder::{Settings, is_valley, sixteenths};
use crate::tpc_decode::charge_map::{COLUMNS, TIME_MARGIN, column, pad_of_column};
use crate::tpc_decode::{FragmentOfFrame, Position};
use tasks::device::{Arena, ArenaVec, buffers};

/// Lists that the stages exchange.
pub(crate) struct Lists<'a> {
    /// For each position, true if it is a peak; then for each peak, true if it is not suppressed.
    predicate: ArenaVec<'a, u8>,
    raw: ArenaVec<'a, Position>,
    kept: ArenaVec<'a, Position>,
}

buffers!(Lists<'_>: predicate, raw, kept);

impl<'a> Lists<'a> {
    /// Allocates lists for at most `positions` positions.
    pub(crate) fn take(arena: &'a Arena, positions: usize) -> Self {
        Lists {
            predicate: arena.vector(positions),
            raw: arena.vector(positions),
            kept: arena.vector(positions),
        }
    }
}

/// Arguments that all stages of a fragment of a sector share.
pub(crate) struct FragmentContext<'w> {
    /// Thresholds.
    pub(crate) settings: &'w Settings,
    /// Time bins of the fragment.
    pub(crate) fragment: FragmentOfFrame,
    /// True for noisy pads, by column.
    pub(crate) is_noisy: &'w [bool],
    /// The maps of charges and peaks.
    pub(crate) maps: Maps<'w>,
}

impl FragmentContext<'_> {
    /// Finds the clusters of samples whose charges are in the map; calls `add` with each cluster,
    /// its row and its peak. Positions outside of the fragment have a negative time.
    pub(crate) fn find(
        &self,
        positions: &[Position],
        lists: &mut Lists<'_>,
        add: impl Fn(usize, Cluster, Position) + Sync,
        laps: &mut Laps,
    ) {
        self.maps.clear_peaks();
        laps.lap("clear", 0);
        let predicate = &mut lists.predicate[..positions.len()];
        self.find_peaks(positions, predicate);
        laps.lap("peaks", 0);
        let raw = compacted(positions, predicate, &mut lists.raw);
        laps.lap("compaction", 0);
        let predicate = &mut predicate[..raw.len()];
        self.suppress_noise(raw, predicate);
        self.maps.update(raw, predicate);
        laps.lap("suppress", 0);
        let kept = compacted(raw, predicate, &mut lists.kept);
        laps.lap("compaction", 0);
        if kept.is_empty() {
            return;
        }
        self.divide(positions);
        laps.lap("deconvolute", 0);
        self.find_clusters(kept, add);
        laps.lap("clusterize", 0);
    }
}

/// True for each column of a noisy pad.
pub(crate) fn noisy_columns(pads: &[PadId]) -> Vec<bool> {
    let mut is_noisy = vec![false; COLUMNS];
    for &pad in pads {
        is_noisy[column(pad)] = true;
    }
    is_noisy
}

/// Sets each element, in parallel.
pub(super) fn each_of<T: Copy + Send>(list: &mut [T], element: impl Fn(usize) -> T + Sync) {
    let count = list.len();
    let shared = SharedSlice::new(list);
    for_each_range(count, Grain::Adaptive, |range| {
        for index in range {
            // SAFETY: each index is in one range only.
            unsafe { shared.write(index, element(index)) };
        }
    });
}

/// The marked positions, in their order.
fn compacted<'l>(
    positions: &[Position],
    predicate: &[u8],
    list: &'l mut [Position],
) -> &'l [Position] {
    let mut count = 0;
    for (position, mark) in positions.iter().zip(predicate) {
        if *mark != 0 {
            list[count] = *position;
            count += 1;
        }
    }
    &list[..count]
}

/// Neighbours that a peak may equal,
const BEFORE: [Step; 4] = [(-1, -1), (-1, 0), (-1, 1), (0, -1)];
/// and those that it must be larger than.
const BEHIND: [Step; 4] = [(0, 1), (1, -1), (1, 0), (1, 1)];

impl FragmentContext<'_> {
    /// Marks the samples that are peaks, and sets their flags in the map.
    pub(super) fn find_peaks(&self, positions: &[Position], predicate: &mut [u8]) {
        let settings = self.settings;
        let cutoff = sixteenths(settings.qmax_cutoff) as u16;
        let inner = sixteenths(settings.inner_threshold) as u16;
        each_of(predicate, |index| {
            let position = positions[index];
            if position.time < 0 {
                return 0;
            }
            let is_noisy = self.is_noisy[position.column as usize];
            let charge = if is_noisy { 0 } else { self.maps.charge(position) };
            let is_peak = u8::from(charge > cutoff && self.is_largest(position, charge));
            let above = u8::from(charge > inner) * ABOVE;
            self.maps.set_peak(position, (is_peak * PEAK) | above);
            is_peak
        });
    }

    fn is_largest(&self, position: Position, charge: u16) -> bool {
        let of = |step: &Step| self.maps.charge(plus(position, *step));
        BEFORE.iter().all(|step| charge >= of(step)) && BEHIND.iter().all(|step| charge > of(step))
    }
}

impl FragmentContext<'_> {
    /// Marks the peaks that are not suppressed.
    pub(super) fn suppress_noise(&self, raw: &[Position], predicate: &mut [u8]) {
        each_of(predicate, |index| u8::from(!self.is_noise(raw[index])));
    }

    fn is_noise(&self, peak: Position) -> bool {
        let charge = self.maps.charge(peak);
        let mut near = (-2..=2).flat_map(|a: i16| (-3..=3).map(move |b: i16| (a, b)));
        near.any(|(a, b)| {
            let other = plus(peak, (a, b));
            (a.abs() >= 2 || b.abs() >= 2)
                && self.maps.peak(other) & PEAK != 0
                && self.maps.charge(other) > charge
                && !self.is_valley_at(peak, charge, (a.signum(), b.signum()))
                && !(b.abs() == 3 && self.is_valley_at(peak, charge, (a.signum(), 2 * b.signum())))
        })
    }

    fn is_valley_at(&self, peak: Position, charge: u16, step: (i16, i16)) -> bool {
        let between = self.maps.charge(plus(peak, step));
        is_valley(charge.into(), between.into(), self.settings)
    }
}

impl Maps<'_> {
    /// Keeps only the marked peaks in the map.
    pub(super) fn update(&self, raw: &[Position], predicate: &[u8]) {
        for_each_range(raw.len(), Grain::Adaptive, |range| {
            for index in range {
                self.set_peak(raw[index], (predicate[index] * PEAK) | ABOVE);
            }
        });
    }
}

impl FragmentContext<'_> {
    /// Divides the charge of each position, in the map.
    pub(super) fn divide(&self, positions: &[Position]) {
        for_each_range(positions.len(), Grain::Adaptive, |range| {
            for &position in &positions[range] {
                if position.time >= 0 {
                    self.maps.set_charge(position, self.share(position));
                }
            }
        });
    }

    fn share(&self, position: Position) -> u16 {
        let charge = self.maps.charge(position);
        let is_peak = |step| self.maps.peak(plus(position, step)) & PEAK != 0;
        if is_peak((0, 0)) {
            return charge | AT_PEAK;
        }
        let adjacent = DIRECTIONS.iter().filter(|(step, _)| is_peak(*step)).count() as u16;
        if adjacent > 0 {
            return part(charge, adjacent) | AT_PEAK;
        }
        let reaches = |(a, b): &Step| {
            is_peak((*a, *b)) && self.maps.peak(plus(position, (a / 2, b / 2))) & ABOVE != 0
        };
        part(charge, RING.iter().filter(|step| reaches(step)).count() as u16)
    }
}

/// An equal part for each of `peaks` peaks.
fn part(charge: u16, peaks: u16) -> u16 {
    let flag = if peaks > 1 { DIVIDED } else { 0 };
    (charge / peaks.max(1)) | flag
}

impl FragmentContext<'_> {
    /// Calls `add` for the clusters of those peaks that belong to this fragment.
    pub(super) fn find_clusters(
        &self,
        peaks: &[Position],
        add: impl Fn(usize, Cluster, Position) + Sync,
    ) {
        for_each_range(peaks.len(), Grain::Adaptive, |range| {
            for &peak in &peaks[range] {
                let time = self.fragment.time_bins.start + peak.time as u32 - TIME_MARGIN;
                if self.fragment.own.contains(&time)
                    && let Some((row, cluster)) = self.cluster(peak, time)
                {
                    add(row, cluster, peak);
                }
            }
        });
    }

    /// The cluster around a peak, and its row.
    fn cluster(&self, peak: Position, time: u32) -> Option<(usize, Cluster)> {
        let settings = self.settings;
        let threshold = sixteenths(settings.inner_threshold);
        let entry = |step| self.maps.charge(plus(peak, step));
        let mut sums = Sums::default();
        let mut add = |(a, b): Step, entry: u16| {
            let charge = i32::from(entry & CHARGE);
            sums.add(a.into(), b.into(), charge, entry & DIVIDED != 0);
            charge
        };
        let qmax = add((0, 0), entry((0, 0)));
        for (inner, behind) in DIRECTIONS {
            if add(inner, entry(inner)) > threshold {
                let behind = behind.iter().map(|step| (*step, entry(*step)));
                for (step, entry) in behind.filter(|(_, entry)| entry & AT_PEAK == 0) {
                    add(step, entry);
                }
            }
        }
        let pad = pad_of_column(peak.column as usize);
        let row = usize::from(pad.row());
        let peak = Peak { pad: pad.pad().into(), time: time as i32, charge: qmax };
        let pads = pads_in_row(row) as i32;
        Some((row, sums.cluster(peak, pads, settings)?))
    }
}
