//! Finding clusters on the host, with lists of clusters and labels for each row of each sector.
//!
//! | module | holds |
//! |---|---|
//! | `published` | a loop for each stage, over lists and maps in memory |
//! | `rows` | recobench's finder: row by row, in the nearest caches |

mod published;
mod rows;

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use generators_tpc::charges::Labels;
use generators_tpc::geometry::ROWS;
use parallel::shared::{SharedSlice, atomic};
use parallel::{for_each_numbered, map};

use super::TpcClusterFinder;
use super::cluster::{Cluster, RowCluster};
use super::input::Charges;
use super::labels::Clusters;
use published::{Collecting, Published};
use tasks::algorithm::Variant;
use tasks::device::{Arena, ArenaVec, buffers};

pub(crate) use published::{FragmentContext, Lists, Maps, noisy_columns, peak_entries};
pub(super) use published::{Numbered, number_samples, samples_of};
pub(crate) use rows::{Finder, Row, RowSamples, Source, sort};

pub(super) const VARIANTS: &[Variant<TpcClusterFinder>] = &[
    Variant::cpu(
        "published",
        "a loop for each stage over all samples of a fragment, as the experiment on a CPU; labels \
         in a list with a filter of 64 bits",
        |at| at.session(Published::new(at.input, at.arena, Collecting::Filtered)),
    )
    .by_published_rules(),
    Variant::cpu(
        "unordered-set",
        "published, but labels of each cluster in a hash set, as the experiment at first",
        |at| at.session(Published::new(at.input, at.arena, Collecting::UnorderedSet)),
    )
    .by_published_rules()
    .unstable(),
    Variant::cpu(
        "rows",
        "ours: samples by row; a row at a time in the nearest caches, peaks by wide instructions; \
         labels by a table of their indices",
        |at| at.session(rows::Rows::new(at.input, at.arena, at.threads())),
    )
    .by_published_rules(),
];

// Lists of clusters and of their labels: one for each row of each sector, with capacity for a
// cluster of each sample of the row, because no two samples are in the same cell.

/// The offsets of the lists of rows, with the end of the last one.
pub(crate) type Starts = Vec<usize>;

/// The lists, sector after sector.
pub(crate) struct Buckets<'a> {
    clusters: ArenaVec<'a, Cluster>,
    counts: ArenaVec<'a, u32>,
}

buffers!(Buckets<'_>: clusters, counts);

/// Offsets of the lists for some charges.
fn starts(charges: &Charges) -> Starts {
    let counts = charges.samples_of_rows();
    let ends = counts.iter().flatten().scan(0, |end, count| {
        *end += *count as usize;
        Some(*end)
    });
    [0].into_iter().chain(ends).collect()
}

impl<'a> Buckets<'a> {
    /// Allocates lists for `samples` samples in all rows of `sectors` sectors.
    pub(crate) fn take(arena: &'a Arena, samples: usize, sectors: usize) -> Self {
        Buckets { clusters: arena.vector(samples), counts: arena.vector(sectors * ROWS) }
    }

    /// The cleared lists, to be filled by any number of threads.
    pub(crate) fn emptied<'b>(&'b mut self, starts: &'b Starts) -> Filling<'b> {
        self.counts.fill(0);
        Filling {
            clusters: SharedSlice::new(&mut self.clusters),
            counts: atomic(&mut self.counts),
            starts,
        }
    }

    /// Number of clusters of each row.
    fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// All clusters with their labels, in order.
    fn labelled(&self, starts: &Starts, labels: &Flat) -> Clusters {
        let rows = self.counts.iter().enumerate().flat_map(|(index, &count)| {
            let list = &self.clusters[starts[index]..][..count as usize];
            let case = (index / ROWS) as u32;
            let row = (index % ROWS) as u8;
            list.iter().map(move |&cluster| RowCluster { case, row, cluster })
        });
        Clusters::labelled(rows.zip(labels.lists().map(<[u64]>::to_vec)).collect())
    }

    /// All clusters, in order.
    pub(crate) fn sorted(&self, starts: &Starts) -> Vec<RowCluster> {
        let of_row = |index: usize| {
            let of_row = |&cluster: &Cluster| RowCluster {
                case: (index / ROWS) as u32,
                row: (index % ROWS) as u8,
                cluster,
            };
            let list = &self.clusters[starts[index]..][..self.counts[index] as usize];
            let mut clusters: Vec<_> = list.iter().map(of_row).collect();
            clusters.sort_unstable();
            clusters
        };
        map(0..self.counts.len(), of_row).concat()
    }
}

/// The lists while they are filled in parallel.
pub(crate) struct Filling<'b> {
    clusters: SharedSlice<'b, Cluster>,
    counts: &'b [AtomicU32],
    starts: &'b Starts,
}

impl Filling<'_> {
    /// Adds a cluster to the list of a row of a sector, and returns its index there.
    #[inline]
    pub(crate) fn add(&self, case: usize, row: usize, cluster: Cluster) -> usize {
        let list = case * ROWS + row;
        let index = self.counts[list].fetch_add(1, Ordering::Relaxed) as usize;
        let offset = self.starts[list] + index;
        assert!(offset < self.starts[list + 1], "a row has more clusters than samples");
        // SAFETY: the index was claimed by an atomic increment, and is within the list's capacity.
        unsafe { self.clusters.write(offset, cluster) };
        index
    }
}

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
pub(super) struct Flat {
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
pub(super) struct Locked(Mutex<Vec<Vec<u64>>>);

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
struct Joined {
    all: Vec<u64>,
    ends: Vec<usize>,
}

impl Joined {
    /// Removes all lists.
    fn clear(&mut self) {
        self.all.clear();
        self.ends.clear();
    }

    /// Adds the labels of the next cluster.
    #[inline]
    fn add(&mut self, add: impl FnOnce(&mut Vec<u64>)) {
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
fn of_sample(labels: Option<&Labels>, sample: usize) -> &[u64] {
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
