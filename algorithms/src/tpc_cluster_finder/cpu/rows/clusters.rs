//! Clusters around peaks. An isolated peak among 81 cells owns all charges around it.

use super::bits::{WORD, for_each_set};
use super::crowded::Peaks;
use super::members::Members;
use super::strip::{CHARGE, Strip};
use crate::tpc_cluster_finder::cluster::{Cluster, Peak, Sums};
use crate::tpc_cluster_finder::settings::sixteenths;

impl Strip<'_> {
    /// Calls `add` for the clusters of the time bins that belong to the strip, with their peaks and
    /// the recorded cells.
    pub(super) fn find_clusters<M: Members>(&self, mut add: impl FnMut(Cluster, usize, M)) {
        for word in self.words() {
            for_each_set(self.kept[word], word * WORD, |cell| {
                let mut members = M::default();
                if let Some(cluster) = self.cluster(cell, &mut members) {
                    add(cluster, cell, members);
                }
            });
        }
    }

    #[inline]
    fn cluster(&self, peak: usize, members: &mut impl Members) -> Option<Cluster> {
        let (pad, time) = self.pad_and_time(peak);
        if !self.times.own.contains(&time) {
            return None;
        }
        let peaks = Peaks::around(peak, self);
        let sums = if peaks.is_alone() {
            self.all_around(peak, members)
        } else {
            self.shares_around(peak, &peaks, members)
        };
        let peak = Peak { pad, time: time as i32, charge: self.charge(peak) };
        sums.cluster(peak, self.row.pads() as i32, self.row.settings)
    }

    /// The sums over all charges around a peak: outer cells count if their inner neighbour is above
    /// the threshold.
    #[inline]
    fn all_around(&self, peak: usize, members: &mut impl Members) -> Sums {
        let threshold = sixteenths(self.row.settings.inner_threshold);
        let line = |pads: usize| {
            let first = self.plus(peak, (pads as i32 - 2, -2));
            let cells = self.charges[first..].first_chunk::<5>();
            cells.map_or([0; 5], |cells| cells.map(|cell| i32::from(cell & CHARGE)))
        };
        let mut charges: [[i32; 5]; 5] = std::array::from_fn(line);
        let inner: [[i32; 5]; 5] = std::array::from_fn(|a| {
            std::array::from_fn(|b| i32::from(charges[towards(a)][towards(b)] > threshold))
        });
        for a in 0..5 {
            for b in 0..5 {
                let is_outer = a % 4 == 0 || b % 4 == 0;
                charges[a][b] *= if is_outer { inner[a][b] } else { 1 };
            }
        }
        members.note_all(&charges);
        let of_pads = charges.map(|line| line.iter().sum());
        let of_times = std::array::from_fn(|b| charges.iter().map(|line| line[b]).sum());
        Sums::from_lines(of_pads, of_times)
    }
}

/// In a square of five, the coordinate of the cell between the centre and this one.
const fn towards(coordinate: usize) -> usize {
    match coordinate {
        0 | 1 => 1,
        2 => 2,
        _ => 3,
    }
}
