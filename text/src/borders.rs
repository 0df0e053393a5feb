//! Whole texts before output: hidden characters are escaped, whatever their origin.

use std::fmt::Write;

use crate::escaped::{Untrusted, is_hidden, write_visibly};

/// No line of a message has more characters.
const LINE: usize = 4_000;

/// A message of several lines: nothing but its line breaks does anything, and no line fills the
/// screen.
pub fn lines(text: &str) -> String {
    let escaped = text.split('\n').map(|line| line.escaped().at_most(LINE).to_string());
    escaped.collect::<Vec<_>>().join("\n")
}

/// Escapes hidden characters of lines, but keeps colours.
pub fn colored_lines(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for (i, piece) in text.split('\u{1b}').enumerate() {
        match colour_end(piece).filter(|_| i > 0) {
            Some(end) => {
                escaped.push('\u{1b}');
                escaped.push_str(&piece[..end]);
                escaped.push_str(&lines(&piece[end..]));
            }
            None if i > 0 => escaped.push_str(&lines(&format!("\u{1b}{piece}"))),
            None => escaped.push_str(&lines(piece)),
        }
    }
    escaped
}

/// End of a colour that starts with these characters after the escape: `[1;31m`.
fn colour_end(piece: &str) -> Option<usize> {
    let numbers = piece.strip_prefix('[')?;
    let end = numbers.find(|c: char| !c.is_ascii_digit() && c != ';')?;
    numbers[end..].starts_with('m').then_some(end + 2)
}

/// A page, a picture or a file for people: hidden characters are escaped, except for line breaks.
pub fn page(text: String) -> String {
    replaced(text, |escaped, c| match c {
        '\n' => escaped.push(c),
        // Writing to a `String` can't fail.
        c => drop(write_visibly(escaped, c)),
    })
}

/// Escapes hidden characters in JSON without changing its meaning. Except for line breaks, tabs and
/// spaces, such characters occur in its strings only.
pub fn json(text: String) -> String {
    replaced(text, |escaped, c| match c {
        '\n' | '\t' | '\r' => escaped.push(c),
        c => {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        }
    })
}

fn replaced(text: String, escape: impl Fn(&mut String, char)) -> String {
    if !text.chars().any(is_hidden) {
        return text;
    }
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) { escape(&mut escaped, c) } else { escaped.push(c) }
    }
    escaped
}

/// A count of a thing, in the singular or the plural: `1 page`, `2 pages`.
pub fn counted(count: u64, thing: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {thing}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_keeps_its_lines_and_nothing_else() {
        assert_eq!(lines("a\r\nb\u{1b}[2J\n"), "a\\r\nb\\u{1b}[2J\n");
        assert!(lines(&"a".repeat(120_000)).ends_with("a (120000 characters)"));
    }

    #[test]
    fn colours_stay() {
        let painted = "\u{1b}[1;32mgood\u{1b}[0m\n";
        assert_eq!(colored_lines(painted), painted);
        assert_eq!(colored_lines("\u{1b}[2Ja\u{1b}]0;b"), "\\u{1b}[2Ja\\u{1b}]0;b");
        assert_eq!(colored_lines("a\u{1b}"), "a\\u{1b}");
        assert_eq!(colored_lines("\r\u{1b}[31"), "\\r\\u{1b}[31");
    }

    #[test]
    fn pages_keep_their_shape() {
        let plain = "<p>\n  50 µs</p>";
        assert_eq!(page(plain.to_owned()), plain);
        assert_eq!(page("<b>\u{202e}\r</b>".to_owned()), "<b>\\u{202e}\\r</b>");
    }

    #[test]
    fn json_keeps_its_meaning() {
        let text = "{\n\t\"a\u{7f}\": \"\u{202e}\u{e0041}ä\"\n}";
        assert_eq!(json(text.to_owned()), "{\n\t\"a\\u007f\": \"\\u202e\\udb40\\udc41ä\"\n}");
    }

    #[test]
    fn one_thing_is_singular() {
        assert_eq!([0, 1, 2].map(|count| counted(count, "page")), ["0 pages", "1 page", "2 pages"]);
    }
}
