//! Randomised addresses of processes, and whether they can be switched off.

use std::thread::{Builder, JoinHandle};

use nix::errno::Errno;
use nix::sys::personality::{self, Persona};

/// Has programs that this thread becomes lie at the same addresses in each process.
pub(crate) fn fix() -> Result<(), Errno> {
    let now = personality::get()?;
    personality::set(now | Persona::ADDR_NO_RANDOMIZE)?;
    Ok(())
}

/// Whether [`fix`] is refused here, as containers do by default.
pub(crate) fn stay_random() -> bool {
    // On a thread of its own: a personality is that of a thread.
    let tried = Builder::new().spawn(fix).map(JoinHandle::join);
    !matches!(tried, Ok(Ok(Ok(()))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asking_changes_nothing() {
        let before = personality::get().ok();
        let first = stay_random();
        assert_eq!(personality::get().ok(), before);
        assert_eq!(stay_random(), first);
    }
}
