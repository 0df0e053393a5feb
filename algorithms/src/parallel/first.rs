//! Parallel search for the first match.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::{Grain, for_each_range};

/// Returns the result of `look` at the first index below `count` at which it returns one. Indices
/// after a known match are skipped.
pub(crate) fn find_first<R: Send>(
    count: usize,
    look: impl Fn(usize) -> Option<R> + Sync,
) -> Option<R> {
    let found = Mutex::new(None);
    // First match so far. It only decreases, so a thread that reads an old value just looks too
    // far.
    let first = AtomicUsize::new(count);
    for_each_range(count, Grain::Adaptive, |range| {
        for index in range.take_while(|&index| index < first.load(Ordering::Relaxed)) {
            if let Some(result) = look(index) {
                let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                if index < first.load(Ordering::Relaxed) {
                    first.store(index, Ordering::Relaxed);
                    *found = Some(result);
                }
                return;
            }
        }
    });
    found.into_inner().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::all_cores::tests::with_all_pools;

    #[test]
    fn the_first_of_several_matches_is_returned() {
        for first in [0, 1, 499, 998, 999] {
            let look = |index| (index >= first).then_some(index);
            assert_eq!(with_all_pools(|| find_first(1000, look)), Some(first));
        }
        let look = |index| [700, 300, 999].contains(&index).then_some(index);
        assert_eq!(with_all_pools(|| find_first(1000, look)), Some(300));
        assert_eq!(with_all_pools(|| find_first(1000, |_| None::<()>)), None);
        assert_eq!(with_all_pools(|| find_first(0, Some)), None);
    }

    #[test]
    fn indices_after_a_match_are_skipped() {
        with_all_pools(|| {
            let looks = AtomicUsize::new(0);
            let look = |index| {
                looks.fetch_add(1, Ordering::Relaxed);
                (index == 0).then_some(())
            };
            assert_eq!(find_first(1 << 20, look), Some(()));
            let looks = looks.into_inner();
            assert!(rayon::current_num_threads() > 1 || looks == 1, "{looks} looks");
        });
    }
}
