//! Address space layout randomisation (ASLR), and switching it off.

use std::thread::{Builder, JoinHandle};

use nix::errno::Errno;
use nix::sys::personality::{self, Persona};

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
