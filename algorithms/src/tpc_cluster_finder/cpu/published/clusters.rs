//! Stage: a cluster around each peak.

use generators::tpc::geometry::pads_in_row;

use super::maps::{AT_PEAK, CHARGE, DIVIDED, plus};
use super::work::FragmentContext;
use crate::parallel::{Grain, for_each_range};
use crate::tpc_cluster_finder::cluster::{Cluster, Peak, Sums};
use crate::tpc_cluster_finder::directions::{DIRECTIONS, Step};
use crate::tpc_cluster_finder::settings::sixteenths;
use crate::tpc_decode::Position;
use crate::tpc_decode::charge_map::{TIME_MARGIN, pad_of_column};

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
