//! What is known of this process when it ends, whoever ends it: which plugin was called, where
//! results are, and whether the process ended because it was done.
//!
//! A process that is supervised shares this memory with its supervisor, which reads it once the
//! process is gone. So nothing in it points anywhere.

use std::cell::UnsafeCell;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicUsize};

use nix::libc;

use super::Exit;

/// No exit code.
const UNTOLD: i32 = -1;

/// An account of a process.
pub(super) struct Ledger {
    /// The exit code that the process chose.
    told: AtomicI32,
    /// Whether it ends in good order when it is asked to.
    pub(super) listens: AtomicBool,
    /// Whether the call of a plugin goes on.
    pub(super) is_inside: AtomicBool,
    /// The call that goes on, or else the last one.
    pub(super) call: Text<512>,
    /// Where results go.
    pub(super) folder: Text<4096>,
}

static OWN: Ledger = Ledger {
    told: AtomicI32::new(UNTOLD),
    listens: AtomicBool::new(false),
    is_inside: AtomicBool::new(false),
    call: Text::none(),
    folder: Text::none(),
};

/// The one that is shared, if any is.
static SHARED: AtomicPtr<Ledger> = AtomicPtr::new(null_mut());

/// That of this process.
pub(super) fn ledger() -> &'static Ledger {
    // SAFETY: what is pointed to is never unmapped.
    unsafe { SHARED.load(Acquire).as_ref() }.unwrap_or(&OWN)
}

/// Has this process and those that it forks share theirs.
///
/// # Errors
/// What the system says.
pub(super) fn share() -> std::io::Result<&'static Ledger> {
    let (access, kind) =
        (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
    // SAFETY: a new mapping, where the system likes.
    let mapped = unsafe { libc::mmap(null_mut(), size_of::<Ledger>(), access, kind, -1, 0) };
    let Some(ledger) = NonNull::new(mapped.cast::<Ledger>()).filter(|_| mapped != libc::MAP_FAILED)
    else {
        return Err(std::io::Error::last_os_error());
    };
    // SAFETY: so many bytes are mapped, which nobody else knows yet; zeros are a ledger.
    let ledger = unsafe { ledger.as_ref() };
    ledger.told.store(UNTOLD, SeqCst);
    SHARED.store(std::ptr::from_ref(ledger).cast_mut(), SeqCst);
    Ok(ledger)
}

impl Ledger {
    /// A plugin is about to be called. Calls may be timed: no more than a few stores.
    pub(super) fn enter(&self, call: &str) {
        self.call.set(call);
        self.is_inside.store(true, Release);
    }

    /// The call is over.
    pub(super) fn leave(&self) {
        self.is_inside.store(false, Release);
    }

    /// The process is about to end because it is done.
    pub(super) fn tell(&self, code: i32) {
        self.told.store(code, SeqCst);
    }

    /// The exit code that was told.
    pub(super) fn told(&self) -> Option<i32> {
        Some(self.told.load(SeqCst)).filter(|&code| code != UNTOLD)
    }
}

/// That this process ends because it is done.
pub(super) fn ends(exit: Exit) {
    ledger().tell(exit as i32);
}

/// A text of at most so many bytes. What is longer is cut.
pub(super) struct Text<const N: usize> {
    length: AtomicUsize,
    bytes: UnsafeCell<[u8; N]>,
}

// SAFETY: it is written by one thread at a time (calls of plugins come one at a time, and a run
// has one folder), and read by whoever ends the process, or once it is gone.
unsafe impl<const N: usize> Sync for Text<N> {}

impl<const N: usize> Text<N> {
    const fn none() -> Self {
        Text { length: AtomicUsize::new(0), bytes: UnsafeCell::new([0; N]) }
    }

    pub(super) fn set(&self, text: &str) {
        let length = text.len().min(N);
        self.length.store(0, Relaxed);
        // SAFETY: so many bytes are there on both sides; nobody else writes, as above.
        unsafe { self.bytes.get().cast::<u8>().copy_from_nonoverlapping(text.as_ptr(), length) };
        self.length.store(length, Release);
    }

    /// As it was set, or nothing. What overwrote it may have been anything.
    pub(super) fn bytes(&self) -> &[u8] {
        let length = self.length.load(SeqCst).min(N);
        // SAFETY: so many bytes are there.
        unsafe { std::slice::from_raw_parts(self.bytes.get().cast(), length) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_too_long_is_cut() {
        let text = Text::<8>::none();
        assert_eq!(text.bytes(), b"");
        text.set("libmine.so");
        assert_eq!(text.bytes(), b"libmine.");
        text.set("run");
        assert_eq!(text.bytes(), b"run");
    }
}
