//! How far it is: a bar on a terminal, plain lines elsewhere, or nothing.

mod estimate;

use std::io::{IsTerminal, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use reports::record::Point;

use crate::measure::Assignment;
use crate::plan::{Input, Origin, Plan};
use estimate::Estimate;

/// Who is told.
enum Teller {
    Bar(ProgressBar),
    Lines,
    Nobody,
}

/// The progress of a run.
pub struct Progress {
    teller: Teller,
    inputs: usize,
    /// The inputs that were announced.
    announced: Vec<String>,
    estimate: Estimate,
}

impl Progress {
    /// For all that is to be measured.
    pub fn new(assignment: &Assignment<'_>) -> Self {
        let plans = || assignment.jobs.iter().map(|job| job.plan);
        let total = plans().map(Plan::len).sum();
        let teller = if assignment.quiet {
            Teller::Nobody
        } else if std::io::stderr().is_terminal() {
            Teller::Bar(bar(total as u64))
        } else {
            Teller::Lines
        };
        let times = assignment.jobs.iter().map(|job| job.request.max_time);
        Progress {
            teller,
            inputs: plans().map(|plan| plan.inputs.len()).sum(),
            announced: Vec::new(),
            estimate: Estimate::new(total, times.max().unwrap_or_default()),
        }
    }

    /// Something that a reader should know.
    pub fn note(&self, text: &str) {
        self.line(text);
    }

    /// What is going on, before the first input.
    pub fn stage(&self, text: &str) {
        match &self.teller {
            Teller::Bar(bar) => bar.set_message(text.to_owned()),
            Teller::Lines => self.line(text),
            Teller::Nobody => {}
        }
    }

    /// An input is being made; the first time it is announced.
    pub fn input(&mut self, input: &Input) {
        let name = describe(input);
        if !self.announced.contains(&name) {
            self.announced.push(name.clone());
            self.line(&format!(
                "[{}/{}] {name}",
                self.announced.len(),
                self.inputs
            ));
        }
        if let Teller::Bar(bar) = &self.teller {
            bar.set_message("generating and checking");
        }
    }

    /// A sample was taken.
    pub fn sampled(&mut self, spent: Duration) {
        self.estimate.note_sample(spent);
        if let Teller::Bar(bar) = &self.teller {
            let left = Duration::from_secs(self.estimate.left().as_secs());
            bar.set_message(format!("{} left", humantime::format_duration(left)));
            bar.tick();
        }
    }

    /// A candidate is done, on which so much time was spent.
    pub fn finished(&mut self, point: &Point, spent: Duration, result: &str) {
        self.estimate.note_finished(spent);
        let plural = if point.threads == 1 { "" } else { "s" };
        let (variant, threads, params) = (&point.variant, point.threads, &point.params);
        // Inputs are visited in turn: which one it was has to be said.
        let input = match self.announced.len() {
            0 | 1 => String::new(),
            _ => format!(" ({})", params.to_string().replace(';', " ")),
        };
        self.line(&format!(
            "  {variant}, {threads} thread{plural}{input}: {result}"
        ));
        if let Teller::Bar(bar) = &self.teller {
            bar.set_position(self.estimate.finished() as u64);
        }
    }

    /// All is done.
    pub fn end(&self) {
        if let Teller::Bar(bar) = &self.teller {
            bar.finish_and_clear();
        }
    }

    fn line(&self, text: &str) {
        match &self.teller {
            Teller::Bar(bar) => bar.println(text),
            // Whoever closed standard error does not want to know.
            Teller::Lines => drop(writeln!(std::io::stderr(), "{text}")),
            Teller::Nobody => {}
        }
    }
}

fn bar(total: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr_with_hz(5));
    let template = "{bar:30} {pos}/{len} {msg}";
    bar.with_style(
        ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()),
    )
}

fn describe(input: &Input) -> String {
    match &input.origin {
        Origin::Read { path, .. } => path.display().to_string(),
        Origin::Generated(params) => {
            let values = params.iter().map(|(name, value)| format!("{name}={value}"));
            values.collect::<Vec<_>>().join(" ")
        }
    }
}
