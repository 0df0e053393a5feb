//! Files by their ending, compressed or not, and names of files that belong together. Names are
//! bytes, and need not be UTF-8.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use files::{AtomicFile, Links};
use flate2::Compression;
use flate2::write::GzEncoder;
use memmap2::Mmap;

use super::compressed::decompressed;
use super::content_limit::Limited;
use super::standard_input::{self, FileName, Opened, is_standard_input};
use crate::DataError;

const BUFFER_BYTES: usize = 1 << 20;

/// File format, compression aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Text.
    Csv,
    /// Little-endian numbers.
    Bin,
    /// Columns of Apache Parquet.
    Parquet,
}

/// A file being written.
pub enum Sink {
    /// As it is.
    Plain(BufWriter<AtomicFile>),
    /// Compressed.
    Gzip(Box<GzEncoder<BufWriter<AtomicFile>>>),
}

/// A file's name in lower case, without the ending of compressed files.
pub fn without_gz(path: &Path) -> String {
    let name = path.to_string_lossy().to_lowercase();
    name.strip_suffix(".gz").map(str::to_owned).unwrap_or(name)
}

/// The format of a file by its ending.
///
/// # Errors
/// If the ending is of none of them.
pub fn format_of(path: &Path) -> Result<Format, DataError> {
    let name = without_gz(path);
    if name.ends_with(".csv") {
        Ok(Format::Csv)
    } else if name.ends_with(".bin") {
        Ok(Format::Bin)
    } else if name.ends_with(".parquet") {
        Ok(Format::Parquet)
    } else {
        Err(DataError::UnknownFileType(path.to_owned()))
    }
}

/// Checks that binary data can be written to a file of this name: its ending is not of a text
/// format.
pub fn check_binary(path: &Path, what: &str) -> Result<(), DataError> {
    let problem = match format_of(path) {
        Ok(Format::Bin) => return Ok(()),
        Ok(Format::Csv) => format!("{what} can't be written as text"),
        Ok(Format::Parquet) => format!("{what} can't be written as Parquet"),
        Err(_) => "unknown file type".to_owned(),
    };
    Err(DataError::shape(format!("{}: {problem}; use .bin or .bin.gz", FileName(path))))
}

/// Maps a regular file into memory, compressed or not; `None` for pipes and empty files.
pub fn mapped(path: &Path) -> Result<Option<Mmap>, DataError> {
    if is_standard_input(path) {
        return Ok(None);
    }
    let map = || {
        // A pipe that is opened and closed again has lost its writer.
        let metadata = fs::metadata(path)?;
        if !metadata.is_file() || metadata.len() == 0 {
            return Ok(None);
        }
        let file = File::open(path)?;
        // SAFETY: nothing here writes to the map. Like everywhere, a program that changes the file
        // in the meantime changes what is read, and one that cuts it off ends this process.
        unsafe { Mmap::map(&file) }.map(Some)
    };
    map().map_err(|source| DataError::io(path, source))
}

/// Opens a file that is read as a whole, or standard input; its first bytes show whether it is
/// compressed.
pub fn open(path: &Path) -> Result<Opened, DataError> {
    Ok(Box::new(Limited::new(open_pieces(path)?)))
}

/// Opens a file of which parts are kept: the caller checks how much that is.
pub fn open_pieces(path: &Path) -> Result<Opened, DataError> {
    let opened = if is_standard_input(path) {
        standard_input::open(|| buffered(io::stdin()))
    } else {
        File::open(path).and_then(buffered)
    };
    opened.map_err(|source| DataError::io(path, source))
}

fn buffered(source: impl Read + Send + 'static) -> io::Result<Opened> {
    decompressed(BufReader::with_capacity(BUFFER_BYTES, source))
}

/// The first bytes of a file, at most `N`. Of standard input they are read again later.
pub fn sniff<const N: usize>(path: &Path) -> Result<Vec<u8>, DataError> {
    if is_standard_input(path) {
        let first = standard_input::sniff(|| buffered(io::stdin()), N);
        return first.map_err(|source| DataError::io(path, source));
    }
    open_sniffed::<N>(path).map(|(first, _)| first)
}

/// Opens a file of which parts are kept, and returns its first bytes, at most `N`, and a reader of
/// all of them.
pub fn open_sniffed<const N: usize>(path: &Path) -> Result<(Vec<u8>, Opened), DataError> {
    let mut rest = open_pieces(path)?;
    let mut first = Vec::new();
    let read = rest.by_ref().take(N as u64).read_to_end(&mut first);
    read.map_err(|source| DataError::io(path, source))?;
    Ok((first.clone(), Box::new(io::Cursor::new(first).chain(rest))))
}

/// Creates a file, compressed if its name ends with `.gz`.
pub fn create(path: &Path) -> Result<Sink, DataError> {
    let file = AtomicFile::new(path, Links::Followed);
    let file = file.map_err(|source| DataError::io(path, source))?;
    let writer = BufWriter::with_capacity(BUFFER_BYTES, file);
    let compress = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz"));
    Ok(if compress {
        Sink::Gzip(Box::new(GzEncoder::new(writer, Compression::default())))
    } else {
        Sink::Plain(writer)
    })
}

/// Writes a file; if that fails, everything stays as it was.
pub fn write_file(
    path: &Path,
    write: impl FnOnce(&mut Sink) -> io::Result<()>,
) -> Result<(), DataError> {
    let mut sink = create(path)?;
    write(&mut sink).and_then(|()| finish(sink)).map_err(|source| DataError::io(path, source))
}

/// Writes the bytes of numbers, one after the other.
pub fn write_numbers<const N: usize>(
    sink: &mut impl Write,
    numbers: impl IntoIterator<Item = [u8; N]>,
) -> io::Result<()> {
    numbers.into_iter().try_for_each(|number| sink.write_all(&number))
}

/// Flushes the sink and moves the file into place; a sink that is dropped instead leaves everything
/// as it was.
pub fn finish(sink: Sink) -> io::Result<()> {
    let writer = match sink {
        Sink::Plain(writer) => writer,
        Sink::Gzip(encoder) => encoder.finish()?,
    };
    writer.into_inner()?.finish()
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Sink::Plain(writer) => writer.write(bytes),
            Sink::Gzip(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Sink::Plain(writer) => writer.flush(),
            Sink::Gzip(encoder) => encoder.flush(),
        }
    }
}

/// Bytes of a file's name without its folder.
pub fn name_bytes(path: &Path) -> &[u8] {
    path.file_name().unwrap_or_default().as_bytes()
}

/// The name of a file without folder and endings: `digis` of `a/digis.bin.gz`.
pub fn stem(path: &Path) -> &[u8] {
    let name = name_without_gz(path);
    name.iter().rposition(|&byte| byte == b'.').map_or(name, |dot| &name[..dot])
}

/// The name of a file without folder and `.gz`.
pub fn name_without_gz(path: &Path) -> &[u8] {
    let name = name_bytes(path);
    name.strip_suffix(b".gz").unwrap_or(name)
}

/// Path of a file next to another one, by the parts of its name.
pub fn next_to(path: &Path, name: &[&[u8]]) -> PathBuf {
    path.with_file_name(OsString::from_vec(name.concat()))
}

/// Path of a file next to another one, whose name it has with another ending.
pub fn sibling_path(path: &Path, ending: &str) -> PathBuf {
    next_to(path, &[stem(path), b".", ending.as_bytes()])
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::*;

    #[test]
    fn names_lose_their_endings() {
        let name = |digis: &str| sibling_path(Path::new(digis), "setup.json");
        assert_eq!(name("a/digis.csv"), Path::new("a/digis.setup.json"));
        assert_eq!(name("digis.bin.gz"), Path::new("digis.setup.json"));
        assert_eq!(name("run.7.csv.gz"), Path::new("run.7.setup.json"));
    }

    #[test]
    fn names_keep_bytes_that_are_not_utf8() {
        let path = |bytes: &'static [u8]| Path::new(OsStr::from_bytes(bytes));
        for (name, sibling) in [
            (path(b"d\xff/a\xff.csv"), path(b"d\xff/a\xff.setup.json")),
            (path(b"a\xfe_%n.tsa.gz"), path(b"a\xfe_%n.setup.json")),
        ] {
            assert_eq!(sibling_path(name, "setup.json"), sibling);
        }
    }
}
