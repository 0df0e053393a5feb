//! Memory that this process fills and its children read: anonymous, so nothing remains of it once
//! all of them have ended in any way.
//!
//! It is sealed after it is filled. No process can write, shrink or grow it any more, including its
//! creator; so it may be accessed as a plain array.

use std::fs::File;
use std::io::{self, Write};
use std::ops::Deref;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::Command;

use memmap2::{Mmap, MmapOptions};
use nix::fcntl::{FcntlArg, SealFlag, fcntl};
use nix::libc;
use nix::sys::memfd::{MFdFlags, memfd_create};
use tasks::open_loop::Lendable;

/// Name in `/proc/PID/maps`.
const NAME: &str = "recobench";

/// Memory that is filled and sealed.
pub(crate) struct SharedMemory(File);

/// Memory of a parent, for reading.
pub(crate) struct Inherited(Mmap);

fn sealed() -> SealFlag {
    SealFlag::F_SEAL_WRITE | SealFlag::F_SEAL_SHRINK | SealFlag::F_SEAL_GROW | SealFlag::F_SEAL_SEAL
}

impl SharedMemory {
    /// Creates memory that `write` fills.
    pub(crate) fn filled(write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<Self> {
        let flags = MFdFlags::MFD_CLOEXEC | MFdFlags::MFD_ALLOW_SEALING;
        let mut file = File::from(memfd_create(NAME, flags)?);
        write(&mut file)?;
        file.flush()?;
        fcntl(&file, FcntlArg::F_ADD_SEALS(sealed()))?;
        Ok(SharedMemory(file))
    }

    /// Passes it to a child, as the file descriptor that is returned.
    pub(crate) fn lend_to(&self, command: &mut Command) -> RawFd {
        let number = self.0.as_raw_fd();
        // SAFETY: between fork and exec the closure makes only a system call, on a descriptor that
        // is open as long as `self`, which is borrowed until the child was started or dropped.
        unsafe {
            command.pre_exec(move || match libc::fcntl(number, libc::F_SETFD, 0) {
                -1 => Err(io::Error::last_os_error()),
                _ => Ok(()),
            });
        }
        number
    }

    /// Memory as a child would receive it.
    #[cfg(test)]
    pub(crate) fn into_inherited(self) -> Inherited {
        use std::os::fd::IntoRawFd;
        // SAFETY: ownership of the descriptor is released by `into_raw_fd`.
        unsafe { Inherited::from_fd(self.0.into_raw_fd()) }.expect("it is sealed")
    }
}

impl Inherited {
    /// Memory that the parent passed as this file descriptor.
    ///
    /// # Errors
    /// If the descriptor is not open, or the memory is not sealed.
    ///
    /// # Safety
    /// No other object in this process may own the descriptor.
    pub(crate) unsafe fn from_fd(number: RawFd) -> io::Result<Self> {
        // Without this check an invalid number would be taken for an owned descriptor.
        // SAFETY: the call only queries flags of the descriptor, which may be invalid.
        if unsafe { libc::fcntl(number, libc::F_GETFD) } == -1 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: it is open, and the caller guarantees that no other object owns it.
        let file = File::from(unsafe { OwnedFd::from_raw_fd(number) });
        let seals = SealFlag::from_bits_truncate(fcntl(&file, FcntlArg::F_GET_SEALS)?);
        if !seals.contains(sealed()) {
            return Err(io::Error::other("it may still be written"));
        }
        // Pages exist already: mapping them now keeps page faults out of the first run.
        // SAFETY: because of its seals no process can change its content or its size.
        Ok(Inherited(unsafe { MmapOptions::new().populate().map(&file) }?))
    }
}

impl Deref for Inherited {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

// SAFETY: the mapping stays where it is until it is dropped, and because of the seals, which
// `from_fd` has checked, no process can change its content or its size.
unsafe impl Lendable for Inherited {}

#[cfg(test)]
mod tests {
    use std::os::fd::IntoRawFd;

    use super::*;

    #[test]
    fn sealed_memory_is_readable_and_immutable() {
        let memory = SharedMemory::filled(|file| file.write_all(b"digis")).expect("memory");
        assert!((&memory.0).write_all(b"more").is_err());
        assert!(memory.0.set_len(1).is_err());
        assert_eq!(*memory.into_inherited(), *b"digis");
    }

    #[test]
    fn unsealed_or_missing_memory_is_refused() {
        let open = File::from(memfd_create(NAME, MFdFlags::MFD_ALLOW_SEALING).expect("memory"));
        open.set_len(4096).expect("room");
        // SAFETY: ownership of the descriptor is released by `into_raw_fd`.
        let refused = unsafe { Inherited::from_fd(open.into_raw_fd()) }.map(|_| ());
        assert!(refused.expect_err("refused").to_string().contains("may still be written"));
        // SAFETY: no descriptor has such a large number.
        assert!(unsafe { Inherited::from_fd(1 << 20) }.is_err());
    }
}
