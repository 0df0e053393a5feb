//! Figures by true clusters (efficiency, ghosts, split and merged clusters, residuals) and by
//! labels.

use std::collections::HashSet;

use generators_tpc::charges::ChargeCase;
use generators_tpc::geometry::ROWS;
use generators_tpc::simulate::TrueCluster;
use parallel::map;

use super::{Match, Matches, Point, Truth, can_be_found};
use crate::tpc_cluster_finder::cluster::{Cluster, PAD_SCALE, RowCluster, TIME_SCALE};
use crate::tpc_cluster_finder::labels::{Clusters, counted, is_noise};
use crate::tpc_cluster_finder::{Settings, sixteenths};
use tasks::algorithm::metric::{EFFICIENCY, GHOSTS};
use tasks::algorithm::{Better, MetricInfo, Quality};

/// The ends of the middle part of a normal distribution that is within a standard deviation.
const MIDDLE: [f64; 2] = [0.158_655, 0.841_345];

/// Quantities with residuals.
pub(super) const RESIDUALS: [MetricInfo; 3] = [
    MetricInfo::residual("pad_residual", "pads", "pad residual"),
    MetricInfo::residual("time_residual", "time bins", "time residual"),
    MetricInfo::residual("charge_residual", "of the charge", "charge residual"),
];
pub(super) const SPLIT: MetricInfo = MetricInfo::share(
    "split",
    "split",
    "of matched clusters, the share of which there is another piece",
    Better::Lower,
);
pub(super) const MERGED: MetricInfo = MetricInfo::share(
    "merged",
    "merged",
    "of matched clusters, the share that has something else in it",
    Better::Lower,
);

/// Counts of a row.
#[derive(Debug, Default, PartialEq)]
struct Tally {
    /// Number of true clusters above the cut-offs.
    asked: u64,
    /// True clusters above the cut-offs that are matched with a found cluster.
    found: u64,
    clusters: u64,
    /// Found clusters that are near no true one.
    ghosts: u64,
    /// Matched found and true clusters.
    pairs: u64,
    /// Found clusters whose true cluster is matched with another found one.
    split: u64,
    /// True clusters whose found cluster is matched with another true one.
    merged: u64,
    residuals: [Vec<f32>; RESIDUALS.len()],
}

/// Quality figures of found clusters, by sector and row, for sectors with truths and settings.
/// `docs/tpc-clusters.md` defines them.
pub(crate) fn figures(sectors: &[(&Truth, &Settings)], clusters: &[RowCluster]) -> Vec<Quality> {
    let tallies = map(0..sectors.len() * ROWS, |index| {
        let case = index / ROWS;
        let row = (index % ROWS) as u8;
        let found = of_row(clusters, case as u32, row);
        let (truth, settings) = sectors[case];
        Tally::for_row(found, truth.of_row(row), settings)
    });
    metrics(tallies)
}

/// The figures of rows: of all their clusters, and those of each row as a part.
fn metrics(mut rows: Vec<Tally>) -> Vec<Quality> {
    let mut figures = vec![
        Quality::share_of(&EFFICIENCY, &rows, |row| [row.found, row.asked]),
        Quality::share_of(&GHOSTS, &rows, |row| [row.ghosts, row.clusters]),
        Quality::share_of(&SPLIT, &rows, |row| [row.split, row.pairs]),
        Quality::share_of(&MERGED, &rows, |row| [row.merged, row.pairs]),
    ];
    let infos: &'static [MetricInfo] = &RESIDUALS;
    figures.extend(infos.iter().enumerate().map(|(index, info)| {
        Quality::width_of(info, &mut rows, |row| &mut row.residuals[index], width)
    }));
    figures
}

fn of_row(clusters: &[RowCluster], case: u32, row: u8) -> &[RowCluster] {
    let row_of = |cluster: &RowCluster| (cluster.case, cluster.row);
    let start = clusters.partition_point(|cluster| row_of(cluster) < (case, row));
    let length = clusters[start..].partition_point(|cluster| row_of(cluster) == (case, row));
    &clusters[start..start + length]
}

impl Tally {
    fn for_row(clusters: &[RowCluster], truth: &[TrueCluster], settings: &Settings) -> Self {
        let found: Vec<_> =
            clusters.iter().map(|cluster| point(&cluster.cluster, settings)).collect();
        let true_point =
            |cluster: &TrueCluster| Point { pad: cluster.pad.into(), time: cluster.time };
        let true_points: Vec<_> = truth.iter().map(true_point).collect();
        let matches = Matches::new(&found, &true_points);
        let mut tally = Tally { clusters: clusters.len() as u64, ..Tally::default() };
        tally.ghosts = matches.found.iter().filter(|found| **found == Match::None).count() as u64;
        let is_asked: Vec<_> =
            truth.iter().map(|cluster| can_be_found(cluster, settings)).collect();
        let is_split = shared(&matches.found, truth.len(), |_| true);
        let is_merged = shared(&matches.truth, found.len(), |index| is_asked[index]);
        for (index, cluster) in truth.iter().enumerate() {
            tally.asked += u64::from(is_asked[index]);
            let Match::Own(own) = matches.truth[index] else { continue };
            tally.found += u64::from(is_asked[index]);
            tally.pairs += 1;
            tally.split += u64::from(is_split[index]);
            tally.merged += u64::from(is_merged[own]);
            if !is_split[index] && !is_merged[own] {
                tally.take(found[own], clusters[own].cluster.qtot, cluster);
            }
        }
        tally
    }

    /// Adds the residuals of a cluster of a single particle.
    fn take(&mut self, found: Point, charge: u16, truth: &TrueCluster) {
        let values = [
            (found.pad - f64::from(truth.pad)) as f32,
            (found.time - truth.time) as f32,
            f32::from(charge) / truth.charge - 1.0,
        ];
        for (residuals, value) in self.residuals.iter_mut().zip(values) {
            residuals.push(value);
        }
    }
}

/// Centre of a cluster, without the shift of its time.
fn point(cluster: &Cluster, settings: &Settings) -> Point {
    Point {
        pad: f64::from(cluster.pad) / f64::from(PAD_SCALE),
        time: f64::from(cluster.time()) / f64::from(TIME_SCALE) + f64::from(settings.time_shift),
    }
}

/// For each of `count` clusters, true if clusters other than its match share it; `others` are
/// limited to those that `counts` accepts.
fn shared(others: &[Match], count: usize, counts: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut is_shared = vec![false; count];
    for (index, other) in others.iter().enumerate() {
        if let Match::Shared(with) = other
            && counts(index)
        {
            is_shared[*with] = true;
        }
    }
    is_shared
}

/// Half of the interval that contains the middle 68.27 %: the standard deviation of a normal
/// distribution with any mean, robust against few outliers. NaN if there are no values.
fn width(values: &mut [f32]) -> f64 {
    let [low, high] = MIDDLE.map(|share| (share * values.len() as f64) as usize);
    if high >= values.len() {
        return f64::NAN;
    }
    let [low, high] = [low, high].map(|index| {
        let (_, value, _) = values.select_nth_unstable_by(index, f32::total_cmp);
        f64::from(*value)
    });
    0.5 * (high - low)
}

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
struct LabelTally {
    /// Labels of a row with a sample above the cut-off for peaks.
    left: u64,
    /// Labels that a cluster of the row has.
    found: u64,
    /// Clusters with the label of a particle,
    clusters: u64,
    /// those among them with a single label,
    pure: u64,
    /// and clusters without a label of a particle.
    fakes: u64,
}

/// Purity, efficiency and fakes by labels. `docs/tpc-labels.md` defines them.
pub(in crate::tpc_cluster_finder) fn by_labels(
    cases: &[ChargeCase],
    found: &Clusters,
) -> Vec<Quality> {
    let with_labels = cases.iter().enumerate().filter(|(_, case)| case.labels.is_some());
    let left = map(with_labels.clone(), |(_, case)| left_in_rows(case));
    let cases = with_labels.zip(left);
    let tallies: Vec<_> =
        cases.map(|((index, _), left)| LabelTally::for_case(index as u32, &left, found)).collect();
    let figures = [
        Quality::share_of(&PURITY, &tallies, |tally| [tally.pure, tally.clusters]),
        Quality::share_of(&LABEL_EFFICIENCY, &tallies, |tally| [tally.found, tally.left]),
        Quality::share_of(&FAKES, &tallies, |tally| [tally.fakes, tally.clusters + tally.fakes]),
    ];
    figures.into_iter().filter(|figure| figure.value().is_finite()).collect()
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

impl LabelTally {
    fn for_case(case: u32, left: &[HashSet<u64>], found: &Clusters) -> Self {
        let Some(labels) = &found.labels else { return LabelTally::default() };
        let mut tally = LabelTally {
            left: left.iter().map(|row| row.len() as u64).sum(),
            ..LabelTally::default()
        };
        let begin = found.partition_point(|cluster| cluster.case < case);
        let end = found.partition_point(|cluster| cluster.case <= case);
        let mut of_rows: Vec<HashSet<u64>> = vec![HashSet::new(); ROWS];
        for index in begin..end {
            let of_particles = labels.list(index).iter().filter(|label| !is_noise(**label));
            let own: Vec<_> = of_particles.map(|label| counted(*label)).collect();
            tally.fakes += u64::from(own.is_empty());
            tally.clusters += u64::from(!own.is_empty());
            tally.pure += u64::from(own.len() == 1);
            of_rows[usize::from(found[index].row)].extend(own);
        }
        let both = left.iter().zip(&of_rows);
        tally.found = both.map(|(left, found)| left.intersection(found).count() as u64).sum();
        tally
    }
}

#[cfg(test)]
mod tests {
    use generators_tpc::PadId;
    use generators_tpc::charges::{Charge, Labels};

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
        metrics.iter().map(|figure| (figure.metric.info.name, figure.value())).collect()
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
