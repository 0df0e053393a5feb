//! The first of what is found.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::{Grain, for_each_range};

/// What `look` finds at the first of so many indices at which it finds anything. Behind an
/// index at which something was found nobody looks any more.
pub(crate) fn find_first<R: Send>(
    count: usize,
    look: impl Fn(usize) -> Option<R> + Sync,
) -> Option<R> {
    let found = Mutex::new(None);
    // Found so far. It only ever goes down, so whoever reads an old one just looks too far.
    let first = AtomicUsize::new(count);
    for_each_range(count, Grain::Adaptive, |range| {
        for index in range.take_while(|&index| index < first.load(Ordering::Relaxed)) {
            if let Some(here) = look(index) {
                let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                if index < first.load(Ordering::Relaxed) {
                    first.store(index, Ordering::Relaxed);
                    *found = Some(here);
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
    fn of_several_the_first_is_found() {
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
    fn nobody_looks_behind_what_was_found() {
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
