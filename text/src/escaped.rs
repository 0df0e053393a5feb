//! A text with its escapes, shortened.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt::{self, Write};
use std::path::Path;

/// Maximum number of displayed characters of a name or a value.
const VALUE: usize = 120;
/// Paths may be long, and have to be copied as a whole.
const PATH: usize = 500;
/// Sentences may be, too.
pub const SENTENCE: usize = 1_000;

/// Maximum number of characters of a command, which users copy completely; shells handle longer
/// ones badly.
pub const COMMAND: usize = 20_000;

/// Untrusted text.
pub trait Untrusted {
    /// On one line, with hidden characters escaped, and shortened if it is long.
    fn escaped(&self) -> Escaped<'_>;

    /// As [`Untrusted::escaped`], in quotation marks.
    fn quoted(&self) -> Escaped<'_> {
        Escaped { is_quoted: true, ..self.escaped() }
    }
}

impl Untrusted for str {
    fn escaped(&self) -> Escaped<'_> {
        Escaped { text: self.into(), max: VALUE, is_quoted: false }
    }
}

impl Untrusted for OsStr {
    fn escaped(&self) -> Escaped<'_> {
        Escaped { text: self.to_string_lossy(), max: VALUE, is_quoted: false }
    }
}

impl Untrusted for Path {
    fn escaped(&self) -> Escaped<'_> {
        self.as_os_str().escaped().at_most(PATH)
    }
}

/// An untrusted text that can be printed.
#[derive(Clone, Debug)]
pub struct Escaped<'a> {
    text: Cow<'a, str>,
    /// Maximum number of its characters.
    max: usize,
    is_quoted: bool,
}

impl Escaped<'_> {
    /// Sets the maximum number of displayed characters.
    #[must_use]
    pub fn at_most(mut self, max: usize) -> Self {
        self.max = max;
        self
    }
}

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = if self.is_quoted { "\"" } else { "" };
        f.write_str(mark)?;
        // The number of bytes is available faster, and bounds the number of characters.
        let all = match self.text.len() {
            short if short <= self.max => short,
            _ => self.text.chars().count(),
        };
        if all <= self.max {
            write_all(f, self.text.chars())?;
            return f.write_str(mark);
        }
        // Most of it is the start, but the end counts, too: files have their names there.
        let first = self.max - self.max / 4;
        let last = self.max / 4;
        write_all(f, self.text.chars().take(first))?;
        f.write_char('…')?;
        write_all(f, self.text.chars().skip(all - last))?;
        write!(f, "{mark} ({all} characters)")
    }
}

fn write_all(f: &mut impl Write, mut text: impl Iterator<Item = char>) -> fmt::Result {
    text.try_for_each(|c| write_visibly(f, c))
}

/// True if a character has another effect than being displayed: controls, line and paragraph
/// separators, changes of the writing direction, and zero-width characters.
pub fn is_hidden(c: char) -> bool {
    c.is_control() || turns_around(c) || separates(c) || has_no_width(c)
}

fn turns_around(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn separates(c: char) -> bool {
    matches!(c, '\u{2028}' | '\u{2029}')
}

/// Joiners, fillers, tags, and marks for programs. Accents that belong to the letter before them,
/// as file systems write umlauts, are not among them.
fn has_no_width(c: char) -> bool {
    matches!(c,
        '\u{ad}'
        | '\u{34f}'
        | '\u{115f}'..='\u{1160}'
        | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200d}'
        | '\u{2060}'..='\u{2065}'
        | '\u{206a}'..='\u{206f}'
        | '\u{3164}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Writes a character, if it is hidden as Rust would write it.
pub(crate) fn write_visibly(f: &mut impl Write, c: char) -> fmt::Result {
    match c {
        '\n' => f.write_str("\\n"),
        '\r' => f.write_str("\\r"),
        '\t' => f.write_str("\\t"),
        c if is_hidden(c) => write!(f, "{}", c.escape_unicode()),
        c => f.write_char(c),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    #[test]
    fn hidden_characters_are_escaped() {
        assert_eq!("a\u{1b}]0;b\u{7}".escaped().to_string(), "a\\u{1b}]0;b\\u{7}");
        assert_eq!("a\r\nb\tc".quoted().to_string(), "\"a\\r\\nb\\tc\"");
        assert_eq!("\u{202e}cba\u{2028}".escaped().to_string(), "\\u{202e}cba\\u{2028}");
        assert_eq!("50 µs × \"ä\\n\"".escaped().to_string(), "50 µs × \"ä\\n\"");
    }

    #[test]
    fn escaping_is_idempotent() {
        for text in ["a\u{1b}\n\u{202e}b", &"ä\n".repeat(1_000)] {
            let once = text.escaped().to_string();
            assert_eq!(once.escaped().at_most(SENTENCE).to_string(), once);
        }
    }

    #[test]
    fn long_texts_keep_their_ends() {
        let text = format!("{}z", "ä".repeat(119));
        assert_eq!(text.escaped().to_string(), text);
        let text = format!("{}z", "ä".repeat(120_000));
        let expected = format!("\"{}…{}z\" (120001 characters)", "ä".repeat(90), "ä".repeat(29));
        assert_eq!(text.quoted().to_string(), expected);
        assert_eq!("abcdef".escaped().at_most(4).to_string(), "abc…f (6 characters)");
    }

    #[test]
    fn paths_need_not_be_text() {
        let path = Path::new(OsStr::from_bytes(b"runs/\xff\x1b[2J"));
        assert_eq!(path.escaped().to_string(), "runs/\u{fffd}\\u{1b}[2J");
        let long = format!("{}/run.json", "a".repeat(4_000));
        let shown = Path::new(&long).quoted().to_string();
        assert!(shown.contains("a…a") && shown.ends_with("a/run.json\" (4009 characters)"));
    }

    #[test]
    fn ordinary_characters_are_not_hidden() {
        let written = "azAZ09 µ×äÄß±·…–日本語 \u{a0}\u{301}🙂\u{fffd}\\\"'";
        assert!(!written.chars().any(is_hidden));
    }

    #[test]
    fn control_characters_are_hidden() {
        let hidden = "\0\u{7}\t\n\r\u{1b}\u{7f}\u{85}\u{9b}\u{ad}\u{200b}\u{200d}\u{200e}\u{202e}\
                      \u{2028}\u{2029}\u{2066}\u{feff}\u{e0041}";
        assert!(hidden.chars().all(is_hidden));
    }
}
