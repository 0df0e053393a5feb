//! Lists of labels of clusters, row by row, and their concatenation.

use std::sync::{Mutex, PoisonError};

use generators::tpc::charges::Labels;

use crate::parallel::{for_each_numbered, map};
use crate::shared::SharedSlice;

/// The labels of the clusters of a row, cluster by cluster.
pub(in crate::tpc_cluster_finder) trait RowLists: Sync {
    /// Total number of labels.
    fn labels(&self) -> usize;

    /// Number of clusters.
    fn clusters(&self) -> usize;

    /// Calls `list` for each cluster, in order.
    fn for_each(&self, list: impl FnMut(&[u64]));
}

/// One list of all labels, with offsets for each cluster, row after row.
#[derive(Default)]
pub(in crate::tpc_cluster_finder) struct Flat {
    first: Vec<u32>,
    all: Vec<u64>,
}

impl Flat {
    /// Concatenates the lists of all rows: counts their labels, computes offsets, and copies lists
    /// there.
    pub(in crate::tpc_cluster_finder) fn concatenate(rows: &[impl RowLists]) -> Self {
        let counts = map(rows, |row| (row.clusters(), row.labels()));
        let offsets: Vec<_> = counts
            .iter()
            .scan((0, 0), |next, (clusters, labels)| {
                let offset = *next;
                *next = (next.0 + clusters, next.1 + labels);
                Some(offset)
            })
            .collect();
        let sum = |of: fn(&(usize, usize)) -> usize| counts.iter().map(of).sum::<usize>();
        let mut first = vec![0; sum(|it| it.0)];
        let mut all = vec![0; sum(|it| it.1)];
        let firsts = SharedSlice::new(&mut first);
        let labels = SharedSlice::new(&mut all);
        for_each_numbered(rows.iter(), |index, row| {
            let (mut cluster, mut label) = offsets[index];
            row.for_each(|list| {
                // SAFETY: rows have disjoint ranges of the counted clusters.
                unsafe { firsts.write(cluster, label as u32) };
                for &own in list {
                    // SAFETY: rows have disjoint ranges of the counted labels.
                    unsafe { labels.write(label, own) };
                    label += 1;
                }
                cluster += 1;
            });
        });
        Flat { first, all }
    }

    /// The labels of each cluster, in order.
    pub(in crate::tpc_cluster_finder) fn lists(&self) -> impl Iterator<Item = &[u64]> {
        let ends = self.first.iter().skip(1).copied().chain([self.all.len() as u32]);
        self.first.iter().zip(ends).map(|(&first, end)| &self.all[first as usize..end as usize])
    }
}

/// As published: a list for each cluster, at the cluster's index in its row, guarded by a lock.
pub(in crate::tpc_cluster_finder) struct Locked(Mutex<Vec<Vec<u64>>>);

/// Increment of the number of lists of a row.
const GROWN_BY: usize = 100;

impl Locked {
    /// Empty lists for `count` rows.
    pub(in crate::tpc_cluster_finder) fn rows(count: usize) -> Vec<Self> {
        (0..count).map(|_| Locked(Mutex::default())).collect()
    }

    /// Stores the list of a cluster at its index.
    pub(in crate::tpc_cluster_finder) fn put(&self, index: usize, list: Vec<u64>) {
        let mut lists = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lists.len() <= index {
            lists.resize(index + GROWN_BY, Vec::new());
        }
        lists[index] = list;
    }

    /// Truncates to `clusters` lists.
    pub(in crate::tpc_cluster_finder) fn cut(&self, clusters: usize) {
        let mut lists = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lists.resize(clusters, Vec::new());
    }
}

impl RowLists for Locked {
    fn labels(&self) -> usize {
        let lists = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lists.iter().map(Vec::len).sum()
    }

    fn clusters(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn for_each(&self, list: impl FnMut(&[u64])) {
        let lists = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lists.iter().map(Vec::as_slice).for_each(list);
    }
}

/// One list for a row, as one thread processes all of it.
#[derive(Default)]
pub(super) struct Joined {
    all: Vec<u64>,
    ends: Vec<usize>,
}

impl Joined {
    /// Removes all lists.
    pub(super) fn clear(&mut self) {
        self.all.clear();
        self.ends.clear();
    }

    /// Adds the labels of the next cluster.
    #[inline]
    pub(super) fn add(&mut self, add: impl FnOnce(&mut Vec<u64>)) {
        add(&mut self.all);
        self.ends.push(self.all.len());
    }
}

impl RowLists for &Joined {
    fn labels(&self) -> usize {
        self.all.len()
    }

    fn clusters(&self) -> usize {
        self.ends.len()
    }

    fn for_each(&self, mut list: impl FnMut(&[u64])) {
        let mut begin = 0;
        for &end in &self.ends {
            list(&self.all[begin..end]);
            begin = end;
        }
    }
}

/// The labels of the samples of a sector; none if it has none.
#[inline]
pub(super) fn of_sample(labels: Option<&Labels>, sample: usize) -> &[u64] {
    labels.map_or(&[], |labels| labels.list(sample))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_one_list() {
        let mut rows = [(); 3].map(|()| Joined::default());
        let mut add = |row: usize, list: &[u64]| rows[row].add(|all| all.extend_from_slice(list));
        add(0, &[1, 2]);
        add(0, &[]);
        add(2, &[3]);
        let locked = Locked::rows(3);
        locked[2].put(0, vec![3]);
        locked[0].put(0, vec![1, 2]);
        for (row, clusters) in [(0, 2), (1, 0), (2, 1)] {
            locked[row].cut(clusters);
        }
        let right: [&[u64]; 3] = [&[1, 2], &[], &[3]];
        assert_eq!(Flat::concatenate(&rows.each_ref()).lists().collect::<Vec<_>>(), right);
        assert_eq!(Flat::concatenate(&locked).lists().collect::<Vec<_>>(), right);
        assert_eq!(Flat::concatenate(&[&Joined::default()]).lists().count(), 0);
    }
}
