//! Looks for a smaller input on which a variant is still wrong, as delta
//! debugging does it (Zeller and Hildebrandt 2002): tries what is left if a
//! part is taken away, keeps it if the variant is still wrong, and goes on.

use std::time::{Duration, Instant};

use algorithms::task::Case;

/// Nobody waits for longer.
const PATIENCE: Duration = Duration::from_secs(20);

/// The smallest input found that is still wrong; `None` if the given one is.
pub(super) fn smallest(
    case: &dyn Case,
    is_wrong: impl Fn(&dyn Case) -> bool,
) -> Option<Box<dyn Case>> {
    let start = Instant::now();
    let mut smallest: Option<Box<dyn Case>> = None;
    loop {
        let current = smallest.as_deref().unwrap_or(case);
        let mut smaller = current.shrink();
        let next = smaller.find(|case| start.elapsed() < PATIENCE && is_wrong(case.as_ref()));
        drop(smaller);
        match next {
            Some(next) => smallest = Some(next),
            None => return smallest,
        }
    }
}

#[cfg(test)]
mod tests {
    use algorithms::axis::Params;
    use algorithms::registry::task;

    use super::*;

    fn case() -> Box<dyn Case> {
        let task = task("sort").expect("known");
        let mut params = Params::default();
        params.set("segments", "7");
        params.set("digis", "1000");
        let plan = task.plan(params).expect("a shape");
        task.generate(&plan.params, 1).expect("digis")
    }

    #[test]
    fn nothing_can_be_taken_from_the_smallest() {
        let case = case();
        let found = smallest(case.as_ref(), |case| case.work().items >= 3);
        assert_eq!(found.map(|case| case.work().items), Some(3));
    }

    #[test]
    fn what_is_wrong_only_as_a_whole_stays() {
        let case = case();
        assert!(smallest(case.as_ref(), |case| case.work().items == 1000).is_none());
    }
}
