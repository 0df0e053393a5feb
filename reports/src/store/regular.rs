//! Regular files and nothing else: reading a pipe never ends, and a device says
//! nothing of a run.

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

/// The whole of a file that is a text, and not too large for one.
pub(super) fn read_text(path: &Path) -> Result<String, StoreError> {
    text_of(open(path)?, LARGEST_RECORD).map_err(|source| match source.kind() {
        ErrorKind::InvalidData => StoreError::format(path, source),
        _ => StoreError::io(path, source),
    })
}

/// Refuses what is not a regular file, before it is opened: that alone may wait
/// for ever.
pub(super) fn check(path: &Path) -> Result<(), StoreError> {
    let metadata = fs::metadata(path).map_err(|source| StoreError::missing(path, source))?;
    match kind(metadata.file_type()) {
        None => Ok(()),
        Some(kind) => Err(StoreError::NotRegular { path: path.to_owned(), kind }),
    }
}

/// What it is instead of a regular file.
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
