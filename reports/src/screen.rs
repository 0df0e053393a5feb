//! Output device of tables for people: its size, and colours if they are wanted.

use anstyle::{AnsiColor, Style};

/// Output device of tables for people.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Screen {
    /// Use of colours.
    pub paint: Paint,
    /// The size of a terminal; files and pipes have none and no limits.
    pub size: Option<Size>,
}

impl Screen {
    /// The screen without colours.
    #[must_use]
    pub fn plain(self) -> Self {
        Screen { paint: Paint::Plain, ..self }
    }
}

/// The size of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Characters per line.
    pub columns: usize,
    /// Lines.
    pub rows: usize,
}

impl From<Paint> for Screen {
    fn from(paint: Paint) -> Self {
        Screen { paint, size: None }
    }
}

/// Use of colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Paint {
    /// No colours: for files, pipes and with `NO_COLOR`.
    #[default]
    Plain,
    /// Colours by escape sequences of terminals.
    Colored,
}

/// Good results: winners, FASTER.
const GOOD: Style = AnsiColor::Green.on_default().bold();
/// Bad results: wrong outputs, SLOWER.
const BAD: Style = AnsiColor::Red.on_default();
/// Open results: INCONCLUSIVE.
const OPEN: Style = AnsiColor::Yellow.on_default();
/// Headings of tables.
const HEADING: Style = Style::new().bold();

/// Verdicts in tables, with their colours.
const VERDICTS: [(&str, Style); 3] = [("SLOWER", BAD), ("FASTER", GOOD), ("INCONCLUSIVE", OPEN)];

impl Paint {
    /// Text of a winner.
    pub fn good(self, text: &str) -> String {
        self.with(GOOD, text)
    }

    /// Text of an error.
    pub fn bad(self, text: &str) -> String {
        self.with(BAD, text)
    }

    /// Heading of a table.
    pub fn heading(self, text: &str) -> String {
        self.with(HEADING, text)
    }

    /// Colours verdicts that are separate words of a text.
    pub fn verdicts(self, text: &str) -> String {
        let pieces = text.split_inclusive(|c: char| !c.is_ascii_alphabetic());
        let piece = |piece: &str| {
            let word = piece.trim_end_matches(|c: char| !c.is_ascii_alphabetic());
            let verdict = VERDICTS.iter().find(|(verdict, _)| *verdict == word);
            match verdict {
                Some((_, style)) => self.with(*style, word) + &piece[word.len()..],
                None => piece.to_owned(),
            }
        };
        pieces.map(piece).collect()
    }

    fn with(self, style: Style, text: &str) -> String {
        match self {
            Paint::Plain => text.to_owned(),
            Paint::Colored => format!("{style}{text}{style:#}"),
        }
    }
}

/// Removes colours from a text.
#[cfg(test)]
pub(crate) fn without_colors(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_owned();
    let rest = parts.map(|part| part.split_once('m').map_or(part, |(_, rest)| rest));
    first + &rest.collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_coloured_as_whole_words() {
        let text = "sort  SLOWER\n  a, INCONCLUSIVE; SLOWERS are not FASTER";
        let painted = Paint::Colored.verdicts(text);
        assert_eq!(without_colors(&painted), text);
        assert_eq!(painted.matches("\u{1b}[31m").count(), 1, "{painted:?}");
        assert!(painted.contains("\u{1b}[33mINCONCLUSIVE\u{1b}[0m;"));
        assert_eq!(Paint::Plain.verdicts(text), text);
    }
}
