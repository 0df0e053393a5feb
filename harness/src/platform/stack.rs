//! The stack of the main thread, which `ulimit -s` limits.

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use reports::units;

/// Enough for everything that the main thread does, and what systems give by default.
const WANTED: u64 = 8 << 20;
/// With less, even a command line that is merely read may overflow it.
const NEEDED: u64 = 1 << 20;

/// Raises a limit that is too low, as far as the system allows.
///
/// # Errors
/// A sentence, if too little is left.
pub(crate) fn ensure_stack() -> Result<(), String> {
    // A system that tells no limit has none.
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
