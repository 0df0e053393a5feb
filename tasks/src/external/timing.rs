//! The source of the time of a run.

use regex_lite::Regex;
use text::Untrusted;

/// The time of a run of a program.
#[derive(Clone, Debug)]
pub enum TimeSource {
    /// Wall time of the process, less that on the smallest input.
    Wall,
    /// The program's own report on standard output: the last match of a pattern, whose
    /// first group is a number.
    Report {
        /// The pattern.
        pattern: Regex,
        /// Unit of the number.
        unit: TimeUnit,
    },
}

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    /// Seconds.
    Seconds,
    /// Milliseconds.
    Milliseconds,
    /// Microseconds.
    Microseconds,
    /// Nanoseconds.
    Nanoseconds,
}

/// A report without a usable time.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(super) enum ReportError {
    #[error("its standard output has nothing that matches the pattern {}; it is {}", pattern.quoted(), stdout.quoted())]
    NoMatch { pattern: String, stdout: String },
    #[error("it reports {}, which is no number", .0.quoted())]
    NoNumber(String),
    #[error(
        "it reports {reported} s, but ran for {wall} s from its start to its end; is the unit right?"
    )]
    Impossible { reported: f64, wall: f64 },
}

/// Characters of standard output that a message has.
const MAX_SHOWN: usize = 200;

impl TimeUnit {
    /// All units with their names.
    pub const NAMED: [(&'static str, TimeUnit); 4] = [
        ("s", TimeUnit::Seconds),
        ("ms", TimeUnit::Milliseconds),
        ("us", TimeUnit::Microseconds),
        ("ns", TimeUnit::Nanoseconds),
    ];

    fn seconds(self) -> f64 {
        match self {
            TimeUnit::Seconds => 1.0,
            TimeUnit::Milliseconds => 1e-3,
            TimeUnit::Microseconds => 1e-6,
            TimeUnit::Nanoseconds => 1e-9,
        }
    }
}

/// The time that a program reports, in seconds. It can't be longer than the process ran.
pub(super) fn reported(
    pattern: &Regex,
    unit: TimeUnit,
    stdout: &str,
    wall: f64,
) -> Result<f64, ReportError> {
    let last = pattern.captures_iter(stdout).last().and_then(|found| found.get(1));
    let Some(number) = last.map(|found| found.as_str()) else {
        let stdout = stdout.chars().take(MAX_SHOWN).collect();
        return Err(ReportError::NoMatch { pattern: pattern.as_str().to_owned(), stdout });
    };
    let parsed = number.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    let reported = parsed.ok_or_else(|| ReportError::NoNumber(number.to_owned()))? * unit.seconds();
    if reported <= 0.0 || reported > wall {
        return Err(ReportError::Impossible { reported, wall });
    }
    Ok(reported)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(stdout: &str) -> Result<f64, String> {
        let pattern = Regex::new(r"took ([^ ]+) ms").expect("a pattern");
        let reported = reported(&pattern, TimeUnit::Milliseconds, stdout, 1.0);
        reported.map_err(|error| error.to_string())
    }

    #[test]
    fn the_last_match_counts() {
        assert_eq!(read("reading took 900 ms\nsorting took 12.5 ms\n"), Ok(0.0125));
    }

    #[test]
    fn unusable_reports_are_refused() {
        assert!(read("done").expect_err("no time").contains("matches the pattern"));
        assert!(read("took long ms").expect_err("no number").contains("\"long\""));
        assert!(read("took NaN ms").is_err() && read("took 0 ms").is_err());
        let lie = read("took 1500 ms").expect_err("more than the process ran");
        assert_eq!(
            lie,
            "it reports 1.5 s, but ran for 1 s from its start to its end; is the unit right?"
        );
    }
}
