//! Lists of labels of clusters, row by row, and how they become one list.

use std::sync::{Mutex, PoisonError};

use generators::tpc::charges::Labels;

use crate::device::SharedSlice;
use crate::parallel::{for_each_numbered, map};

/// The labels of the clusters of a row, cluster by cluster.
pub(in crate::tpc_cluster_finder) trait RowLists: Sync {
    /// How many labels they have together.
    fn labels(&self) -> usize;

    /// How many clusters there are.
    fn clusters(&self) -> usize;

    /// Calls `list` for each cluster, in order.
    fn for_each(&self, list: impl FnMut(&[u64]));
}

/// One list of all labels, and where those of each cluster begin, row after row.
#[derive(Default)]
pub(in crate::tpc_cluster_finder) struct Flat {
    first: Vec<u32>,
    all: Vec<u64>,
}

impl Flat {
    /// Of all rows: their labels are counted, places found, and lists copied there.
    pub(in crate::tpc_cluster_finder) fn of(rows: &[impl RowLists]) -> Self {
        let counts = map(rows, |row| (row.clusters(), row.labels()));
        let places: Vec<_> = counts
            .iter()
            .scan((0, 0), |next, (clusters, labels)| {
                let place = *next;
                *next = (next.0 + clusters, next.1 + labels);
                Some(place)
            })
            .collect();
        let sum = |of: fn(&(usize, usize)) -> usize| counts.iter().map(of).sum::<usize>();
        let (mut first, mut all) = (vec![0; sum(|it| it.0)], vec![0; sum(|it| it.1)]);
        let (firsts, labels) = (SharedSlice::new(&mut first), SharedSlice::new(&mut all));
        for_each_numbered(rows.iter(), |number, row| {
            let (mut cluster, mut label) = places[number];
            row.for_each(|list| {
                // SAFETY: each row has places of its own, as many as were counted.
                unsafe { firsts.write(cluster, label as u32) };
                for &own in list {
                    // SAFETY: each row has as many indices of its own as it has labels.
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

/// As published: a list for each cluster, at its place in its row, which one thread at a time may
/// change.
pub(in crate::tpc_cluster_finder) struct Locked(Mutex<Vec<Vec<u64>>>);

/// Lists that a row grows by.
const GROWN_BY: usize = 100;

impl Locked {
    /// For so many rows.
    pub(in crate::tpc_cluster_finder) fn rows(count: usize) -> Vec<Self> {
        (0..count).map(|_| Locked(Mutex::default())).collect()
    }

    /// Puts the list of a cluster to its place.
    pub(in crate::tpc_cluster_finder) fn put(&self, place: usize, list: Vec<u64>) {
        let mut lists = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lists.len() <= place {
            lists.resize(place + GROWN_BY, Vec::new());
        }
        lists[place] = list;
    }

    /// As many lists as there are clusters.
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

/// Ours: one list for a row, as one thread has all of it.
#[derive(Default)]
pub(super) struct Joined {
    all: Vec<u64>,
    ends: Vec<usize>,
}

impl Joined {
    /// As if nothing had been added.
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
    labels.map_or(&[], |labels| labels.of(sample))
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
        assert_eq!(Flat::of(&rows.each_ref()).lists().collect::<Vec<_>>(), right);
        assert_eq!(Flat::of(&locked).lists().collect::<Vec<_>>(), right);
        assert_eq!(Flat::of(&[&Joined::default()]).lists().count(), 0);
    }
}
