//! Texts as a whole, of which none is endless.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// The bytes of the largest file that people write: suites, defaults of flags, accepted changes.
pub const LARGEST_DOCUMENT: u64 = 1 << 20;

/// The bytes of the largest file that programs write and others read as a whole: records,
/// comparisons, setups.
pub const LARGEST_RECORD: u64 = 64 << 20;

/// Reads a file. One that is too large is refused before it is read.
///
/// # Errors
/// If it can't be read, is not valid text or has more than `largest` bytes.
pub fn read_text(path: &Path, largest: u64) -> io::Result<String> {
    let file = File::open(path)?;
    if file.metadata()?.len() > largest {
        return Err(too_large(largest));
    }
    text_of(file, largest)
}

/// Reads all of a pipe or of compressed data, whose size is not known in advance.
///
/// # Errors
/// If it can't be read, is not valid text or has more than `largest` bytes.
pub fn text_of(source: impl Read, largest: u64) -> io::Result<String> {
    let mut bytes = Vec::new();
    source.take(largest + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > largest {
        return Err(too_large(largest));
    }
    String::from_utf8(bytes).map_err(|error| io::Error::new(ErrorKind::InvalidData, error))
}

fn too_large(largest: u64) -> io::Error {
    let problem = format!("it is larger than the {largest} bytes that such a file may have");
    io::Error::new(ErrorKind::FileTooLarge, problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_texts_are_refused_and_others_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("text");
        std::fs::write(&path, "text").expect("written");
        assert_eq!(read_text(&path, 4).expect("small"), "text");
        let refusal = read_text(&path, 3).expect_err("large").to_string();
        assert_eq!(refusal, "it is larger than the 3 bytes that such a file may have");
        let refusal = text_of(io::repeat(b'1'), LARGEST_DOCUMENT).expect_err("endless");
        assert_eq!(refusal.kind(), ErrorKind::FileTooLarge);
        let refusal = read_text(Path::new("/dev/zero"), LARGEST_DOCUMENT).expect_err("endless");
        assert_eq!(refusal.kind(), ErrorKind::FileTooLarge);
        let refusal = text_of(&b"\xff"[..], 4).expect_err("no text");
        assert_eq!(refusal.kind(), ErrorKind::InvalidData);
    }
}
