//! Efficiency, ghosts, split and merged clusters, residuals.

use generators::tpc::geometry::ROWS;
use generators::tpc::simulate::TrueCluster;

use super::super::cluster::{Cluster, PAD_SCALE, RowCluster, TIME_SCALE};
use super::super::settings::Settings;
use super::matching::{Match, Matches, Point};
use super::truth::{Truth, can_be_found};
use crate::algorithm::metric::{EFFICIENCY, GHOSTS};
use crate::algorithm::{Better, Metric, MetricInfo, Relation};
use crate::parallel::map;

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
    asked: usize,
    /// True clusters above the cut-offs that are matched with a found cluster.
    found: usize,
    clusters: usize,
    /// Found clusters that are near no true one.
    ghosts: usize,
    /// Matched found and true clusters.
    pairs: usize,
    /// Found clusters whose true cluster is matched with another found one.
    split: usize,
    /// True clusters whose found cluster is matched with another true one.
    merged: usize,
    residuals: [Vec<f32>; RESIDUALS.len()],
}

/// Quality figures of found clusters, by sector and row, for sectors with truths and settings.
/// `docs/tpc-clusters.md` defines them.
pub(crate) fn figures(sectors: &[(&Truth, &Settings)], clusters: &[RowCluster]) -> Vec<Metric> {
    let tallies = map(0..sectors.len() * ROWS, |index| {
        let case = index / ROWS;
        let row = (index % ROWS) as u8;
        let found = of_row(clusters, case as u32, row);
        let (truth, settings) = sectors[case];
        Tally::for_row(found, truth.of_row(row), settings)
    });
    let mut sum = Tally::default();
    tallies.into_iter().for_each(|tally| sum.add(tally));
    sum.metrics()
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
        let mut tally = Tally { clusters: clusters.len(), ..Tally::default() };
        tally.ghosts = matches.found.iter().filter(|found| **found == Match::None).count();
        let is_asked: Vec<_> =
            truth.iter().map(|cluster| can_be_found(cluster, settings)).collect();
        let is_split = shared(&matches.found, truth.len(), |_| true);
        let is_merged = shared(&matches.truth, found.len(), |index| is_asked[index]);
        for (index, cluster) in truth.iter().enumerate() {
            tally.asked += usize::from(is_asked[index]);
            let Match::Own(own) = matches.truth[index] else { continue };
            tally.found += usize::from(is_asked[index]);
            tally.pairs += 1;
            tally.split += usize::from(is_split[index]);
            tally.merged += usize::from(is_merged[own]);
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

    fn add(&mut self, other: Tally) {
        self.asked += other.asked;
        self.found += other.found;
        self.clusters += other.clusters;
        self.ghosts += other.ghosts;
        self.pairs += other.pairs;
        self.split += other.split;
        self.merged += other.merged;
        for (own, others) in self.residuals.iter_mut().zip(other.residuals) {
            own.extend(others);
        }
    }

    fn metrics(mut self) -> Vec<Metric> {
        let share = |part: usize, whole: usize| part as f64 / whole as f64;
        let shares = [
            (&EFFICIENCY, share(self.found, self.asked)),
            (&GHOSTS, share(self.ghosts, self.clusters)),
            (&SPLIT, share(self.split, self.pairs)),
            (&MERGED, share(self.merged, self.pairs)),
        ];
        let infos: &'static [MetricInfo] = &RESIDUALS;
        let widths = infos.iter().zip(self.residuals.iter_mut().map(|all| width(all)));
        let figures = shares.into_iter().chain(widths);
        let metric = |(info, value)| Metric::new(info, value, Relation::Itself);
        figures.map(metric).collect()
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
