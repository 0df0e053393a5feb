//! What a trial writes, a line for each.

use std::fmt;

/// Something that happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A function of the plugin is about to be called.
    Enter(String),
    /// It has returned.
    Leave,
    /// From now on it is tried on this input.
    Input(String),
    /// The trial is over, and this came of it.
    Verdict(Verdict),
}

/// What a trial says of a plugin, if it lives to say it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Right,
    /// It is no plugin that can be used.
    Refused(String),
    /// An output was wrong.
    Wrong(String),
    /// A call failed.
    Failed(String),
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, text) = match self {
            Line::Enter(function) => ("enter", function.as_str()),
            Line::Leave => ("leave", ""),
            Line::Input(name) => ("input", name.as_str()),
            Line::Verdict(Verdict::Right) => ("right", ""),
            Line::Verdict(Verdict::Refused(problem)) => ("refused", problem.as_str()),
            Line::Verdict(Verdict::Wrong(problem)) => ("wrong", problem.as_str()),
            Line::Verdict(Verdict::Failed(problem)) => ("failed", problem.as_str()),
        };
        writeln!(f, "{word} {}", text.replace(['\n', '\r'], " "))
    }
}

impl Line {
    /// A line without its end; `None` if it is none.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (word, text) = text.split_once(' ')?;
        let text = || text.to_owned();
        Some(match word {
            "enter" => Line::Enter(text()),
            "leave" => Line::Leave,
            "input" => Line::Input(text()),
            "right" => Line::Verdict(Verdict::Right),
            "refused" => Line::Verdict(Verdict::Refused(text())),
            "wrong" => Line::Verdict(Verdict::Wrong(text())),
            "failed" => Line::Verdict(Verdict::Failed(text())),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_back() {
        for line in [
            Line::Enter("run".to_owned()),
            Line::Leave,
            Line::Input("one segment of 0 digis, 2 threads".to_owned()),
            Line::Verdict(Verdict::Right),
            Line::Verdict(Verdict::Refused("no".to_owned())),
            Line::Verdict(Verdict::Wrong(String::new())),
            Line::Verdict(Verdict::Failed("in run".to_owned())),
        ] {
            let written = line.to_string();
            let (text, end) = written.split_at(written.len() - 1);
            assert_eq!((Line::parse(text), end), (Some(line), "\n"));
        }
        assert_eq!(Line::parse("hello world"), None);
    }

    #[test]
    fn whatever_a_plugin_says_stays_on_one_line() {
        let line = Line::Verdict(Verdict::Failed("a\nright \nb".to_owned()));
        assert_eq!(line.to_string(), "failed a right  b\n");
    }
}
