//! Labels: the simulated particles that produced the charges of a cluster.
//!
//! A sample has a list of labels, and a cluster those of its charges, each once. Of a label, 31
//! bits are a track id, 19 an event id, 8 a source id; a bit above marks a fake. A fake and its
//! counterpart are the same label: the one that occurs first is kept. `docs/tpc-labels.md`
//! specifies which charges count.

pub(super) mod collect;

use std::ops::Deref;

use generators_common::random::{below, mix};
use generators_common::{DataError, named};
use generators_tpc::charges::{Charge, Labels};
use generators_tpc::simulate::Mark;

use super::cluster::RowCluster;
use tasks::algorithm;
use tasks::algorithm::mutants::of_elements;
use tasks::algorithm::{CheckError, Choose, Mutants, Mutation, Promise, compare_lists};

/// The bits that count in comparisons.
const COUNTED: u64 = (1 << 58) - 1;

/// The label of a sample without a particle: all ones but the lowest bit.
pub(super) const NOISE: u64 = u64::MAX - 1;
/// A label that was never set.
const NOT_SET: u64 = u64::MAX;

/// True for the label of no particle.
pub(super) fn is_noise(label: u64) -> bool {
    [NOISE, NOT_SET].map(counted).contains(&counted(label))
}

/// The bits of a label that count in comparisons.
#[inline]
pub(super) fn counted(label: u64) -> u64 {
    label & COUNTED
}

/// Found clusters by sector, row and their own order, and the labels of each where samples have
/// some.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clusters {
    /// Clusters by sector, row, and the order of clusters.
    pub list: Vec<RowCluster>,
    /// Labels of each cluster, if samples have labels.
    pub labels: Option<Labels>,
}

impl Deref for Clusters {
    type Target = [RowCluster];

    fn deref(&self) -> &[RowCluster] {
        &self.list
    }
}

impl From<Vec<RowCluster>> for Clusters {
    fn from(list: Vec<RowCluster>) -> Self {
        Clusters { list, labels: None }
    }
}

impl Clusters {
    /// Sorts clusters with their labels.
    pub(in crate::tpc_cluster_finder) fn labelled(mut found: Vec<(RowCluster, Vec<u64>)>) -> Self {
        // The order of equal clusters is decided by their labels.
        let order = |labels: &[u64]| sorted(labels);
        found.sort_by(|(one, ones), (other, others)| {
            one.cmp(other).then_with(|| order(ones).cmp(&order(others)))
        });
        let mut labels = Labels::default();
        found.iter().for_each(|(_, of_cluster)| labels.push(of_cluster));
        let list = found.into_iter().map(|(cluster, _)| cluster).collect();
        Clusters { list, labels: Some(labels) }
    }

    /// Compares with the reference, in order where `promise` requires it.
    pub(in crate::tpc_cluster_finder) fn check(
        &self,
        right: &Self,
        promise: Promise,
    ) -> Result<(), CheckError> {
        compare_lists(&self.list, &right.list)?;
        match (&self.labels, &right.labels) {
            (None, None) => Ok(()),
            (Some(own), Some(right)) => self.check_labels(own, right, promise),
            (None, Some(_)) => Err("there are no labels".into()),
            (Some(_), None) => Err("there are labels of samples that have none".into()),
        }
    }

    fn check_labels(
        &self,
        own: &Labels,
        right: &Labels,
        promise: Promise,
    ) -> Result<(), CheckError> {
        if own.first().len() != self.list.len() {
            let lists = own.first().len();
            let clusters = self.list.len();
            return Err(format!("{lists} lists of labels of {clusters} clusters").into());
        }
        let is_right = |cluster: &usize| {
            if promise.stable {
                own.list(*cluster) == right.list(*cluster)
            } else {
                sorted(own.list(*cluster)) == sorted(right.list(*cluster))
            }
        };
        match (0..self.list.len()).find(|cluster| !is_right(cluster)) {
            None => Ok(()),
            Some(cluster) => {
                let own = own.list(cluster);
                let right = right.list(cluster);
                Err(format!("labels of cluster {cluster}: {own:?} instead of {right:?}").into())
            }
        }
    }
}

/// The bits of labels that count, in ascending order.
fn sorted(labels: &[u64]) -> Vec<u64> {
    let mut labels: Vec<_> = labels.iter().map(|label| counted(*label)).collect();
    labels.sort_unstable();
    labels
}

impl algorithm::Output<super::TpcClusterFinder> for Clusters {
    fn nothing() -> Self {
        Clusters::default()
    }

    fn mutants(&self, choose: Choose<'_>) -> Mutants<Self> {
        let lists = of_elements(&self.list, choose).into_iter();
        let with_list = |(harm, list)| (harm, Clusters { list, labels: self.labels.clone() });
        lists.map(with_list).chain(self.with_other_labels(choose)).collect()
    }
}

impl Clusters {
    /// Copies that differ in one label of a cluster, or have no labels.
    fn with_other_labels(&self, choose: Choose<'_>) -> Mutants<Self> {
        let Some(labels) = &self.labels else { return Mutants::new() };
        let with_any = |at: &usize| !labels.list(*at).is_empty();
        let Some(harmed) = (0..self.list.len()).rev().find(with_any) else {
            return Mutants::new();
        };
        let with = |of_harmed: &[u64]| {
            let mut all = Labels::default();
            for cluster in 0..self.list.len() {
                all.push(if cluster == harmed { of_harmed } else { labels.list(cluster) });
            }
            Clusters { list: self.list.clone(), labels: Some(all) }
        };
        let own = labels.list(harmed);
        let at = choose(own.len());
        let mut changed = own.to_vec();
        changed[at] ^= 1 << choose(58);
        let without = [&own[..at], &own[at + 1..]].concat();
        let doubled = [own, &own[at..=at]].concat();
        vec![
            (Mutation::Changed, with(&changed)),
            (Mutation::Dropped, with(&without)),
            (Mutation::Doubled, with(&doubled)),
            (Mutation::Dropped, Clusters { list: self.list.clone(), labels: None }),
        ]
    }
}

/// Source of labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TruthKind {
    /// No labels.
    None,
    /// The particles of each sample, from the simulation.
    Tracks,
    /// Any number of artificial labels, without a meaning.
    MadeUp,
}

named! { "truth", TruthKind { None = "none", Tracks = "tracks", MadeUp = "made-up" } }

/// Bits of a label for the track and its event.
const TRACK_AND_EVENT: u64 = (1 << 50) - 1;
/// Pads and time bins with equal artificial labels: the size of some clusters.
const ALIKE: (u32, u32) = (8, 10);

/// The labels of samples in the order of time and pad, from the simulation.
pub(in crate::tpc_cluster_finder) fn of_tracks(charges: &[Charge], marks: &[Mark]) -> Labels {
    let mut labels = Labels::default();
    let mut left = marks;
    let mut of_sample = Vec::new();
    for sample in charges {
        let position = (sample.time, sample.pad);
        let before = left.partition_point(|mark| (mark.time, mark.pad) < position);
        left = &left[before..];
        of_sample.clear();
        for mark in left.iter().take_while(|mark| (mark.time, mark.pad) == position) {
            let label = mark.particle & TRACK_AND_EVENT;
            if !of_sample.contains(&label) {
                of_sample.push(label);
            }
        }
        if of_sample.is_empty() {
            of_sample.push(NOISE);
        }
        labels.push(&of_sample);
    }
    labels
}

/// `per_sample` labels for each sample, where a fraction adds one to some samples. Samples near
/// each other have the same labels, except for the first, which is one of three.
pub(in crate::tpc_cluster_finder) fn made_up(
    charges: &[Charge],
    per_sample: f64,
    seed: u64,
) -> Labels {
    let whole = per_sample as u64;
    let fraction = per_sample.fract();
    let mut labels = Labels::default();
    let mut of_sample = Vec::new();
    for sample in charges {
        let row = u64::from(sample.pad.row());
        let pad = u32::from(sample.pad.pad());
        let near = u64::from(pad / ALIKE.0) << 32 | u64::from(sample.time / ALIKE.1);
        let near = mix(seed ^ mix(row << 60 ^ row >> 4 ^ near));
        let own = mix(near ^ u64::from(pad) << 32 ^ u64::from(sample.time));
        let one_more = below(own as u32, 1 << 20) < (fraction * f64::from(1 << 20)) as u64;
        of_sample.clear();
        for index in 0..whole + u64::from(one_more) {
            let differs = if index == 0 { own % 3 } else { 0 };
            of_sample.push(mix(near ^ index << 8 ^ differs) & TRACK_AND_EVENT);
        }
        labels.push(&of_sample);
    }
    labels
}

/// Checks that labels can be counted with 32 bits.
pub(in crate::tpc_cluster_finder) fn fit(samples: u64, per_sample: f64) -> Result<(), DataError> {
    let labels = samples as f64 * per_sample;
    let max = f64::from(u32::MAX);
    if labels < max {
        return Ok(());
    }
    Err(DataError::Shape(format!(
        "about {labels:.1e} labels of a sector exceed the limit of {max:.1e}; use fewer orbits, or lower --labels-per-digit"
    )))
}

#[cfg(test)]
mod tests {
    use generators_tpc::PadId;

    use super::*;

    fn charges(count: u32) -> Vec<Charge> {
        let sample = |i| Charge { time: i / 50, pad: PadId::new(3, (i % 50) as u8), charge: 9 };
        (0..count).map(sample).collect()
    }

    #[test]
    fn samples_have_the_labels_of_their_particles() {
        let charges = charges(4);
        let mark = |index: usize, particle| Mark { particle, time: 0, pad: charges[index].pad };
        let marks = [mark(0, 5), mark(2, 7), mark(2, 1 << 60 | 8), mark(2, 7)];
        let labels = of_tracks(&charges, &marks);
        let of: Vec<_> = (0..4).map(|sample| labels.list(sample).to_vec()).collect();
        assert_eq!(of, [vec![5], vec![NOISE], vec![7, 8], vec![NOISE]]);
    }

    #[test]
    fn number_of_artificial_labels_matches_the_parameter() {
        let charges = charges(10_000);
        for (per_sample, min, max) in [(0.0, 0, 0), (2.3, 22_500, 23_500), (4.0, 40_000, 40_000)] {
            let labels = made_up(&charges, per_sample, 1);
            let count = labels.all().len();
            assert!((min..=max).contains(&count), "{per_sample}: {count}");
        }
        assert_ne!(made_up(&charges, 1.0, 1), made_up(&charges, 1.0, 2));
    }
}
