//! Memory check of points, before anything is allocated.

use algorithms::algorithm::Plan;
use reports::units;

use super::PlanError;
use crate::platform::available_memory;

/// Memory for the system and the measurement in addition to the data.
pub(super) const RESERVE: u64 = 512 << 20;

/// Advice if fewer items would not help.
pub(super) const RAISE: &str =
    "raise the limit (ulimit -v, memory of the control group) or end other processes";

/// Returns an error if a point does not fit into the memory that is available now.
///
/// # Errors
/// If memory is insufficient; reports the required and the available amount.
pub fn check_memory(plan: &Plan) -> Result<(), PlanError> {
    check(plan, available_memory())
}

/// Returns an error if a point needs more than `available`.
pub(super) fn check(plan: &Plan, available: u64) -> Result<(), PlanError> {
    let needed = plan.memory_bytes.saturating_add(RESERVE);
    if needed <= available {
        return Ok(());
    }
    let params = plan.params.iter().map(|(name, value)| format!("{name}={value}"));
    let params: Vec<_> = params.collect();
    let needed = needed as f64;
    let reserve = RESERVE as f64;
    let available = available as f64;
    let needs = format!("{} needs {} of memory", params.join(" "), units::bytes(needed));
    let available_words = format!("but {} are available", units::bytes(available));
    // Fewer items help only if the reserve itself is available.
    Err(PlanError::Usage(if reserve < available {
        format!("{needs}, {available_words}; use fewer items")
    } else {
        format!(
            "{needs}, {available_words}; {} of it are for the system and tests of bandwidth, \
             whatever the items: {RAISE}",
            units::bytes(reserve)
        )
    }))
}

/// Returns an error if there is less memory than work needs whose memory does not depend on the
/// number of items.
///
/// # Errors
/// If memory is insufficient; reports the required and the available amount.
pub(crate) fn check_free_memory(what: &str, needed: u64) -> Result<(), PlanError> {
    check_free(what, needed, available_memory())
}

fn check_free(what: &str, needed: u64, available: u64) -> Result<(), PlanError> {
    if needed <= available {
        return Ok(());
    }
    Err(PlanError::Usage(format!(
        "{what} needs {} of memory, but {} are available; {RAISE}",
        units::bytes(needed as f64),
        units::bytes(available as f64),
    )))
}

/// Returns an error if `streams` concurrent streams, with `batch` events each, their references and
/// buffers, need more memory than is available now.
///
/// # Errors
/// If memory is insufficient; reports the required and the available amount.
pub(crate) fn check_events(of_stream: u64, streams: usize, batch: usize) -> Result<(), PlanError> {
    let needed = of_stream.saturating_mul(streams as u64).saturating_add(RESERVE);
    let available = available_memory();
    if needed <= available {
        return Ok(());
    }
    Err(PlanError::Usage(format!(
        "{streams} x {batch} events need {} of memory, {} a stream with references and buffers, but {} \
         are available; use fewer --streams, a smaller --batch or fewer items",
        units::bytes(needed as f64),
        units::bytes(of_stream as f64),
        units::bytes(available as f64),
    )))
}

#[cfg(test)]
mod tests {
    use algorithms::axis::Params;

    use super::*;

    #[test]
    fn too_much_is_refused_with_both_numbers() {
        let mut plan = Plan { params: Params::default(), memory_bytes: 32_000_000_000_000 };
        plan.params.set("digis", "1000000000000");
        let error = check(&plan, 8_000_000_000).expect_err("too much").to_string();
        assert!(error.contains("digis=1000000000000 needs 32 TB"), "{error}");
        assert!(error.contains("8 GB are available"), "{error}");
        assert!(error.ends_with("use fewer items"), "{error}");
        assert!(check(&plan, u64::MAX).is_ok());
        plan.memory_bytes = 32_000;
        let error = check(&plan, 123_000_000).expect_err("too much").to_string();
        let expected = "of memory, but 123 MB are available; 537 MB of it are for the system and \
                        tests of bandwidth, whatever the items: raise the limit (ulimit -v";
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn a_fixed_requirement_is_refused_with_both_numbers() {
        assert!(check_free("verifying", 1 << 30, 1 << 30).is_ok());
        let error =
            check_free("verifying", 1 << 30, 512 << 20).expect_err("too little").to_string();
        assert!(error.starts_with("verifying needs 1.07 GB of memory, but 537 MB"), "{error}");
    }

    #[test]
    fn too_many_events_are_refused_with_their_size() {
        assert!(check_events(1000, 2, 4).is_ok());
        let error = check_events(4_000_000_000_000, 8, 4).expect_err("too much").to_string();
        assert!(error.contains("8 x 4 events need 32 TB of memory, 4 TB a stream"), "{error}");
        assert!(check_events(u64::MAX, usize::MAX, 4).is_err());
    }
}
