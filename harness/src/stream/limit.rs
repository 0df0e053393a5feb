//! Search for the highest sustained speed, by bisection.

/// Ratio at which the search stops: speeds that differ by less are considered equal.
const RESOLUTION: f64 = 1.05;
/// Maximum number of doublings or halvings before the search gives up.
const MAX_STEPS: usize = 12;

/// Bounds of the limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Limit {
    /// Highest speed that was sustained; `None` if none was.
    pub(super) kept_up: Option<f64>,
    /// Lowest speed that was not sustained; `None` if all were.
    pub(super) failed: Option<f64>,
}

/// Searches for the limit from an initial guess, up to a maximum speed. `keeps_up` measures a
/// speed; `None` ends the search.
pub(super) fn search<E>(
    guess: f64,
    max_speed: f64,
    mut keeps_up: impl FnMut(f64) -> Result<Option<bool>, E>,
) -> Result<Limit, E> {
    let mut limit = Limit { kept_up: None, failed: None };
    let mut speed = guess.min(max_speed);
    for _ in 0..MAX_STEPS {
        match keeps_up(speed)? {
            None => return Ok(limit),
            Some(true) => limit.kept_up = Some(speed),
            Some(false) => limit.failed = Some(speed),
        }
        speed = match (limit.kept_up, limit.failed) {
            (Some(low), Some(high)) if high / low <= RESOLUTION => return Ok(limit),
            (Some(low), Some(high)) => (low * high).sqrt(),
            (Some(low), None) if low >= max_speed => return Ok(limit),
            (Some(low), None) => max_speed.min(2.0 * low),
            (None, Some(high)) => high / 2.0,
            (None, None) => return Ok(limit),
        };
    }
    Ok(limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAX_SPEED: f64 = 1e4;

    /// Result of a search, and the number of speeds tried.
    fn found(guess: f64, limit: f64) -> (Limit, usize) {
        let mut tried = 0;
        let searched = search(guess, MAX_SPEED, |speed| {
            tried += 1;
            Ok::<_, ()>(Some(speed <= limit))
        });
        (searched.expect("no failure"), tried)
    }

    #[test]
    fn the_limit_is_found_from_above_and_from_below() {
        for (guess, limit) in [(1.0, 1.7), (1.0, 0.3), (8.0, 0.9), (1.0, 1.0), (0.9, 30.0)] {
            let (found, tried) = found(guess, limit);
            let low = found.kept_up.expect("some");
            let high = found.failed.expect("some");
            assert!(low <= limit && limit < high && high / low <= RESOLUTION, "{limit}: {found:?}");
            assert!(tried <= 11, "{limit}: {tried}");
        }
    }

    #[test]
    fn searches_without_a_limit_end() {
        let (all, _) = found(1.0, f64::INFINITY);
        assert!(all.kept_up.is_some() && all.failed.is_none());
        let (none, _) = found(1.0, 0.0);
        assert!(none.kept_up.is_none() && none.failed.is_some());
    }

    #[test]
    fn the_maximum_speed_is_respected() {
        for guess in [1.0, 50.0] {
            let mut fastest = 0.0;
            let searched = search(guess, 20.0, |speed| {
                fastest = speed.max(fastest);
                Ok::<_, ()>(Some(true))
            });
            assert_eq!(searched, Ok(Limit { kept_up: Some(20.0), failed: None }));
            assert_eq!(fastest, 20.0);
        }
    }

    #[test]
    fn an_interrupt_keeps_what_is_known() {
        let mut tries = [Some(true), Some(false), None].into_iter();
        let limit =
            search(1.0, MAX_SPEED, |_| Ok::<_, ()>(tries.next().flatten())).expect("no failure");
        assert_eq!(limit, Limit { kept_up: Some(1.0), failed: Some(2.0) });
        let failed = search(1.0, MAX_SPEED, |_| Err::<Option<bool>, _>("broken"));
        assert_eq!(failed, Err("broken"));
    }
}
