//! Ways to collect labels, each once.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

use super::counted;

/// Collects the labels of a cluster. One is used for many clusters, one after the other.
pub(in crate::tpc_cluster_finder) trait Collect:
    Default + Send
{
    /// Adds a label, unless it is there.
    fn add(&mut self, label: u64);

    /// Appends all labels to a list, and forgets them.
    fn take(&mut self, list: &mut Vec<u64>);
}

/// As the experiment did at first: a set.
#[derive(Default)]
pub(in crate::tpc_cluster_finder) struct UnorderedSet(HashSet<Label, BuildHasherDefault<OwnValue>>);

/// A label, equal to others that differ in what does not count.
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

/// Numbers are mixed by one product.
#[derive(Default)]
struct OwnValue(u64);

impl Hasher for OwnValue {
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

/// All bits depend on all of a value's.
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

/// A list that is searched for each label.
#[derive(Default)]
pub(in crate::tpc_cluster_finder) struct Listed(Vec<u64>);

impl Collect for Listed {
    #[inline]
    fn add(&mut self, label: u64) {
        if !has(&self.0, label) {
            self.0.push(label);
        }
    }

    fn take(&mut self, list: &mut Vec<u64>) {
        list.append(&mut self.0);
    }
}

#[inline]
fn has(list: &[u64], label: u64) -> bool {
    list.iter().any(|other| counted(*other) == counted(label))
}

/// As published: a list, and a filter of 64 bits that says of most labels that they are not in it.
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

/// All labels, of which those that are there twice are taken out at the end.
#[derive(Default)]
pub(in crate::tpc_cluster_finder) struct Sorted(Vec<u64>);

impl Collect for Sorted {
    #[inline]
    fn add(&mut self, label: u64) {
        self.0.push(label);
    }

    fn take(&mut self, list: &mut Vec<u64>) {
        // Of equal ones the first stays.
        self.0.sort_by_key(|label| counted(*label));
        self.0.dedup_by_key(|label| counted(*label));
        list.append(&mut self.0);
    }
}

/// Ours: most samples of a cluster have labels of those before, so that what was met last is
/// compared with all at once, by wide instructions, and nothing depends on whether it was: a label
/// that is there is overwritten by the next one. Only in lists that are longer what is not among the
/// last ones has to be looked for.
#[derive(Default)]
pub(in crate::tpc_cluster_finder) struct Recent {
    /// The labels, and room for more.
    list: Vec<u64>,
    count: usize,
    /// What counts of the last labels.
    last: [u64; LAST],
}

/// Labels that are compared at once.
const LAST: usize = 8;
/// No label, for all that counts.
const NO_LABEL: u64 = u64::MAX;

impl Recent {
    /// Adds some labels, but for those that are there.
    #[inline]
    pub(in crate::tpc_cluster_finder) fn add_all(&mut self, labels: &[u64]) {
        if self.count == 0 {
            self.last = [NO_LABEL; LAST];
        }
        let most = self.count + labels.len();
        if self.list.len() < most {
            self.list.resize(2 * most, 0);
        }
        let (list, mut count, mut last) = (&mut self.list[..most], self.count, self.last);
        for &label in labels {
            let own = counted(label);
            let is_last = last.iter().fold(false, |found, other| found | (*other == own));
            let is_there = is_last || count > LAST && has(&list[..count - LAST], label);
            list[count] = label;
            count += usize::from(!is_there);
            last = with_first(last, own, !is_there);
        }
        (self.count, self.last) = (count, last);
    }
}

/// The same labels with one more in front and without the last one, if it is new. Nothing is stored
/// for that: to compare all of what one was just stored to would have to wait.
#[inline]
fn with_first(last: [u64; LAST], label: u64, is_new: bool) -> [u64; LAST] {
    let moved: [u64; LAST] = std::array::from_fn(|i| if i == 0 { label } else { last[i - 1] });
    std::array::from_fn(|i| if is_new { moved[i] } else { last[i] })
}

impl Collect for Recent {
    fn add(&mut self, label: u64) {
        self.add_all(&[label]);
    }

    #[inline]
    fn take(&mut self, list: &mut Vec<u64>) {
        list.extend_from_slice(&self.list[..self.count]);
        self.count = 0;
    }
}

#[cfg(test)]
mod tests {
    use generators::random::mix;

    use super::*;

    const FAKE: u64 = 1 << 63;

    fn collected<C: Collect>(labels: &[u64]) -> Vec<u64> {
        let (mut collect, mut list) = (C::default(), vec![7]);
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
        assert_eq!(collected::<Listed>(&labels), right);
        assert_eq!(collected::<Filtered>(&labels), right);
        assert_eq!(collected::<Recent>(&labels), right);
        let right = sorted(right);
        assert_eq!(collected::<Sorted>(&labels), right);
        assert_eq!(sorted(collected::<UnorderedSet>(&labels)), right);
        assert!(collected::<Recent>(&[]).is_empty());
    }

    #[test]
    fn all_ways_find_the_same() {
        for (count, kinds) in [(10, 3), (100, 20), (400, 300)] {
            let labels: Vec<_> =
                (0..count).map(|i| mix(i) % kinds * 64 + mix(i) % 2 * FAKE).collect();
            let right = collected::<Listed>(&labels);
            assert_eq!(collected::<Filtered>(&labels), right);
            assert_eq!(collected::<Recent>(&labels), right);
            assert_eq!(collected::<Sorted>(&labels), sorted(right.clone()));
            assert_eq!(sorted(collected::<UnorderedSet>(&labels)), sorted(right));
        }
    }
}
