//! Colours of words for terminals, where somebody wants them.

use anstyle::{AnsiColor, Style};

/// Whether words are coloured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Paint {
    /// As they are: for files, pipes and whoever set `NO_COLOR`.
    #[default]
    Plain,
    /// With the sequences that terminals take for colours.
    Colored,
}

/// What is good: winners, FASTER.
const GOOD: Style = AnsiColor::Green.on_default().bold();
/// What is bad: wrong results, SLOWER.
const BAD: Style = AnsiColor::Red.on_default();
/// What is open: INCONCLUSIVE.
const OPEN: Style = AnsiColor::Yellow.on_default();
/// What stands over a table.
const HEADING: Style = Style::new().bold();

/// Verdicts as tables have them, with their colours.
const VERDICTS: [(&str, Style); 3] = [("SLOWER", BAD), ("FASTER", GOOD), ("INCONCLUSIVE", OPEN)];

impl Paint {
    /// A winner.
    pub fn good(self, text: &str) -> String {
        self.with(GOOD, text)
    }

    /// Something wrong.
    pub fn bad(self, text: &str) -> String {
        self.with(BAD, text)
    }

    /// What stands over a table.
    pub fn heading(self, text: &str) -> String {
        self.with(HEADING, text)
    }

    /// A text in which verdicts are coloured where they stand as words of their own.
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

/// A text without its colours.
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
