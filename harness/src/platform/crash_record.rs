//! Record of this process for the analysis of its end: which plugin was called, where results are,
//! and whether the process ended by itself.
//!
//! A supervised process shares this memory with its supervisor, which reads it after the process
//! has ended. Therefore it contains no pointers.

use std::cell::UnsafeCell;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicUsize};

use nix::libc;

use super::Exit;

/// Value without an exit code.
const NO_EXIT_CODE: i32 = -1;

/// Crash record of a process.
pub(super) struct CrashRecord {
    /// Exit code that the process chose.
    exit_code: AtomicI32,
    /// True if the process ends in good order on request.
    pub(super) listens: AtomicBool,
    /// True while a plugin is being called.
    pub(super) is_inside: AtomicBool,
    /// Current call, or else the last one.
    pub(super) call: Text<512>,
    /// Results folder.
    pub(super) folder: Text<4096>,
}

static OWN: CrashRecord = CrashRecord {
    exit_code: AtomicI32::new(NO_EXIT_CODE),
    listens: AtomicBool::new(false),
    is_inside: AtomicBool::new(false),
    call: Text::none(),
    folder: Text::none(),
};

/// Shared record, if any.
static SHARED: AtomicPtr<CrashRecord> = AtomicPtr::new(null_mut());

/// Record of this process.
pub(super) fn current() -> &'static CrashRecord {
    // SAFETY: the pointer is null or points to a mapping that is never unmapped.
    unsafe { SHARED.load(Acquire).as_ref() }.unwrap_or(&OWN)
}

/// Creates a record that this process shares with processes that it forks.
pub(super) fn share() -> std::io::Result<&'static CrashRecord> {
    let (access, kind) =
        (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
    // SAFETY: a new mapping at an address chosen by the kernel affects no existing memory.
    let mapped = unsafe { libc::mmap(null_mut(), size_of::<CrashRecord>(), access, kind, -1, 0) };
    let Some(crash_record) =
        NonNull::new(mapped.cast::<CrashRecord>()).filter(|_| mapped != libc::MAP_FAILED)
    else {
        return Err(std::io::Error::last_os_error());
    };
    // SAFETY: `size_of::<CrashRecord>()` bytes are mapped, to which no other reference exists yet; all
    // zeros are a valid record.
    let crash_record = unsafe { crash_record.as_ref() };
    crash_record.exit_code.store(NO_EXIT_CODE, SeqCst);
    SHARED.store(std::ptr::from_ref(crash_record).cast_mut(), SeqCst);
    Ok(crash_record)
}

impl CrashRecord {
    /// Records the start of a plugin call. Calls may be timed, so this is only a few stores.
    pub(super) fn enter(&self, call: &str) {
        self.call.set(call);
        self.is_inside.store(true, Release);
    }

    /// Records the end of the call.
    pub(super) fn leave(&self) {
        self.is_inside.store(false, Release);
    }

    /// Records the exit code of a process that is about to end by itself.
    pub(super) fn set_exit_code(&self, code: i32) {
        self.exit_code.store(code, SeqCst);
    }

    /// Recorded exit code.
    pub(super) fn exit_code(&self) -> Option<i32> {
        Some(self.exit_code.load(SeqCst)).filter(|&code| code != NO_EXIT_CODE)
    }
}

/// Records that this process is about to end by itself.
pub(super) fn record_exit(exit: Exit) {
    current().set_exit_code(exit as i32);
}

/// A text of at most `N` bytes. Longer texts are truncated.
pub(super) struct Text<const N: usize> {
    length: AtomicUsize,
    bytes: UnsafeCell<[u8; N]>,
}

// SAFETY: it is written by one thread at a time (calls of plugins are serialised, and a run has one
// folder), and read by the thread that ends the process, or by another process after the end.
unsafe impl<const N: usize> Sync for Text<N> {}

impl<const N: usize> Text<N> {
    const fn none() -> Self {
        Text { length: AtomicUsize::new(0), bytes: UnsafeCell::new([0; N]) }
    }

    pub(super) fn set(&self, text: &str) {
        let length = text.len().min(N);
        self.length.store(0, Relaxed);
        // SAFETY: `length` bytes are available in both buffers; there is one writer at a time (see
        // `Sync`), and the source is not part of this text.
        unsafe { self.bytes.get().cast::<u8>().copy_from_nonoverlapping(text.as_ptr(), length) };
        self.length.store(length, Release);
    }

    /// Current text, or empty. Plugins may have overwritten it with anything.
    pub(super) fn bytes(&self) -> &[u8] {
        let length = self.length.load(SeqCst).min(N);
        // SAFETY: `length` is at most the size of the buffer.
        unsafe { std::slice::from_raw_parts(self.bytes.get().cast(), length) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_truncated() {
        let text = Text::<8>::none();
        assert_eq!(text.bytes(), b"");
        text.set("libmine.so");
        assert_eq!(text.bytes(), b"libmine.");
        text.set("run");
        assert_eq!(text.bytes(), b"run");
    }
}
