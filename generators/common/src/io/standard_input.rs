//! Standard input as a file: it is read once, and its beginning can be looked at before.

use std::fmt;
use std::io::{self, BufRead, Cursor, Read};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use text::Untrusted;

/// The path that stands for standard input.
const PATH: &str = "-";

/// True for the path that stands for standard input.
pub fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == PATH
}

/// The name of a file in messages.
#[derive(Clone, Copy, Debug)]
pub struct FileName<'a>(pub &'a Path);

impl fmt::Display for FileName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if is_standard_input(self.0) {
            return f.write_str("standard input");
        }
        self.0.escaped().fmt(f)
    }
}

/// Reader of a file that can't be opened twice.
pub type Opened = Box<dyn BufRead + Send>;

/// Standard input of this process.
static STANDARD_INPUT: ReadOnce = ReadOnce(Mutex::new(State::Unopened));

/// Opens standard input, decompressed by `open`.
pub fn open(open: impl FnOnce() -> io::Result<Opened>) -> io::Result<Opened> {
    STANDARD_INPUT.take(open)
}

/// The first bytes of standard input, at most `count`, which [`open`] gives again.
pub fn sniff(open: impl FnOnce() -> io::Result<Opened>, count: usize) -> io::Result<Vec<u8>> {
    STANDARD_INPUT.sniff(open, count)
}

/// An input that can be read once.
struct ReadOnce(Mutex<State>);

enum State {
    Unopened,
    /// Some of it was read, and is in the reader again.
    Sniffed(Opened),
    Taken,
}

impl ReadOnce {
    fn take(&self, open: impl FnOnce() -> io::Result<Opened>) -> io::Result<Opened> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match std::mem::replace(&mut *state, State::Taken) {
            State::Unopened => open(),
            State::Sniffed(all) => Ok(all),
            State::Taken => Err(taken()),
        }
    }

    fn sniff(
        &self,
        open: impl FnOnce() -> io::Result<Opened>,
        count: usize,
    ) -> io::Result<Vec<u8>> {
        let mut rest = self.take(open)?;
        let mut first = Vec::new();
        rest.by_ref().take(count as u64).read_to_end(&mut first)?;
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *state = State::Sniffed(Box::new(Cursor::new(first.clone()).chain(rest)));
        Ok(first)
    }
}

fn taken() -> io::Error {
    io::Error::other("it was read before, and can be read once only; write it to a file")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_is_looked_at_and_read_once() {
        let input = ReadOnce(Mutex::new(State::Unopened));
        let open = || -> io::Result<Opened> { Ok(Box::new(&b"digis"[..])) };
        assert_eq!(input.sniff(open, 2).expect("first"), b"di");
        assert_eq!(input.sniff(open, 9).expect("again"), b"digis");
        let mut all = String::new();
        input.take(open).expect("open").read_to_string(&mut all).expect("read");
        assert_eq!(all, "digis");
        let error = input.take(open).err().expect("twice").to_string();
        assert!(error.contains("read before"), "{error}");
        assert!(input.sniff(open, 2).is_err());
    }

    #[test]
    fn standard_input_has_a_name() {
        assert_eq!(FileName(Path::new("-")).to_string(), "standard input");
        assert_eq!(FileName(Path::new("./-")).to_string(), "./-");
    }
}
