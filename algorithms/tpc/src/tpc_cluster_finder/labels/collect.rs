//! Collectors of labels, each once.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

use super::{COUNTED, counted};

/// Collects the labels of a cluster. It is reused for one cluster after the other.
pub(in crate::tpc_cluster_finder) trait Collect:
    Default + Send
{
    /// Adds a label, unless it is already in the list.
    fn add(&mut self, label: u64);

    /// Appends all labels to a list, and clears the collector.
    fn take(&mut self, list: &mut Vec<u64>);
}

/// As in the experiment's first version: a set.
#[derive(Default)]
pub(in crate::tpc_cluster_finder) struct UnorderedSet(
    HashSet<Label, BuildHasherDefault<ProductHasher>>,
);

/// A label that equals others which differ only in bits that don't count.
struct Label(u64);

impl PartialEq for Label {
    fn eq(&self, other: &Self) -> bool {
        counted(self.0) == counted(other.0)
    }
}

impl Eq for Label {}

impl std::hash::Hash for Label {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(counted(self.0));
    }
}

/// A hasher that mixes integers by one product.
#[derive(Default)]
struct ProductHasher(u64);

impl Hasher for ProductHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64((*byte).into()));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = scattered(self.0 ^ value);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Mixes all bits of a value.
#[inline]
fn scattered(value: u64) -> u64 {
    let product = u128::from(value) * 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;
    (product >> 64) as u64 ^ product as u64
}

impl Collect for UnorderedSet {
    fn add(&mut self, label: u64) {
        self.0.insert(Label(label));
    }

    fn take(&mut self, list: &mut Vec<u64>) {
        list.extend(self.0.drain().map(|label| label.0));
    }
}

#[inline]
fn has(list: &[u64], label: u64) -> bool {
    list.iter().any(|other| counted(*other) == counted(label))
}

/// As published: a list, and a filter of 64 bits that excludes most labels that are not in it.
#[derive(Default)]
pub(in crate::tpc_cluster_finder) struct Filtered {
    list: Vec<u64>,
    filter: u64,
}

impl Collect for Filtered {
    #[inline]
    fn add(&mut self, label: u64) {
        let bit = 1 << (label % 64);
        if self.filter & bit == 0 || !has(&self.list, label) {
            self.filter |= bit;
            self.list.push(label);
        }
    }

    fn take(&mut self, list: &mut Vec<u64>) {
        list.append(&mut self.list);
        self.filter = 0;
    }
}

/// A list with a hash table of indices into it. Most samples of a cluster repeat labels of earlier
/// samples in a pattern that branch prediction can't learn, so there is no branch on it: a label is
/// always stored after all others, and if it was in the list, the next one overwrites it.
pub(in crate::tpc_cluster_finder) struct Indexed {
    /// The labels, followed by free capacity.
    list: Vec<u64>,
    count: usize,
    /// `base` plus the index of a label; smaller values belong to earlier clusters, so the table
    /// need not be cleared.
    slots: Vec<u32>,
    base: u32,
}

/// Size of the smallest table: large enough for few collisions among a cluster's labels.
const MIN_SLOTS: usize = 1024;

/// Labels that are copied together: most clusters have few, and a fixed number avoids a branch.
const TAKEN: usize = 16;

impl Default for Indexed {
    fn default() -> Self {
        Indexed { list: Vec::new(), count: 0, slots: vec![0; MIN_SLOTS], base: 1 }
    }
}

impl Indexed {
    /// Adds those labels that are not in the list yet.
    #[inline]
    pub(in crate::tpc_cluster_finder) fn add_all(&mut self, labels: &[u64]) {
        self.reserve(self.count + labels.len());
        let list = &mut self.list[..];
        let slots = &mut self.slots[..];
        let base = self.base;
        let mut count = self.count;
        let bits = slots.len().trailing_zeros();
        for &label in labels {
            list[count] = label;
            let mut at = hash(label, bits);
            let index = loop {
                let index = (slots[at].wrapping_sub(base) as usize).min(count);
                if counted(list[index]) == counted(label) {
                    break index;
                }
                // The slot has another label.
                at = (at + 1) & (slots.len() - 1);
            };
            slots[at] = base + index as u32;
            count += usize::from(index == count);
        }
        self.count = count;
    }

    /// Ensures capacity for `max` labels, and a table with at least `2 * max` slots.
    #[inline]
    fn reserve(&mut self, max: usize) {
        if self.list.len() < max + TAKEN {
            self.list.resize(2 * (max + TAKEN), 0);
        }
        if self.slots.len() < 2 * max {
            self.grow(max);
        }
    }

    #[cold]
    fn grow(&mut self, max: usize) {
        self.slots = vec![0; (2 * max).next_power_of_two()];
        let there = self.list[..self.count].to_vec();
        self.count = 0;
        self.add_all(&there);
    }
}

/// The `bits` highest bits of a product that depends on exactly the bits of a label that count.
#[inline]
fn hash(label: u64, bits: u32) -> usize {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15 << COUNTED.leading_zeros();
    (label.wrapping_mul(FACTOR) >> (u64::BITS - bits)) as usize
}

impl Collect for Indexed {
    fn add(&mut self, label: u64) {
        self.add_all(&[label]);
    }

    #[inline]
    fn take(&mut self, list: &mut Vec<u64>) {
        let end = list.len() + self.count;
        for labels in self.list.chunks_exact(TAKEN).take(self.count.div_ceil(TAKEN)) {
            list.extend_from_slice(labels);
        }
        list.truncate(end);
        self.base += self.count as u32;
        self.count = 0;
        if self.base > u32::MAX / 2 {
            self.slots.fill(0);
            self.base = 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use generators_common::random::mix;

    use super::*;

    const FAKE: u64 = 1 << 63;

    fn collected<C: Collect>(labels: &[u64]) -> Vec<u64> {
        let mut collect = C::default();
        let mut list = vec![7];
        labels.iter().for_each(|label| collect.add(*label));
        collect.take(&mut list);
        let before = list.len();
        collect.take(&mut list);
        assert_eq!((list[0], list.len()), (7, before), "nothing is left");
        list.split_off(1)
    }

    fn sorted(mut labels: Vec<u64>) -> Vec<u64> {
        labels.sort_by_key(|label| counted(*label));
        labels
    }

    #[test]
    fn labels_are_collected_once_and_the_first_of_equals_stays() {
        let labels = [3, 1 | FAKE, 3, 1, 67, 3 | FAKE, u64::MAX, u64::MAX >> 6, 131];
        let right = vec![3, 1 | FAKE, 67, u64::MAX, 131];
        assert_eq!(collected::<Filtered>(&labels), right);
        assert_eq!(collected::<Indexed>(&labels), right);
        let right = sorted(right);
        assert_eq!(sorted(collected::<UnorderedSet>(&labels)), right);
        assert!(collected::<Indexed>(&[]).is_empty());
    }

    #[test]
    fn labels_of_previous_clusters_are_cleared() {
        let mut collect = Indexed { base: u32::MAX / 2 - 50, ..Indexed::default() };
        for cluster in 0..100 {
            let labels: Vec<_> = (0..100).map(|i| mix(cluster) % 7 + i * 3 % 50).collect();
            labels.iter().for_each(|label| collect.add(*label));
            let mut list = Vec::new();
            collect.take(&mut list);
            assert_eq!(list, collected::<Filtered>(&labels), "{cluster}");
        }
    }

    #[test]
    fn all_collectors_find_the_same_labels() {
        for (count, kinds) in [(10, 3), (100, 20), (400, 300), (3000, 2000)] {
            let labels: Vec<_> =
                (0..count).map(|i| mix(i) % kinds * 64 + mix(i) % 2 * FAKE).collect();
            let right = collected::<Filtered>(&labels);
            assert_eq!(collected::<Indexed>(&labels), right);
            assert_eq!(sorted(collected::<UnorderedSet>(&labels)), sorted(right));
        }
    }
}
