//! When the process began.

use std::sync::OnceLock;
use std::time::Instant;

/// The beginning of the process, or nearly so: the first call, which is the first thing
/// that `bench` does.
pub fn process_start() -> Instant {
    static START: OnceLock<Instant> = OnceLock::new();
    *START.get_or_init(Instant::now)
}
