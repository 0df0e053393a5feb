//! Test of a sort.

use generators::random::mix;

use super::available;

/// Sorts records made from many sequences of numbers, and compares their keys with those that
/// Rust has sorted.
pub(crate) fn check<T: Clone, K: Ord + std::fmt::Debug>(
    make: impl Fn(u64) -> T,
    sort: fn(&mut [T]),
    key: impl Fn(&T) -> K,
) {
    if available().is_err() {
        eprintln!("skipped: built without a C++ compiler");
        return;
    }
    let orders: [fn(u64, u64) -> u64; 6] = [
        |i, _| mix(i),
        |i, _| i,
        |i, count| count - i,
        |i, _| mix(i) % 3,
        |_, _| 7,
        |i, count| i.min(count - i),
    ];
    for count in [0, 1, 2, 3, 16, 17, 18, 1000, 10_000] {
        for order in orders {
            let mut records: Vec<T> = (0..count).map(|i| make(order(i, count))).collect();
            let mut expected: Vec<K> = records.iter().map(&key).collect();
            expected.sort();
            sort(&mut records);
            assert_eq!(records.iter().map(&key).collect::<Vec<_>>(), expected);
        }
    }
}
