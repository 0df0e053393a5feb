//! Characters that are invisible or misleading.

use std::fmt::{self, Write};

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
    use super::*;

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
