//! Bytes of the running program.

use std::fs::File;
use std::sync::OnceLock;

use memmap2::Mmap;

/// Maps the file of the running program, if it can be read. With debug information it has tens of
/// megabytes, few of which are accessed, so it is not copied.
pub(super) fn executable() -> Option<&'static [u8]> {
    static MAPPED: OnceLock<Option<Mmap>> = OnceLock::new();
    MAPPED.get_or_init(map).as_deref()
}

fn map() -> Option<Mmap> {
    let file = File::open(std::env::current_exe().ok()?).ok()?;
    // SAFETY: the system prevents writes to the file of a running program; replacing it creates
    // another file, so the mapped bytes do not change.
    unsafe { Mmap::map(&file) }.ok()
}
