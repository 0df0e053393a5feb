//! Access to regular files only: reading a pipe may never end, and a device is not part of a run.

use std::fs::{self, File, FileType};
use std::io::ErrorKind;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use files::{LARGEST_RECORD, text_of};

use super::StoreError;

/// Opens a file for reading.
pub(crate) fn open(path: &Path) -> Result<File, StoreError> {
    check(path)?;
    File::open(path).map_err(|source| StoreError::missing(path, source))
}

/// Reads a complete text file, up to a maximum size.
pub(super) fn read_text(path: &Path) -> Result<String, StoreError> {
    text_of(open(path)?, LARGEST_RECORD).map_err(|source| match source.kind() {
        ErrorKind::InvalidData => StoreError::format(path, source),
        _ => StoreError::io(path, source),
    })
}

/// Refuses a path that is not a regular file, before it is opened, because opening alone may block
/// forever.
pub(super) fn check(path: &Path) -> Result<(), StoreError> {
    let metadata = fs::metadata(path).map_err(|source| StoreError::missing(path, source))?;
    match kind(metadata.file_type()) {
        None => Ok(()),
        Some(kind) => Err(StoreError::NotRegular { path: path.to_owned(), kind }),
    }
}

/// Kind of a file that is not regular.
fn kind(file: FileType) -> Option<&'static str> {
    let kinds = [
        (file.is_dir(), "a folder"),
        (file.is_fifo(), "a pipe"),
        (file.is_socket(), "a socket"),
        (file.is_char_device() || file.is_block_device(), "a device"),
        (!file.is_file(), "something else"),
    ];
    let kind = kinds.into_iter().find(|(is_it, _)| *is_it);
    kind.map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;
    use std::process::Command;

    use super::*;

    #[test]
    fn only_regular_files_are_opened() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let at = |name: &str| folder.path().join(name);
        let made = Command::new("mkfifo").arg(at("pipe")).status();
        assert!(made.expect("mkfifo runs").success());
        let _socket = UnixListener::bind(at("socket")).expect("bound");
        for (path, kind) in [
            (at("pipe"), "a pipe"),
            (at("socket"), "a socket"),
            (at("."), "a folder"),
            ("/dev/null".into(), "a device"),
        ] {
            let refusal = read_text(&path).expect_err(kind);
            assert!(matches!(refusal, StoreError::NotRegular { .. }), "{kind}");
            assert!(refusal.to_string().contains(kind), "{refusal}");
        }
        fs::write(at("file"), "text").expect("written");
        assert_eq!(read_text(&at("file")).expect("a file"), "text");
    }
}
