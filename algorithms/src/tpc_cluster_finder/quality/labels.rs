//! Quality of clusters by their labels.

use std::collections::HashSet;

use generators::tpc::charges::ChargeCase;
use generators::tpc::geometry::ROWS;

use super::super::labels::{Clusters, counted, is_noise};
use super::super::settings::sixteenths;
use crate::algorithm::{Better, Metric, MetricInfo, Relation};
use crate::parallel::map;

pub(super) const PURITY: MetricInfo = MetricInfo::share(
    "purity",
    "purity",
    "of what has labels, the share that has one only",
    Better::Higher,
);
pub(super) const LABEL_EFFICIENCY: MetricInfo = MetricInfo::share(
    "label_efficiency",
    "efficiency by labels",
    "of all labels in a row, the share that was found there",
    Better::Higher,
);
pub(super) const FAKES: MetricInfo = MetricInfo::share(
    "fakes",
    "fakes",
    "the share that has the label of no particle",
    Better::Lower,
);

/// Counts of some rows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Tally {
    /// Labels of a row with a sample above the cut-off for peaks.
    left: usize,
    /// Labels that a cluster of the row has.
    found: usize,
    /// Clusters with the label of a particle,
    clusters: usize,
    /// those among them with a single label,
    pure: usize,
    /// and clusters without a label of a particle.
    fakes: usize,
}

/// Purity, efficiency and fakes by labels. `docs/tpc-labels.md` defines them.
pub(in super::super) fn by_labels(cases: &[ChargeCase], found: &Clusters) -> Vec<Metric> {
    let with_labels = cases.iter().enumerate().filter(|(_, case)| case.labels.is_some());
    let left = map(with_labels.clone(), |(_, case)| left_in_rows(case));
    let mut sum = Tally::default();
    for ((index, _), left) in with_labels.zip(left) {
        sum.add(Tally::for_case(index as u32, &left, found));
    }
    sum.metrics()
}

/// The labels of particles in each row.
fn left_in_rows(case: &ChargeCase) -> Vec<HashSet<u64>> {
    let mut rows = vec![HashSet::new(); ROWS];
    let cutoff = sixteenths(case.settings.qmax_cutoff);
    let Some(labels) = &case.labels else { return rows };
    for (index, sample) in case.charges.iter().enumerate() {
        if i32::from(sample.charge) > cutoff {
            let of_particles = labels.list(index).iter().filter(|label| !is_noise(**label));
            rows[usize::from(sample.pad.row())].extend(of_particles.map(|label| counted(*label)));
        }
    }
    rows
}

impl Tally {
    fn for_case(case: u32, left: &[HashSet<u64>], found: &Clusters) -> Self {
        let Some(labels) = &found.labels else { return Tally::default() };
        let mut tally = Tally { left: left.iter().map(HashSet::len).sum(), ..Tally::default() };
        let begin = found.partition_point(|cluster| cluster.case < case);
        let end = found.partition_point(|cluster| cluster.case <= case);
        let mut of_rows: Vec<HashSet<u64>> = vec![HashSet::new(); ROWS];
        for index in begin..end {
            let of_particles = labels.list(index).iter().filter(|label| !is_noise(**label));
            let own: Vec<_> = of_particles.map(|label| counted(*label)).collect();
            tally.fakes += usize::from(own.is_empty());
            tally.clusters += usize::from(!own.is_empty());
            tally.pure += usize::from(own.len() == 1);
            of_rows[usize::from(found[index].row)].extend(own);
        }
        let both = left.iter().zip(&of_rows);
        tally.found = both.map(|(left, found)| left.intersection(found).count()).sum();
        tally
    }

    fn add(&mut self, other: Tally) {
        self.left += other.left;
        self.found += other.found;
        self.clusters += other.clusters;
        self.pure += other.pure;
        self.fakes += other.fakes;
    }

    fn metrics(self) -> Vec<Metric> {
        let share = |part: usize, whole: usize| part as f64 / whole as f64;
        let all = self.clusters + self.fakes;
        let figures = [
            (&PURITY, self.pure, self.clusters),
            (&LABEL_EFFICIENCY, self.found, self.left),
            (&FAKES, self.fakes, all),
        ];
        let known = figures.into_iter().filter(|(_, _, whole)| *whole > 0);
        known
            .map(|(info, part, whole)| Metric::new(info, share(part, whole), Relation::Itself))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use generators::tpc::PadId;
    use generators::tpc::charges::{Charge, Labels};

    use super::*;
    use crate::tpc_cluster_finder::input::Charges;

    /// Charges in a row with a label each, far enough from each other to form separate clusters,
    /// except for the last two.
    fn found(labels: &[&[u64]]) -> Vec<(&'static str, f64)> {
        let time = |index: usize| if index == 4 { 31 } else { 10 * index as u32 };
        let sample = |index| Charge { time: time(index), pad: PadId::new(7, 20), charge: 500 };
        let charges = (0..labels.len()).map(sample).collect();
        let mut of_samples = Labels::default();
        labels.iter().for_each(|labels| of_samples.push(labels));
        let labels = Some(of_samples);
        let case =
            ChargeCase { time_bins: 60, fragment: 60, charges, labels, ..Default::default() };
        let charges = Charges::new(vec![case]);
        let metrics = by_labels(charges.cases(), charges.right_clusters());
        metrics.iter().map(|metric| (metric.info.name, metric.value(1.0))).collect()
    }

    #[test]
    fn clusters_of_one_particle_are_pure_and_those_of_none_are_fakes() {
        let noise = u64::MAX - 1;
        let figures = found(&[&[1], &[2, 1], &[noise], &[3], &[4]]);
        // Four clusters, as the last two are merged; it contains labels 3 and 4.
        let right = [("purity", 1.0 / 3.0), ("label_efficiency", 1.0), ("fakes", 0.25)];
        assert_eq!(figures, right);
        assert_eq!(found(&[&[noise]]), [("fakes", 1.0)]);
    }
}
