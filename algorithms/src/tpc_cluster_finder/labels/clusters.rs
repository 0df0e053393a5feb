//! Clusters with their labels.

use std::ops::Deref;

use generators::tpc::charges::Labels;

use super::super::cluster::RowCluster;
use super::counted;
use crate::algorithm::{self, CheckError, Choose, Mutants, Mutation, Output, Promise};

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
    pub(in super::super) fn labelled(mut found: Vec<(RowCluster, Vec<u64>)>) -> Self {
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
    ///
    /// # Errors
    /// Returns the first difference.
    pub(in super::super) fn check(&self, right: &Self, promise: Promise) -> Result<(), CheckError> {
        self.list.compare(&right.list)?;
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

impl algorithm::Output for Clusters {
    fn nothing() -> Self {
        Clusters::default()
    }

    fn mutants(&self, choose: Choose<'_>) -> Mutants<Self> {
        let lists = self.list.mutants(choose).into_iter();
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
