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
        let mut smaller = current.smaller();
        let next = smaller.find(|case| start.elapsed() < PATIENCE && is_wrong(case.as_ref()));
        drop(smaller);
        match next {
            Some(next) => smallest = Some(next),
            None => return smallest,
        }
    }
}
