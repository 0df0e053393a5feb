//! Stack of the main thread, which `ulimit -s` limits.

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use reports::units;

/// Sufficient size for the main thread, and default of most systems.
const WANTED: u64 = 8 << 20;
/// Minimum size: with less, even parsing a command line may overflow the stack.
const NEEDED: u64 = 1 << 20;

/// Raises a limit that is too low, as far as the system allows.
///
/// # Errors
/// A message, if the stack remains too small.
pub(crate) fn ensure_stack() -> Result<(), String> {
    // A system that reports no limit has none.
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_STACK) else { return Ok(()) };
    if soft >= NEEDED {
        return Ok(());
    }
    let raised = WANTED.min(hard);
    if raised >= NEEDED && setrlimit(Resource::RLIMIT_STACK, raised, hard).is_ok() {
        return Ok(());
    }
    Err(format!(
        "the stack is limited to {}, and {} are needed; raise the limit with `ulimit -s {}`",
        units::bytes(soft as f64),
        units::bytes(NEEDED as f64),
        WANTED / 1024
    ))
}
