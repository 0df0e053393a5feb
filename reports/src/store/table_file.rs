//! A CSV file that grows row by row.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::marker::PhantomData;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use files::{Draft, Links};
use serde::Serialize;

use super::{StoreError, regular};

/// Rows of one kind in a file.
pub(super) struct TableFile<R> {
    path: PathBuf,
    file: File,
    /// The length of all complete rows.
    bytes: u64,
    rows: PhantomData<fn(R)>,
}

/// What a file holds where something was to be written when the power was cut.
const UNWRITTEN: u8 = 0;

/// Whether a file is what somebody who was killed while making a run left: a header without rows,
/// or the beginning of one, that nobody is writing to.
fn is_left_over(path: &Path, columns: &str) -> bool {
    let header = format!("{columns}\n").into_bytes();
    let is_header = |text: &Vec<u8>| {
        let written = text.iter().rposition(|&byte| byte != UNWRITTEN).map_or(0, |last| last + 1);
        header.starts_with(&text[..written])
    };
    let is_free = || File::open(path).is_ok_and(|file| file.try_lock().is_ok());
    beginning(path, header.len() + 1).as_ref().is_ok_and(is_header) && is_free()
}

/// So many bytes of a file, or as many as it has.
fn beginning(path: &Path, bytes: usize) -> Result<Vec<u8>, StoreError> {
    let mut text = Vec::new();
    let read = regular::open(path)?.take(bytes as u64).read_to_end(&mut text);
    read.map_err(|source| StoreError::io(path, source))?;
    Ok(text)
}

/// The length of all rows of a file that end with a line break, up to what was never written. A
/// line break within quotes ends no row.
fn bytes_of_lines(path: &Path) -> io::Result<u64> {
    let mut file = BufReader::with_capacity(1 << 20, File::open(path)?);
    let (mut read, mut bytes, mut is_quoted) = (0, 0, false);
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

impl<R: Serialize> TableFile<R> {
    /// Creates the file with its header, which is on the disk then: it can be read before the
    /// first row. A file that exists is left alone: it is somebody's.
    pub(super) fn create(path: &Path, columns: &str) -> Result<Self, StoreError> {
        let io_error = |source| StoreError::io(path, source);
        if is_left_over(path, columns) {
            fs::remove_file(path).map_err(io_error)?;
        }
        // Always at the end: others may cut what they think is half a row.
        let mut options = OpenOptions::new();
        let mut file = options.append(true).create_new(true).open(path).map_err(io_error)?;
        writeln!(file, "{columns}").and_then(|()| file.sync_all()).map_err(io_error)?;
        Ok(TableFile {
            path: path.to_owned(),
            file,
            bytes: columns.len() as u64 + 1,
            rows: PhantomData,
        })
    }

    /// Opens a file to which rows are to be added. Call [`mend`](Self::mend)
    /// before adding any.
    pub(super) fn reopen(path: &Path) -> Result<Self, StoreError> {
        regular::check(path)?;
        let file = OpenOptions::new().append(true).open(path);
        let file = file.map_err(|source| StoreError::io(path, source))?;
        Ok(TableFile { path: path.to_owned(), file, bytes: 0, rows: PhantomData })
    }

    /// Drops what was not written completely. Only whoever holds the lock of
    /// the run may do so: what is half written may be on its way.
    pub(super) fn mend(mut self) -> Result<Self, StoreError> {
        let io_error = |source| StoreError::io(&self.path, source);
        self.bytes = bytes_of_lines(&self.path).map_err(io_error)?;
        if self.bytes < self.file.metadata().map_err(io_error)?.len() {
            self.file.set_len(self.bytes).map_err(io_error)?;
        }
        Ok(self)
    }

    /// Whether its header is this one.
    pub(super) fn has(&self, columns: &str) -> Result<bool, StoreError> {
        let header = format!("{columns}\n").into_bytes();
        Ok(beginning(&self.path, header.len())? == header)
    }

    /// Keeps others from adding rows, as long as the file is open here.
    pub(super) fn lock(&self) -> Result<(), StoreError> {
        self.file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => StoreError::Busy(self.path.clone()),
            TryLockError::Error(source) => StoreError::io(&self.path, source),
        })?;
        self.refuse_replaced()
    }

    /// Whoever held the lock before may have put another file in the place of
    /// this one.
    fn refuse_replaced(&self) -> Result<(), StoreError> {
        let io_error = |source| StoreError::io(&self.path, source);
        let here = self.file.metadata().map_err(io_error)?;
        let there = fs::metadata(&self.path).map_err(io_error)?;
        if (here.dev(), here.ino()) == (there.dev(), there.ino()) {
            return Ok(());
        }
        Err(StoreError::Busy(self.path.clone()))
    }

    /// A new file with these rows, which takes the place of this one as a
    /// whole, and its lock.
    pub(super) fn replaced(self, columns: &str, rows: &[R]) -> Result<Self, StoreError> {
        let text = table(&self.path, columns, rows)?;
        let replace = || {
            let mut draft = Draft::new(&self.path, Links::Replaced)?;
            draft.write_all(&text)?;
            draft.finish_open()
        };
        let file = replace().map_err(|source| StoreError::io(&self.path, source))?;
        Ok(TableFile { path: self.path, file, bytes: text.len() as u64, rows: PhantomData })
    }

    /// Appends rows in a single write, so that nobody sees half of one.
    pub(super) fn append(&mut self, rows: &[R]) -> Result<(), StoreError> {
        self.append_by(rows, |mut file, text| file.write_all(text))
    }

    /// The same, and waits until all rows are on the disk.
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
            // On a full disk a part may have been written: take it back, so that what is there
            // can be read, and no row is there twice if it is written again.
            let _ = self.file.set_len(self.bytes);
            return Err(StoreError::io(&self.path, source));
        }
        self.bytes += text.len() as u64;
        Ok(())
    }

    /// Waits until all rows are on the disk.
    pub(super) fn sync(&self) -> Result<(), StoreError> {
        self.file.sync_data().map_err(|source| StoreError::io(&self.path, source))
    }
}

/// A table as a whole.
pub(super) fn table<R: Serialize>(
    path: &Path,
    columns: &str,
    rows: &[R],
) -> Result<Vec<u8>, StoreError> {
    let header = format!("{columns}\n").into_bytes();
    Ok([header, lines(path, rows)?].concat())
}

fn lines<R: Serialize>(path: &Path, rows: &[R]) -> Result<Vec<u8>, StoreError> {
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    for row in rows {
        writer.serialize(row).map_err(|error| StoreError::csv(path, error))?;
    }
    writer.into_inner().map_err(|error| StoreError::format(path, error))
}
