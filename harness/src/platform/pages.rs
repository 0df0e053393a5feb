//! The pages that memory of this process is on.

use std::io;
use std::path::Path;

use nix::sys::prctl;

use super::sysfs;

/// From now on memory of this process, and of those that it starts, is on small pages alone.
///
/// # Errors
/// If the system refuses.
pub fn use_small_pages() -> io::Result<()> {
    Ok(prctl::set_thp_disable(true)?)
}

/// The mode of transparent huge pages that holds for this process; `None` if it is not known.
pub(super) fn transparent_huge_pages() -> Option<String> {
    if prctl::get_thp_disable() == Ok(true) {
        return Some("never".to_owned());
    }
    sysfs::chosen(Path::new("/sys/kernel/mm/transparent_hugepage/enabled"))
}
