//! Page size of the memory of this process.

use std::io;
use std::path::Path;

use nix::sys::prctl;

use super::sysfs;

/// Restricts this process, and those that it starts, to small pages from now on.
///
/// # Errors
/// If the system refuses.
pub fn use_small_pages() -> io::Result<()> {
    Ok(prctl::set_thp_disable(true)?)
}

/// Mode of transparent huge pages for this process; `None` if it is not known.
pub(super) fn transparent_huge_pages() -> Option<String> {
    if prctl::get_thp_disable() == Ok(true) {
        return Some("never".to_owned());
    }
    sysfs::chosen(Path::new("/sys/kernel/mm/transparent_hugepage/enabled"))
}
