//! Memory that this process fills and its children read: anonymous, so nothing is left of it once
//! all of them are gone, however they ended.
//!
//! It is sealed once it is filled. Nobody can write it, shrink it or grow it any more, not even who
//! made it; so it may be looked at as a plain array.

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

/// How it is named in `/proc/PID/maps`.
const NAME: &str = "recobench";

/// Memory that is filled and sealed.
pub(crate) struct SharedMemory(File);

/// The memory of a parent, to be read.
pub(crate) struct Inherited(Mmap);

fn sealed() -> SealFlag {
    SealFlag::F_SEAL_WRITE | SealFlag::F_SEAL_SHRINK | SealFlag::F_SEAL_GROW | SealFlag::F_SEAL_SEAL
}

impl SharedMemory {
    /// Memory with what `write` puts into it.
    ///
    /// # Errors
    /// If there is none to be had, or none that can be sealed.
    pub(crate) fn filled(write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<Self> {
        let flags = MFdFlags::MFD_CLOEXEC | MFdFlags::MFD_ALLOW_SEALING;
        let mut file = File::from(memfd_create(NAME, flags)?);
        write(&mut file)?;
        file.flush()?;
        fcntl(&file, FcntlArg::F_ADD_SEALS(sealed()))?;
        Ok(SharedMemory(file))
    }

    /// Lets a child have it, by the number that is returned.
    pub(crate) fn lend_to(&self, command: &mut Command) -> RawFd {
        let number = self.0.as_raw_fd();
        // SAFETY: between fork and exec there is a system call only, on a descriptor that is open
        // as long as `self` is, which is borrowed until the child was started or dropped.
        unsafe {
            command.pre_exec(move || match libc::fcntl(number, libc::F_SETFD, 0) {
                -1 => Err(io::Error::last_os_error()),
                _ => Ok(()),
            });
        }
        number
    }

    /// What a child would have of it.
    #[cfg(test)]
    pub(crate) fn into_inherited(self) -> Inherited {
        use std::os::fd::IntoRawFd;
        // SAFETY: the descriptor is given up.
        unsafe { Inherited::of(self.0.into_raw_fd()) }.expect("it is sealed")
    }
}

impl Inherited {
    /// The memory that the parent lent by this number.
    ///
    /// # Errors
    /// If there is none of that number, or it is not sealed.
    ///
    /// # Safety
    /// Nobody else in this process may own the descriptor of that number.
    pub(crate) unsafe fn of(number: RawFd) -> io::Result<Self> {
        // Without this one a number that is none would be taken for an owned descriptor.
        // SAFETY: it looks at the number only.
        if unsafe { libc::fcntl(number, libc::F_GETFD) } == -1 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: it is open, and nobody else owns it.
        let file = File::from(unsafe { OwnedFd::from_raw_fd(number) });
        let seals = SealFlag::from_bits_truncate(fcntl(&file, FcntlArg::F_GET_SEALS)?);
        if !seals.contains(sealed()) {
            return Err(io::Error::other("it may still be written"));
        }
        // Pages are there already: looking them up now keeps that out of the first run.
        // SAFETY: by its seals nobody can change its content or its size.
        Ok(Inherited(unsafe { MmapOptions::new().populate().map(&file) }?))
    }
}

impl Deref for Inherited {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::IntoRawFd;

    use super::*;

    #[test]
    fn what_was_filled_is_read_and_can_be_changed_by_nobody() {
        let memory = SharedMemory::filled(|file| file.write_all(b"digis")).expect("memory");
        assert!((&memory.0).write_all(b"more").is_err());
        assert!(memory.0.set_len(1).is_err());
        assert_eq!(*memory.into_inherited(), *b"digis");
    }

    #[test]
    fn what_is_not_sealed_or_not_there_is_refused() {
        let open = File::from(memfd_create(NAME, MFdFlags::MFD_ALLOW_SEALING).expect("memory"));
        open.set_len(4096).expect("room");
        // SAFETY: the descriptor was given up.
        let refused = unsafe { Inherited::of(open.into_raw_fd()) }.map(|_| ());
        assert!(refused.expect_err("refused").to_string().contains("may still be written"));
        // SAFETY: nobody has so many.
        assert!(unsafe { Inherited::of(1 << 20) }.is_err());
    }
}
