//! Report of a trial, and interpretation of its end.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use nix::sys::signal::Signal;
use serde::{Deserialize, Serialize};
use text::{SENTENCE, Untrusted};

/// Event of a trial: one line of JSON each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Event {
    /// A function of the plugin is about to be called.
    Enter(String),
    /// The function has returned.
    Leave,
    /// Input of the following calls.
    Input(String),
    /// Result of the trial, which is over.
    Verdict(Verdict),
}

/// Result of a trial.
pub(crate) type Verdict = Result<(), Problem>;

/// Problem of a plugin, or of a variant of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Problem {
    pub(super) kind: ProblemKind,
    /// A single line, whatever the plugin writes.
    pub(super) text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ProblemKind {
    /// The file is not a usable plugin.
    Refused,
    /// An output was wrong.
    Wrong,
    /// It crashed, hung or failed.
    Failed,
}

impl Problem {
    pub(super) fn new(kind: ProblemKind, text: impl ToString) -> Self {
        let text = text.to_string().replace(['\n', '\r'], " ");
        Problem { kind, text }
    }
}

/// Progress of a trial.
#[derive(Debug, Default)]
pub(super) struct Trace {
    input: Option<String>,
    function: Option<String>,
    /// True while the function has not returned.
    inside: bool,
    verdict: Option<Verdict>,
}

impl Trace {
    pub(super) fn note(&mut self, event: Event) {
        match event {
            Event::Enter(function) => (self.function, self.inside) = (Some(function), true),
            Event::Leave => self.inside = false,
            Event::Input(input) => self.input = Some(input),
            Event::Verdict(verdict) => self.verdict = Some(verdict),
        }
    }

    /// True while a function of the plugin is running.
    pub(super) fn is_inside(&self) -> bool {
        self.inside
    }

    /// Verdict for a process that ended by itself; `last_error` is its last line of standard error.
    pub(super) fn ended(self, status: ExitStatus, last_error: &str) -> Verdict {
        if let Some(verdict) = self.verdict.as_ref().filter(|_| status.success()) {
            return verdict.clone();
        }
        let location = self.location();
        let how = match (status.signal(), status.code()) {
            (Some(signal), _) => format!("crashed {location} ({})", name(signal)),
            (None, code) => {
                let code = code.unwrap_or_default();
                format!("ended the process {location} (exit code {code})")
            }
        };
        let last_error = match last_error {
            "" => String::new(),
            last_error => format!("; last error line: {}", last_error.quoted().at_most(SENTENCE)),
        };
        Err(Problem::new(ProblemKind::Failed, how + &last_error))
    }

    /// Verdict for a process that exceeded a timeout.
    pub(super) fn hung(self, timeout: Duration) -> Verdict {
        let location = self.location();
        let seconds = timeout.as_secs();
        let problem = format!("hung {location}: no answer in {seconds} s");
        Err(Problem::new(ProblemKind::Failed, problem))
    }

    /// Description such as `in run, on one segment of 31 digis, 2 threads`.
    fn location(&self) -> String {
        if self.verdict.is_some() {
            return "at the end of the process".to_owned();
        }
        let function = self.function.as_deref().unwrap_or("load");
        let preposition = if self.inside { "in" } else { "after" };
        match &self.input {
            None => format!("{preposition} {function}"),
            Some(input) => format!("{preposition} {function}, on {input}"),
        }
    }
}

fn name(signal: i32) -> String {
    Signal::try_from(signal).map_or(format!("signal {signal}"), |signal| signal.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(events: &[Event]) -> Trace {
        let mut trace = Trace::default();
        events.iter().cloned().for_each(|event| trace.note(event));
        trace
    }

    fn enter(function: &str) -> Event {
        Event::Enter(function.to_owned())
    }

    fn failed(verdict: Verdict) -> String {
        let problem = verdict.expect_err("it failed");
        assert_eq!(problem.kind, ProblemKind::Failed);
        problem.text
    }

    #[test]
    fn signals_are_reported_with_call_and_input() {
        let input = Event::Input("two digis".to_owned());
        let before = trace(&[input.clone(), enter("run")]);
        let problem = failed(before.ended(ExitStatus::from_raw(11), ""));
        assert_eq!(problem, "crashed in run, on two digis (SIGSEGV)");
        let after = trace(&[input, enter("run"), Event::Leave]);
        let problem = failed(after.ended(ExitStatus::from_raw(6), "free(): invalid pointer"));
        let expected = "crashed after run, on two digis (SIGABRT); last error line: \"free(): invalid pointer\"";
        assert_eq!(problem, expected);
    }

    #[test]
    fn exiting_in_a_call_is_a_failure() {
        let inside = trace(&[enter("load")]);
        let problem = failed(inside.ended(ExitStatus::from_raw(0), ""));
        assert_eq!(problem, "ended the process in load (exit code 0)");
        let crashed = trace(&[Event::Verdict(Ok(()))]).ended(ExitStatus::from_raw(11), "");
        let expected = "crashed at the end of the process (SIGSEGV)";
        assert_eq!(failed(crashed), expected);
    }

    #[test]
    fn verdicts_of_regular_exits_are_kept() {
        let wrong: Verdict = Err(Problem::new(ProblemKind::Wrong, "not sorted"));
        let verdict = trace(&[Event::Verdict(wrong.clone())]);
        assert_eq!(verdict.ended(ExitStatus::from_raw(0), "noise"), wrong);
    }

    #[test]
    fn plugin_output_stays_on_one_line() {
        let problem = Problem::new(ProblemKind::Failed, "a\nright \nb");
        let event = Event::Verdict(Err(problem));
        let line = serde_json::to_string(&event).expect("serialises");
        let is_one = !line.contains('\n');
        assert!(is_one && line.contains("a right  b"), "{line}");
        assert_eq!(serde_json::from_str::<Event>(&line).expect("parses"), event);
    }
}
