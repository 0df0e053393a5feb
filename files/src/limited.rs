//! Texts by lines, of which none is endless.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use memchr::memchr3_iter;

/// Maximum number of characters of a line of a table. Tables written by recobench are far below.
pub const LONGEST_LINE: usize = 1 << 20;

/// Passes a text through, up to the first line that is too long: a parser that collects lines would
/// need memory for all of it, and a few compressed kilobytes may expand to a line of gigabytes.
pub struct Lines<R> {
    source: R,
    longest: usize,
    form: Form,
    /// Line breaks so far, within quotes too.
    breaks: u64,
    /// Number of the current line, from 1.
    line: u64,
    /// Its characters so far.
    length: usize,
    is_quoted: bool,
}

/// Form of a text.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// Rows that end with a line break; one within quotes does not end a row.
    Table,
    /// Lines that end with a line break; quotes mean nothing.
    Records,
    /// Lines; the last one may have no line break.
    Stream,
}

/// Why a text is not read on.
#[derive(Debug, thiserror::Error)]
enum LineError {
    #[error("line {line} is longer than {longest} characters")]
    TooLong { line: u64, longest: usize },
    #[error(
        "line {0}: the file ends within this line; end it with a line break if it is not cut off"
    )]
    CutOff(u64),
    #[error("line {0} has a byte 0, which was never written: did the machine lose its power?")]
    Unwritten(u64),
}

impl<R: Read> Lines<R> {
    /// A table: lines have [`LONGEST_LINE`] characters at most, and the last one ends with a line
    /// break. If a file was cut off within its last number, `12` may have become `1`: nothing else
    /// would show it.
    pub fn for_table(source: R) -> Self {
        Lines::new(source, LONGEST_LINE, Form::Table)
    }

    /// Records, each on a line: as a table, but a quote is a character like others.
    pub fn for_records(source: R) -> Self {
        Lines::new(source, LONGEST_LINE, Form::Records)
    }

    /// Output of another process.
    pub fn for_stream(source: R, longest: usize) -> Self {
        Lines::new(source, longest, Form::Stream)
    }

    fn new(source: R, longest: usize, form: Form) -> Self {
        Lines { source, longest, form, breaks: 0, line: 1, length: 0, is_quoted: false }
    }

    fn follow(&mut self, text: &[u8]) -> Result<(), LineError> {
        let (quote, unwritten) = match self.form {
            Form::Table => (b'"', 0),
            _ => (b'\n', b'\n'),
        };
        let mut begin = 0;
        for at in memchr3_iter(b'\n', quote, unwritten, text) {
            if text[at] == 0 {
                return Err(LineError::Unwritten(self.breaks + 1));
            }
            if text[at] != b'\n' {
                self.is_quoted = !self.is_quoted;
                continue;
            }
            self.breaks += 1;
            if !self.is_quoted {
                self.lengthen(at - begin)?;
                (self.line, self.length, begin) = (self.breaks + 1, 0, at + 1);
            }
        }
        self.lengthen(text.len() - begin)
    }

    fn lengthen(&mut self, characters: usize) -> Result<(), LineError> {
        self.length += characters;
        let line = self.line;
        let longest = self.longest;
        if self.length <= longest { Ok(()) } else { Err(LineError::TooLong { line, longest }) }
    }

    fn end(&self) -> Result<(), LineError> {
        let is_whole = self.form == Form::Stream || self.length == 0;
        if is_whole { Ok(()) } else { Err(LineError::CutOff(self.line)) }
    }
}

impl<R: Read> Read for Lines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(buffer)?;
        let followed = match count {
            0 if buffer.is_empty() => Ok(()),
            0 => self.end(),
            count => self.follow(&buffer[..count]),
        };
        followed.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        Ok(count)
    }
}

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
    use std::io::{BufReader, Cursor};

    use super::*;

    /// Reads it in pieces of `step` bytes; returns the text or the error.
    fn read(
        text: &str,
        step: usize,
        lines: impl Fn(Cursor<Vec<u8>>) -> Lines<Cursor<Vec<u8>>>,
    ) -> String {
        let mut lines = BufReader::with_capacity(step, lines(Cursor::new(text.into())));
        let mut read = String::new();
        lines.read_to_string(&mut read).map_or_else(|error| error.to_string(), |_| read)
    }

    #[test]
    fn texts_pass_unchanged() {
        for text in ["", "\n", "a,b\n1,2\n", "a\n\"1\n2\"\n", "a\r\nb\r\n"] {
            for step in 1..8 {
                assert_eq!(read(text, step, Lines::for_table), text);
                assert_eq!(read(text, step, Lines::for_records), text);
                assert_eq!(read(text, step, |text| Lines::for_stream(text, 4)), text);
            }
        }
    }

    #[test]
    fn a_table_that_ends_within_a_line_is_refused() {
        let refusal =
            "line 2: the file ends within this line; end it with a line break if it is not cut off";
        for text in ["a,b\n1,2", "a\n\"1\n", "a\n\"1\n2\""] {
            assert_eq!(read(text, 3, Lines::for_table), refusal, "{text:?}");
        }
        assert_eq!(read("a \"\nb", 3, Lines::for_records), refusal);
        let unwritten =
            "line 2 has a byte 0, which was never written: did the machine lose its power?";
        assert_eq!(read("a\n\"1\0\n\"\n", 3, Lines::for_table), unwritten);
        assert_eq!(read("a \"\nb\n", 3, Lines::for_records), "a \"\nb\n");
        assert_eq!(read("a\nb", 3, |text| Lines::for_stream(text, 4)), "a\nb");
    }

    #[test]
    fn a_long_line_is_refused_with_its_number() {
        for step in 1..8 {
            let read = |text| read(text, step, |text| Lines::for_stream(text, 4));
            assert_eq!(read("1234\n5678\n"), "1234\n5678\n");
            assert_eq!(read("1234\n56789\n"), "line 2 is longer than 4 characters");
            assert_eq!(read("12345"), "line 1 is longer than 4 characters");
        }
    }

    #[test]
    fn an_endless_line_ends_soon() {
        for byte in [b'1', b'"'] {
            let mut lines = Lines::for_table(io::repeat(byte));
            let read = io::copy(&mut lines, &mut io::sink()).expect_err("endless").to_string();
            assert_eq!(read, "line 1 is longer than 1048576 characters");
        }
        // Line breaks after a quote that is never closed.
        let endless = b"\"".chain(io::repeat(b'\n'));
        assert!(io::copy(&mut Lines::for_table(endless), &mut io::sink()).is_err());
    }

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
