//! Address space of this process: randomisation (ASLR) and switching it off, page size, and stack
//! of the main thread.

use std::io;
use std::path::Path;
use std::thread::{Builder, JoinHandle};

use nix::errno::Errno;
use nix::sys::personality::{self, Persona};
use nix::sys::prctl;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use reports::units;

use super::sysfs;

/// Disables ASLR for programs that this thread executes.
pub(crate) fn fix() -> Result<(), Errno> {
    let now = personality::get()?;
    personality::set(now | Persona::ADDR_NO_RANDOMIZE)?;
    Ok(())
}

/// True if [`fix`] is refused here, as it is in containers by default.
pub(crate) fn stay_random() -> bool {
    // On a separate thread, because a personality belongs to a thread.
    let tried = Builder::new().spawn(fix).map(JoinHandle::join);
    !matches!(tried, Ok(Ok(Ok(()))))
}

/// Sufficient size for the main thread, and default of most systems.
const WANTED: u64 = 8 << 20;
/// Minimum size: with less, even parsing a command line may overflow the stack.
const NEEDED: u64 = 1 << 20;

/// Raises a limit that is too low, as far as the system allows.
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

/// Restricts this process, and those that it starts, to small pages from now on.
pub(crate) fn use_small_pages() -> io::Result<()> {
    Ok(prctl::set_thp_disable(true)?)
}

/// Mode of transparent huge pages for this process; `None` if it is not known.
pub(super) fn transparent_huge_pages() -> Option<String> {
    if prctl::get_thp_disable() == Ok(true) {
        return Some("never".to_owned());
    }
    sysfs::chosen(Path::new("/sys/kernel/mm/transparent_hugepage/enabled"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checking_has_no_side_effect() {
        let before = personality::get().ok();
        let first = stay_random();
        assert_eq!(personality::get().ok(), before);
        assert_eq!(stay_random(), first);
    }
}
