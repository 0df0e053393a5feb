//! Grouping of items by keys.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use crate::record::SummaryRow;

/// Groups items by key, in the order in which keys first occur.
pub(crate) fn grouped<T, K: Clone + Eq + Hash>(
    items: impl IntoIterator<Item = T>,
    key: impl Fn(&T) -> K,
) -> Vec<(K, Vec<T>)> {
    by_key(items.into_iter().map(|item| (key(&item), item)))
}

/// Groups pairs of key and item by key.
pub(crate) fn by_key<T, K: Clone + Eq + Hash>(
    items: impl IntoIterator<Item = (K, T)>,
) -> Vec<(K, Vec<T>)> {
    let mut positions: HashMap<K, usize> = HashMap::new();
    let mut groups: Vec<(K, Vec<T>)> = Vec::new();
    for (key, item) in items {
        let position = *positions.entry(key.clone()).or_insert_with(|| {
            groups.push((key, Vec::new()));
            groups.len() - 1
        });
        groups[position].1.push(item);
    }
    groups
}

/// Removes duplicates, in the order in which items first occur.
pub(crate) fn distinct<T: Clone + Eq + Hash>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut known = HashSet::new();
    items.into_iter().filter(|item| known.insert(item.clone())).collect()
}

/// The tasks of rows, in the order of the rows.
pub(crate) fn tasks_of(rows: &[SummaryRow]) -> Vec<&str> {
    distinct(rows.iter().map(|row| row.algorithm.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_come_in_the_order_of_their_first_items() {
        let groups = grouped([3, 1, 5, 2, 4], |number| number % 2);
        assert_eq!(groups, [(1, vec![3, 1, 5]), (0, vec![2, 4])]);
        assert_eq!(distinct([3, 1, 3, 2, 1]), [3, 1, 2]);
    }
}
