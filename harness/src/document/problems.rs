//! Problems of a document: all at once, with lines.

use std::cell::RefCell;
use std::fmt;

use text::{SENTENCE, Untrusted};

/// A document that makes no sense.
#[derive(Debug, thiserror::Error)]
#[error("{}", listing(path, problems))]
pub struct InvalidDocument {
    /// File name, for messages.
    pub path: String,
    /// All problems, by line.
    pub problems: Vec<Problem>,
}

/// A problem and its line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// Problem and its fix.
    pub text: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.text)
    }
}

/// One a line, in the form that editors jump to.
fn listing(path: &str, problems: &[Problem]) -> String {
    let count = problems.len();
    let plural = if problems.len() == 1 { "" } else { "s" };
    let mut text = format!("{count} problem{plural} in {path}");
    for problem in problems {
        text.push_str(&format!("\n{path}:{problem}"));
    }
    text
}

/// Collects problems by their byte offsets. All readers of a document share it.
#[derive(Debug, Default)]
pub(super) struct Problems(RefCell<Vec<(usize, String)>>);

impl Problems {
    /// Takes down a problem.
    pub(super) fn add(&self, at: usize, text: impl Into<String>) {
        // Messages of parsers repeat their input.
        let text = text.into().escaped().at_most(SENTENCE).to_string();
        self.0.borrow_mut().push((at, text));
    }

    /// Returns the number of problems so far.
    pub(super) fn count(&self) -> usize {
        self.0.borrow().len()
    }

    /// Succeeds if there are no problems.
    ///
    /// # Errors
    /// All problems, by line.
    pub(super) fn refuse(&self, path: &str, text: &str) -> Result<(), InvalidDocument> {
        let problem = |(at, problem)| {
            let (line, column) = position(text, at);
            Problem { line, column, text: problem }
        };
        let mut problems: Vec<_> = self.0.take().into_iter().map(problem).collect();
        if problems.is_empty() {
            return Ok(());
        }
        problems.sort();
        problems.dedup();
        let path = path.to_owned();
        Err(InvalidDocument { path, problems })
    }
}

/// Line and column of a byte, from 1.
fn position(text: &str, at: usize) -> (usize, usize) {
    // Not every offset that a parser reports is the start of a character.
    let before = String::from_utf8_lossy(&text.as_bytes()[..at.min(text.len())]);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    (line, column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        let text = "a\nä=µ\n";
        assert_eq!(position(text, 0), (1, 1));
        assert_eq!(position(text, 2), (2, 1));
        assert_eq!(position(text, 5), (2, 3));
        assert_eq!(position(text, 99), (3, 1));
    }

    #[test]
    fn problems_are_reported_by_line() {
        let problems = Problems::default();
        problems.add(2, "second");
        problems.add(0, "first");
        let error = problems.refuse("s.toml", "a\nb").expect_err("two");
        let text = "2 problems in s.toml\ns.toml:1:1: first\ns.toml:2:1: second";
        assert_eq!(error.to_string(), text);
        assert!(Problems::default().refuse("s.toml", "").is_ok());
    }
}
