//! What the end of a trial means.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use nix::sys::signal::Signal;

use super::line::{Line, Verdict};

/// How a trial ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    Right,
    /// It is no plugin that can be used.
    Refused(String),
    /// An output was wrong.
    Wrong(String),
    /// It crashed, hung or failed.
    Failed(String),
}

/// How far a trial has come.
#[derive(Debug, Default)]
pub(super) struct Trace {
    input: Option<String>,
    function: Option<String>,
    /// Whether the function has not returned yet.
    inside: bool,
    verdict: Option<Verdict>,
}

impl Trace {
    pub(super) fn note(&mut self, line: Line) {
        match line {
            Line::Enter(function) => (self.function, self.inside) = (Some(function), true),
            Line::Leave => self.inside = false,
            Line::Input(input) => self.input = Some(input),
            Line::Verdict(verdict) => self.verdict = Some(verdict),
        }
    }

    /// Whether a function of the plugin goes on.
    pub(super) fn is_inside(&self) -> bool {
        self.inside
    }

    /// The process ended by itself. `said` is the last that it wrote as an error.
    pub(super) fn ended(self, status: ExitStatus, said: &str) -> Ending {
        if let Some(verdict) = self.verdict.as_ref().filter(|_| status.success()) {
            return match verdict.clone() {
                Verdict::Right => Ending::Right,
                Verdict::Refused(problem) => Ending::Refused(problem),
                Verdict::Wrong(problem) => Ending::Wrong(problem),
                Verdict::Failed(problem) => Ending::Failed(problem),
            };
        }
        let place = self.place();
        let quoted = match said {
            "" => String::new(),
            said => format!("; it said \"{said}\""),
        };
        Ending::Failed(match (status.signal(), status.code()) {
            (Some(signal), _) => format!("crashed {place} ({}){quoted}", name(signal)),
            (None, code) => {
                let code = code.unwrap_or_default();
                format!("ended the process {place} (exit code {code}){quoted}")
            }
        })
    }

    /// The process gave no answer for too long.
    pub(super) fn hung(self, patience: Duration) -> Ending {
        let (place, seconds) = (self.place(), patience.as_secs());
        Ending::Failed(format!("hung {place}: no answer in {seconds} s"))
    }

    /// `in run, on one segment of 31 digis, 2 threads`
    fn place(&self) -> String {
        let function = self.function.as_deref().unwrap_or("load");
        let place = match (&self.verdict, self.inside) {
            (Some(_), _) => "at the end of the process".to_owned(),
            (None, true) => format!("in {function}"),
            (None, false) => format!("after {function}"),
        };
        let input = self.input.as_ref().filter(|_| self.verdict.is_none());
        input.map_or(place.clone(), |input| format!("{place}, on {input}"))
    }
}

fn name(signal: i32) -> String {
    Signal::try_from(signal).map_or(format!("signal {signal}"), |signal| signal.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(lines: &[Line]) -> Trace {
        let mut trace = Trace::default();
        lines.iter().cloned().for_each(|line| trace.note(line));
        trace
    }

    fn failed(ending: Ending) -> String {
        match ending {
            Ending::Failed(problem) => problem,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_signal_is_told_with_the_call_and_the_input() {
        let input = Line::Input("two digis".to_owned());
        let before = trace(&[input.clone(), Line::Enter("run".to_owned())]);
        let died = ExitStatus::from_raw(11);
        let told = failed(before.ended(died, ""));
        assert_eq!(told, "crashed in run, on two digis (SIGSEGV)");
        let after = trace(&[input, Line::Enter("run".to_owned()), Line::Leave]);
        let told = failed(after.ended(ExitStatus::from_raw(6), "free(): invalid pointer"));
        let expected =
            "crashed after run, on two digis (SIGABRT); it said \"free(): invalid pointer\"";
        assert_eq!(told, expected);
    }

    #[test]
    fn whoever_ends_the_process_has_not_passed() {
        let exited = ExitStatus::from_raw(0);
        let inside = trace(&[Line::Enter("load".to_owned())]);
        let told = failed(inside.ended(exited, ""));
        assert_eq!(told, "ended the process in load (exit code 0)");
        let crashed = trace(&[Line::Verdict(Verdict::Right)]).ended(ExitStatus::from_raw(11), "");
        assert_eq!(
            failed(crashed),
            "crashed at the end of the process (SIGSEGV)"
        );
    }

    #[test]
    fn a_verdict_of_a_process_that_ended_well_stands() {
        let wrong = Verdict::Wrong("not sorted".to_owned());
        let ending = trace(&[Line::Verdict(wrong)]).ended(ExitStatus::from_raw(0), "noise");
        assert_eq!(ending, Ending::Wrong("not sorted".to_owned()));
    }
}
