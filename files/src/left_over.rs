//! Drafts of killed processes.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::Path;

use super::target::folder_of;

/// Ending of a draft's name, which no program that collects files looks for.
pub(crate) const ENDING: &str = ".draft";

/// Bytes of a file's name that are part of the names of its drafts: names have 255 bytes at most.
const MAX_BYTES: usize = 160;

/// Prefix of the names of all drafts of a file.
pub(crate) fn beginning(name: &OsStr) -> String {
    let name = name.to_string_lossy();
    format!(".{}.", &name[..name.floor_char_boundary(MAX_BYTES)])
}

/// Removes the abandoned drafts of a file: a process that writes one holds a lock. Drafts that
/// can't be removed are ignored.
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
