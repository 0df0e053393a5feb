//! Writing such that a power cut takes nothing back.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use super::HistoryError;

/// Writes a file that must not exist yet, and waits until it is on disk.
pub(super) fn write_new(path: &Path, bytes: &[u8]) -> Result<(), HistoryError> {
    let write = || {
        let mut file = File::create_new(path)?;
        file.write_all(bytes)?;
        file.sync_all()
    };
    write().map_err(|source| HistoryError::io(path, source))
}

/// Copies a file with its permissions, and waits until the copy is on disk.
pub(super) fn copy(from: &Path, to: &Path) -> Result<(), HistoryError> {
    let copy = || {
        fs::copy(from, to)?;
        File::open(to)?.sync_all()
    };
    copy().map_err(|source| HistoryError::io(to, source))
}

/// Waits until the names in a folder are on disk.
pub(super) fn sync_folder(path: &Path) -> Result<(), HistoryError> {
    match File::open(path).and_then(|folder| folder.sync_all()) {
        // Some network file systems can't, and need not.
        Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => {
            Ok(())
        }
        synced => synced.map_err(|source| HistoryError::io(path, source)),
    }
}

/// Gives a file or folder another name, and waits until that is on disk.
pub(super) fn rename(from: &Path, to: &Path) -> Result<(), HistoryError> {
    fs::rename(from, to).map_err(|source| HistoryError::io(to, source))?;
    to.parent().map_or(Ok(()), sync_folder)
}

/// Creates a folder and those above it, as far as need be.
pub(super) fn create_folder(path: &Path) -> Result<(), HistoryError> {
    fs::create_dir_all(path).map_err(|source| HistoryError::io(path, source))
}

/// Whether a rename failed because a folder of that name is there already.
pub(super) fn is_taken(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::AlreadyExists | ErrorKind::DirectoryNotEmpty)
}
