//! The pairs of a module's clusters that are near in time, as the online reconstruction iterates
//! over them.

use super::{ModuleFormulas, SortedClusters};
use crate::sts::rules::Rules;
use crate::sts::{Cluster, ClusterEntry, Hit};

/// The clusters of a module, and the largest errors of times of its front and its back.
pub(super) struct Pairs<'a> {
    pub(super) clusters: SortedClusters<'a>,
    pub(super) formulas: &'a ModuleFormulas<f32>,
    pub(super) module: usize,
    pub(super) latest_errors: [f32; 2],
}

impl Pairs<'_> {
    /// The hits of all fronts in order of time: backs that are too early for one front are too
    /// early for all later ones.
    pub(super) fn find_all<P: Rules>(&self, mut found: impl FnMut(Hit)) {
        let (entries, backs) = self.backs();
        let [of_fronts, latest] = self.latest_errors;
        let max = self.formulas.time_cut(of_fronts, latest, latest);
        let mut start = 0;
        for index in 0..self.clusters.counts[self.module] {
            let front = self.clusters.cluster(self.module, index);
            let is_early = |entry: &ClusterEntry| P::delay(front.time, entry.time) > max;
            start += entries[start..].iter().take_while(|entry| is_early(entry)).count();
            self.find_from::<P>(front, &entries[start..], backs, &mut found);
        }
    }

    /// The hits of the front's cluster with this number in order of time.
    pub(super) fn find_one<P: Rules>(&self, index: usize, mut found: impl FnMut(Hit)) {
        let (entries, backs) = self.backs();
        let front = self.clusters.cluster(self.module, index);
        let latest = self.latest_errors[1];
        let max = self.formulas.time_cut(front.time_error, latest, latest);
        let start = entries.partition_point(|back| P::delay(front.time, back.time) > max);
        self.find_from::<P>(front, &entries[start..], backs, &mut found);
    }

    /// The hits of a front's cluster with those of the back, until these are too late.
    #[inline]
    fn find_from<P: Rules>(
        &self,
        front: &Cluster,
        entries: &[ClusterEntry],
        backs: &[Cluster],
        found: &mut impl FnMut(Hit),
    ) {
        let error = front.time_error;
        let latest = self.latest_errors[1];
        let max = self.formulas.time_cut(error, latest, latest);
        for entry in entries {
            let delay = P::delay(front.time, entry.time);
            if -delay > max {
                return;
            }
            if delay > max {
                continue;
            }
            let back = &backs[entry.index as usize];
            let cut = self.formulas.time_cut(error, back.time_error, latest);
            if delay.abs() <= cut {
                self.formulas.pair::<P>(front, back, &mut *found);
            }
        }
    }

    /// The entries of the back in order of time, and its clusters.
    fn backs(&self) -> (&[ClusterEntry], &[Cluster]) {
        let side = self.clusters.counts.len() / 2 + self.module;
        (self.clusters.entries(side), self.clusters.clusters(side))
    }
}
