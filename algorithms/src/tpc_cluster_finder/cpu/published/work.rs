//! The stages of a fragment of a sector, one after the other.

use generators::tpc::PadId;

use super::maps::Maps;
use crate::device::{Arena, ArenaVec, buffers};
use crate::parallel::{Grain, for_each_range};
use crate::shared::SharedSlice;
use crate::timing::Laps;
use crate::tpc_cluster_finder::cluster::Cluster;
use crate::tpc_cluster_finder::settings::Settings;
use crate::tpc_decode::charge_map::{COLUMNS, column};
use crate::tpc_decode::{FragmentOfFrame, Position};

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
