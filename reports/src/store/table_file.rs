//! A CSV file to which rows are appended.
//!
//! Only regular files are opened: reading a pipe may never end, and a device is not part of a run.

use std::fs::{self, File, FileType, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::marker::PhantomData;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use files::{AtomicFile, LARGEST_RECORD, Links, text_of};
use serde::Serialize;

use super::StoreError;

/// Rows of one kind in a file.
pub(super) struct TableFile<R> {
    path: PathBuf,
    file: File,
    /// The length of all complete rows.
    bytes: u64,
    rows: PhantomData<fn(R)>,
}

/// Byte in parts of a file that were allocated but not written before a power cut.
const UNWRITTEN: u8 = 0;

/// True if a file is a leftover of a process that was killed while it created a run: a header
/// without rows, or a part of one, that no process is writing to.
fn is_left_over(path: &Path, header: &[u8]) -> bool {
    let is_header = |text: &Vec<u8>| {
        let written = text.iter().rposition(|&byte| byte != UNWRITTEN).map_or(0, |last| last + 1);
        header.starts_with(&text[..written])
    };
    let is_free = || File::open(path).is_ok_and(|file| file.try_lock().is_ok());
    beginning(path, header.len() + 1).as_ref().is_ok_and(is_header) && is_free()
}

/// The first `bytes` bytes of a file, or all of a shorter one.
fn beginning(path: &Path, bytes: usize) -> Result<Vec<u8>, StoreError> {
    let mut text = Vec::new();
    let read = open(path)?.take(bytes as u64).read_to_end(&mut text);
    read.map_err(|source| StoreError::io(path, source))?;
    Ok(text)
}

/// The length of all rows of a file that end with a line break, up to the first unwritten byte. A
/// line break within quotes does not end a row.
fn bytes_of_lines(path: &Path) -> io::Result<u64> {
    let mut file = BufReader::with_capacity(1 << 20, File::open(path)?);
    let mut read = 0;
    let mut bytes = 0;
    let mut is_quoted = false;
    loop {
        let portion = file.fill_buf()?;
        let count = portion.len();
        let unwritten = portion.iter().position(|&byte| byte == UNWRITTEN);
        let written = &portion[..unwritten.unwrap_or(count)];
        for (at, byte) in written.iter().enumerate() {
            match byte {
                b'"' => is_quoted = !is_quoted,
                b'\n' if !is_quoted => bytes = read + at as u64 + 1,
                _ => {}
            }
        }
        if count == 0 || unwritten.is_some() {
            return Ok(bytes);
        }
        read += count as u64;
        file.consume(count);
    }
}

impl<R> Drop for TableFile<R> {
    /// Unlocks the file. To close it is not enough while a process that was just started has it, too.
    fn drop(&mut self) {
        // It is also unlocked if this fails, only later.
        let _ = self.file.unlock();
    }
}

impl<R: Serialize + Default> TableFile<R> {
    /// Creates the file with its header, which is on disk then: the file can be read before its
    /// first row. An existing file is an error.
    pub(super) fn create(path: &Path) -> Result<Self, StoreError> {
        let header = header::<R>(path)?;
        let io_error = |source| StoreError::io(path, source);
        if is_left_over(path, &header) {
            fs::remove_file(path).map_err(io_error)?;
        }
        // Append mode: another process may truncate an incomplete row.
        let mut options = OpenOptions::new();
        let mut file = options.append(true).create_new(true).open(path).map_err(io_error)?;
        file.write_all(&header).and_then(|()| file.sync_all()).map_err(io_error)?;
        Ok(TableFile { path: path.to_owned(), file, bytes: header.len() as u64, rows: PhantomData })
    }

    /// Opens a file to append rows. Call [`mend`](Self::mend) before the first one.
    pub(super) fn reopen(path: &Path) -> Result<Self, StoreError> {
        check(path)?;
        let file = OpenOptions::new().append(true).open(path);
        let file = file.map_err(|source| StoreError::io(path, source))?;
        Ok(TableFile { path: path.to_owned(), file, bytes: 0, rows: PhantomData })
    }

    /// Truncates an incomplete last row. Requires the lock of the run: an incomplete row may still
    /// be being written by its owner.
    pub(super) fn mend(mut self) -> Result<Self, StoreError> {
        let io_error = |source| StoreError::io(&self.path, source);
        self.bytes = bytes_of_lines(&self.path).map_err(io_error)?;
        if self.bytes < self.file.metadata().map_err(io_error)?.len() {
            self.file.set_len(self.bytes).map_err(io_error)?;
        }
        Ok(self)
    }

    /// True if the header is the current one.
    pub(super) fn is_current(&self) -> Result<bool, StoreError> {
        let header = header::<R>(&self.path)?;
        Ok(beginning(&self.path, header.len())? == header)
    }

    /// Locks the file against other writers while it is open.
    pub(super) fn lock(&self) -> Result<(), StoreError> {
        self.file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => StoreError::Busy(self.path.clone()),
            TryLockError::Error(source) => StoreError::io(&self.path, source),
        })?;
        self.refuse_replaced()
    }

    /// Fails if the previous owner of the lock has replaced the file by another one.
    fn refuse_replaced(&self) -> Result<(), StoreError> {
        let io_error = |source| StoreError::io(&self.path, source);
        let here = self.file.metadata().map_err(io_error)?;
        let there = fs::metadata(&self.path).map_err(io_error)?;
        if (here.dev(), here.ino()) == (there.dev(), there.ino()) {
            return Ok(());
        }
        Err(StoreError::Busy(self.path.clone()))
    }

    /// Atomically replaces the file by a new one with these rows, and locks it.
    pub(super) fn replaced(self, rows: &[R]) -> Result<Self, StoreError> {
        let text = [header::<R>(&self.path)?, lines(&self.path, rows)?].concat();
        let replace = || {
            let mut draft = AtomicFile::new(&self.path, Links::Replaced)?;
            draft.write_all(&text)?;
            draft.finish_open()
        };
        let file = replace().map_err(|source| StoreError::io(&self.path, source))?;
        Ok(TableFile { path: self.path.clone(), file, bytes: text.len() as u64, rows: PhantomData })
    }

    /// Appends rows in a single write, so that readers never see an incomplete row.
    pub(super) fn append(&mut self, rows: &[R]) -> Result<(), StoreError> {
        self.append_by(rows, |mut file, text| file.write_all(text))
    }

    /// Appends rows, and waits until all rows are on disk.
    pub(super) fn append_durably(&mut self, rows: &[R]) -> Result<(), StoreError> {
        self.append_by(rows, |mut file, text| file.write_all(text).and_then(|()| file.sync_data()))
    }

    fn append_by(
        &mut self,
        rows: &[R],
        write: impl FnOnce(&File, &[u8]) -> io::Result<()>,
    ) -> Result<(), StoreError> {
        let text = lines(&self.path, rows)?;
        if let Err(source) = write(&self.file, &text) {
            // On a full disk a part may have been written: truncate it, so that the file stays
            // readable, and no row is duplicated when it is written again.
            let _ = self.file.set_len(self.bytes);
            return Err(StoreError::io(&self.path, source));
        }
        self.bytes += text.len() as u64;
        Ok(())
    }

    /// Waits until all rows are on disk.
    pub(super) fn sync(&self) -> Result<(), StoreError> {
        self.file.sync_data().map_err(|source| StoreError::io(&self.path, source))
    }
}

/// Serialises a complete table; nothing without rows.
pub(super) fn table<R: Serialize>(path: &Path, rows: &[R]) -> Result<Vec<u8>, StoreError> {
    serialized(csv::Writer::from_writer(Vec::new()), path, rows)
}

/// The names of the fields, up to and including the line break.
fn header<R: Serialize + Default>(path: &Path) -> Result<Vec<u8>, StoreError> {
    let mut header = table(path, &[R::default()])?;
    let end = header.iter().position(|&byte| byte == b'\n').map_or(header.len(), |end| end + 1);
    header.truncate(end);
    Ok(header)
}

fn lines<R: Serialize>(path: &Path, rows: &[R]) -> Result<Vec<u8>, StoreError> {
    let mut writer = csv::WriterBuilder::new();
    serialized(writer.has_headers(false).from_writer(Vec::new()), path, rows)
}

fn serialized<R: Serialize>(
    mut writer: csv::Writer<Vec<u8>>,
    path: &Path,
    rows: &[R],
) -> Result<Vec<u8>, StoreError> {
    for row in rows {
        writer.serialize(row).map_err(|error| StoreError::csv(path, error))?;
    }
    writer.into_inner().map_err(|error| StoreError::format(path, error))
}

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
