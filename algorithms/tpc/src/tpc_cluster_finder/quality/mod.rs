//! Quality of clusters, where the particles' true clusters are known: found clusters are matched
//! with true ones. `docs/tpc-clusters.md` defines the figures.

mod figures;
#[cfg(test)]
mod tests;

use std::ops::Range;

use generators_tpc::simulate::TrueCluster;

use super::Settings;
use tasks::algorithm::MetricInfo;
use tasks::algorithm::metric::{EFFICIENCY, GHOSTS};

pub(super) use figures::by_labels;
pub(crate) use figures::figures;

/// Figures of clusters, with known true clusters.
pub(crate) const FIGURES: [MetricInfo; 7] = [
    EFFICIENCY,
    GHOSTS,
    figures::SPLIT,
    figures::MERGED,
    figures::RESIDUALS[0],
    figures::RESIDUALS[1],
    figures::RESIDUALS[2],
];
/// Figures of clusters with labels.
pub(super) const OF_LABELS: [MetricInfo; 3] =
    [figures::PURITY, figures::LABEL_EFFICIENCY, figures::FAKES];

/// The true clusters of a sector, by row and time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Truth(Vec<TrueCluster>);

impl Truth {
    /// Sorts the clusters of the simulation by row and time.
    pub(crate) fn new(clusters: Vec<TrueCluster>) -> Self {
        Truth(clusters)
    }

    /// True clusters of a row, in order of time.
    fn of_row(&self, row: u8) -> &[TrueCluster] {
        let start = self.0.partition_point(|cluster| cluster.row < row);
        let length = self.0[start..].partition_point(|cluster| cluster.row == row);
        &self.0[start..start + length]
    }
}

/// True if an isolated cluster with this charge would be found: it is above the cut-offs.
fn can_be_found(cluster: &TrueCluster, settings: &Settings) -> bool {
    cluster.peak > f32::from(settings.qmax_cutoff)
        && cluster.charge > f32::from(settings.qtot_cutoff)
        && cluster.time >= f64::from(settings.time_shift)
}

/// Largest distance between a found cluster and its true one, in pads and in time bins.
///
/// The charge of a crossing has a standard deviation of 0.4 to 1.4 pads and time bins, mostly about
/// 0.6, and a cluster takes charge from no farther than two cells. Of the matched pairs, 99.9 % are
/// within 1.3 at any occupancy, so efficiencies are the same for any reach from 1.5 to 3; a smaller
/// one would count clusters as ghosts that the charge of several particles has displaced, and a
/// larger one would let more noise pass for a piece of a particle nearby.
const REACH: f64 = 2.0;

/// A position in a row: pad and time bin.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Point {
    pad: f64,
    time: f64,
}

impl Point {
    /// Square of the distance in units of the reach; `None` if out of reach.
    fn distance(self, other: Point) -> Option<f64> {
        let pad = self.pad - other.pad;
        let time = self.time - other.time;
        let square = (pad * pad + time * time) / (REACH * REACH);
        (square <= 1.0).then_some(square)
    }
}

/// Match of a found or true cluster among the clusters of the other kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Match {
    /// Matched with the cluster of this index: each is the match of the other.
    Own(usize),
    /// The nearest cluster has this index, but is matched with another one: a found cluster is a
    /// second piece of it, a true one is merged into it.
    Shared(usize),
    /// No cluster is within reach: a found cluster is a ghost, a true one is missed.
    None,
}

/// Matches of all found and all true clusters of a row.
#[derive(Debug, PartialEq)]
struct Matches {
    found: Vec<Match>,
    truth: Vec<Match>,
}

/// A found and a true cluster within reach.
struct Pair {
    distance: f64,
    found: usize,
    truth: usize,
}

impl Matches {
    /// Matches the nearest of all pairs, then the nearest of the remaining ones, and so on. Both
    /// kinds are in order of time.
    fn new(found: &[Point], truth: &[Point]) -> Self {
        let mut matches = Matches {
            found: vec![Match::None; found.len()],
            truth: vec![Match::None; truth.len()],
        };
        let mut pairs = pairs(found, truth);
        // Among equal distances, the first in time comes first.
        pairs.sort_by(|a, b| a.distance.total_cmp(&b.distance));
        pairs.iter().for_each(|pair| matches.join(pair));
        // The nearest pair comes first here, too.
        pairs.iter().for_each(|pair| matches.share(pair));
        matches
    }

    fn join(&mut self, pair: &Pair) {
        let found = &mut self.found[pair.found];
        let truth = &mut self.truth[pair.truth];
        if (*found, *truth) == (Match::None, Match::None) {
            (*found, *truth) = (Match::Own(pair.truth), Match::Own(pair.found));
        }
    }

    /// Shares the match of a pair's other member with the one that has none, after all pairs are
    /// joined.
    fn share(&mut self, pair: &Pair) {
        let found = &mut self.found[pair.found];
        let truth = &mut self.truth[pair.truth];
        if *found == Match::None {
            *found = Match::Shared(pair.truth);
        }
        if *truth == Match::None {
            *truth = Match::Shared(pair.found);
        }
    }
}

fn pairs(found: &[Point], truth: &[Point]) -> Vec<Pair> {
    let mut pairs = Vec::with_capacity(found.len());
    let mut near = 0..0;
    for (index, point) in found.iter().enumerate() {
        near = in_reach(truth, near, point.time);
        let candidates = near.clone().zip(&truth[near.clone()]);
        pairs.extend(candidates.filter_map(|(truth, other)| {
            let distance = point.distance(*other)?;
            Some(Pair { distance, found: index, truth })
        }));
    }
    pairs
}

/// Indices of the points within reach of a time; `before` is the range of an earlier time.
fn in_reach(points: &[Point], before: Range<usize>, time: f64) -> Range<usize> {
    let is_early = |point: &&Point| point.time < time - REACH;
    let start = before.start + points[before.start..].iter().take_while(is_early).count();
    let end = start.max(before.end);
    let is_in_reach = |point: &&Point| point.time <= time + REACH;
    start..end + points[end..].iter().take_while(is_in_reach).count()
}

#[cfg(test)]
mod matching_tests {
    use super::Match::{None, Own, Shared};
    use super::*;

    /// Matches of points `(pad, time)`.
    fn matches(found: &[(f64, f64)], truth: &[(f64, f64)]) -> Matches {
        let points = |positions: &[(f64, f64)]| -> Vec<_> {
            positions.iter().map(|&(pad, time)| Point { pad, time }).collect()
        };
        Matches::new(&points(found), &points(truth))
    }

    #[test]
    fn clusters_are_matched_with_the_nearest_in_reach() {
        /// Found and true points, and what they are matched with.
        type Case<'a> = (&'a [(f64, f64)], &'a [(f64, f64)], &'a [Match], &'a [Match]);
        let cases: [Case<'_>; 7] = [
            (&[(10.0, 50.0)], &[(11.0, 51.0)], &[Own(0)], &[Own(0)]),
            // Out of reach: a ghost.
            (&[(10.0, 50.0)], &[(11.5, 51.5)], &[None], &[None]),
            // Split: the nearer of two found clusters is the match.
            (&[(10.0, 49.0), (10.0, 50.5)], &[(10.0, 50.0)], &[Shared(0), Own(0)], &[Own(1)]),
            // Merged: the farther of two true clusters.
            (&[(10.0, 50.0)], &[(10.0, 49.0), (10.5, 50.0)], &[Own(1)], &[Shared(0), Own(0)]),
            // The second true cluster is the nearest of both found ones, but only one of them is
            // matched with it.
            (
                &[(10.0, 50.6), (10.0, 51.1)],
                &[(10.0, 49.5), (10.0, 51.0)],
                &[Own(0), Own(1)],
                &[Own(0), Own(1)],
            ),
            // Missed.
            (&[], &[(10.0, 50.0)], &[], &[None]),
            (&[], &[], &[], &[]),
        ];
        for (found, truth, of_found, of_truth) in cases {
            let made = matches(found, truth);
            assert_eq!((&made.found[..], &made.truth[..]), (of_found, of_truth), "{found:?}");
        }
    }

    #[test]
    fn the_edge_of_the_reach_is_within() {
        for (near, far) in [
            ((12.0, 50.0), (12.01, 50.0)),
            ((8.0, 50.0), (7.99, 50.0)),
            ((10.0, 52.0), (10.0, 52.01)),
            ((10.0, 48.0), (10.0, 47.99)),
        ] {
            assert_eq!(matches(&[(10.0, 50.0)], &[near]).found, [Own(0)], "{near:?}");
            assert_eq!(matches(&[(10.0, 50.0)], &[far]).found, [None], "{far:?}");
        }
    }

    #[test]
    fn a_long_row_is_matched_as_each_of_its_pieces_is() {
        let positions: Vec<_> = (0..500).map(|n| (f64::from(n * 37 % 60), f64::from(n))).collect();
        let shifted: Vec<_> = positions.iter().map(|(pad, time)| (pad + 0.3, time - 0.2)).collect();
        let all = matches(&shifted, &positions);
        let own: Vec<_> = (0..positions.len()).map(Own).collect();
        assert_eq!((&all.found, &all.truth), (&own, &own));
    }
}
