//! Drafts of those who were killed.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::Path;

use super::place::folder_of;

/// What the name of a draft ends with: no collector takes it for a file of its own.
pub(crate) const ENDING: &str = ".draft";

/// So much of a file's name is in those of its drafts: names have 255 bytes at most.
const MOST_BYTES: usize = 160;

/// What the names of all drafts of a file begin with.
pub(crate) fn beginning(name: &OsStr) -> String {
    let name = name.to_string_lossy();
    format!(".{}.", &name[..name.floor_char_boundary(MOST_BYTES)])
}

/// Takes away the drafts of a file that nobody is writing: whoever does holds a lock. What can't
/// be taken away stays.
pub fn clean(path: &Path) {
    let Some(name) = path.file_name() else { return };
    let Ok(entries) = fs::read_dir(folder_of(path)) else { return };
    let beginning = beginning(name);
    for entry in entries.flatten() {
        let other = entry.file_name();
        let other = other.to_string_lossy();
        let is_draft = other.starts_with(&beginning) && other.ends_with(ENDING);
        let is_free = || {
            let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
            is_file && File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok())
        };
        if is_draft && is_free() {
            let _ = fs::remove_file(entry.path());
        }
    }
}
