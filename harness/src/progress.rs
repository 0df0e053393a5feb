//! Progress: a bar on a terminal, plain lines elsewhere, or nothing.

use std::io::{IsTerminal, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use reports::program::renamed;
use reports::record::Point;
use reports::units;
use text::Untrusted;

use crate::plan::{Input, Origin};

/// Prints a message on standard error: all messages go through this function or
/// [`Progress::line`]. Untrusted text was escaped before; what was not is made harmless here.
pub(crate) fn say(text: &str) {
    // A closed standard error is ignored.
    let _ = writeln!(std::io::stderr(), "{}", text::lines(&renamed(text)));
}

/// Destination of the progress.
enum Output {
    Bar(ProgressBar),
    Lines,
    Hidden,
}

/// The progress of a run.
pub struct Progress {
    output: Output,
    inputs: usize,
    /// The inputs that were announced.
    announced: Vec<String>,
    estimate: Estimate,
}

impl Progress {
    /// Creates the progress of `inputs` inputs and `points` points, each of up to `max_time`.
    pub fn new(quiet: bool, inputs: usize, points: usize, max_time: Duration) -> Self {
        let output = if quiet {
            Output::Hidden
        } else if std::io::stderr().is_terminal() {
            Output::Bar(bar(points as u64))
        } else {
            Output::Lines
        };
        Progress {
            output,
            inputs,
            announced: Vec::new(),
            estimate: Estimate { total: points, budget: max_time, ..Estimate::default() },
        }
    }

    /// Shows what is done now, if it is none of the inputs.
    pub fn stage(&self, text: &str) {
        match &self.output {
            Output::Bar(bar) => bar.set_message(text.escaped().to_string()),
            Output::Lines => self.line(text),
            Output::Hidden => {}
        }
    }

    /// Shows that an input is being generated; announces it the first time.
    pub fn input(&mut self, input: &Input) {
        let name = describe(input);
        if !self.announced.contains(&name) {
            self.announced.push(name.clone());
            let number = self.announced.len();
            let all = self.inputs;
            self.line(&format!("[{number}/{all}] {name}"));
        }
        if let Output::Bar(bar) = &self.output {
            bar.set_message("generating and checking");
        }
    }

    /// A sample was taken.
    pub fn sampled(&mut self, spent: Duration) {
        self.estimate.spent_on_others += spent;
        if let Output::Bar(bar) = &self.output {
            let left = Duration::from_secs(self.estimate.left().as_secs());
            bar.set_message(format!("{} left", humantime::format_duration(left)));
            bar.tick();
        }
    }

    /// A candidate is done, on which so much time was spent.
    pub fn finished(&mut self, point: &Point, spent: Duration, result: &str) {
        self.estimate.note_finished(spent);
        let variant = &point.variant;
        let params = &point.params;
        let threads = units::counted(point.threads, "thread");
        // Inputs are interleaved: the line names the input.
        let input = match self.announced.len() {
            0 | 1 => String::new(),
            _ => format!(" ({})", params.to_string().replace(';', " ")),
        };
        self.line(&format!("  {variant}, {threads}{input}: {result}"));
        if let Output::Bar(bar) = &self.output {
            bar.set_position(self.estimate.finished as u64);
        }
    }

    /// All is done.
    pub fn end(&self) {
        if let Output::Bar(bar) = &self.output {
            bar.finish_and_clear();
        }
    }

    /// Something that a reader should know.
    pub fn line(&self, text: &str) {
        match &self.output {
            Output::Bar(bar) => bar.println(text::lines(text)),
            Output::Lines => say(text),
            Output::Hidden => {}
        }
    }
}

fn bar(total: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr_with_hz(5));
    let template = "{bar:30} {pos}/{len} {msg}";
    let style = ProgressStyle::with_template(template);
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn describe(input: &Input) -> String {
    match &input.origin {
        Origin::Read { files, .. } => files.to_string(),
        Origin::Generated(params) => {
            let values = params.iter().map(|(name, value)| format!("{name}={}", value.escaped()));
            values.collect::<Vec<_>>().join(" ")
        }
    }
}

/// Known durations of candidates.
#[derive(Default)]
struct Estimate {
    /// Candidates of all inputs.
    total: usize,
    /// The most that a candidate may take.
    budget: Duration,
    finished: usize,
    /// Time spent on the candidates that are done.
    spent_on_finished: Duration,
    /// Time spent on the others.
    spent_on_others: Duration,
}

impl Estimate {
    /// A candidate is done, on which so much time was spent.
    fn note_finished(&mut self, spent: Duration) {
        self.finished += 1;
        self.spent_on_finished += spent;
        self.spent_on_others = self.spent_on_others.saturating_sub(spent);
    }

    /// Estimates the remaining time from finished candidates, or at first from the time limits.
    fn left(&self) -> Duration {
        let each = match u32::try_from(self.finished) {
            Ok(finished) if finished > 0 => self.spent_on_finished / finished,
            _ => self.budget,
        };
        let unfinished = (self.total - self.finished) as u32;
        let needed = each.saturating_mul(unfinished);
        needed.saturating_sub(self.spent_on_others)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn at_first_the_budget_counts_down_and_later_experience_counts() {
        let mut estimate = Estimate { total: 6, budget: 10 * SECOND, ..Estimate::default() };
        assert_eq!(estimate.left(), 60 * SECOND);
        estimate.spent_on_others += 4 * SECOND;
        assert_eq!(estimate.left(), 56 * SECOND);
        estimate.note_finished(2 * SECOND);
        estimate.note_finished(2 * SECOND);
        assert_eq!(estimate.left(), 8 * SECOND);
        estimate.spent_on_others += SECOND;
        assert_eq!(estimate.left(), 7 * SECOND);
        (0..4).for_each(|_| estimate.note_finished(Duration::ZERO));
        assert_eq!(estimate.left(), Duration::ZERO);
    }
}
