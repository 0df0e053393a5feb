//! The bytes of the program that is running.

use std::fs::File;
use std::sync::OnceLock;

use memmap2::Mmap;

/// The file of the running program, as far as it can be read. With its debug information it has
/// tens of megabytes, few of which are looked at: they are mapped, not copied.
pub(super) fn executable() -> Option<&'static [u8]> {
    static MAPPED: OnceLock<Option<Mmap>> = OnceLock::new();
    MAPPED.get_or_init(map).as_deref()
}

fn map() -> Option<Mmap> {
    let file = File::open(std::env::current_exe().ok()?).ok()?;
    // SAFETY: the system lets nobody write to a program while it runs; who replaces it makes
    // another file.
    unsafe { Mmap::map(&file) }.ok()
}
