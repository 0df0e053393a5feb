//! How far it is: a bar on a terminal, plain lines elsewhere, or nothing.

mod estimate;

use std::io::{IsTerminal, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cli::MeasureRequest;
use crate::plan::{Input, Plan};
use estimate::Estimate;

/// Who is told.
enum Teller {
    Bar(ProgressBar),
    Lines,
    Nobody,
}

/// The progress of a request.
pub struct Progress {
    teller: Teller,
    inputs: usize,
    estimate: Estimate,
}

impl Progress {
    /// For a plan.
    pub fn new(request: &MeasureRequest, plan: &Plan) -> Self {
        let candidates = plan.candidates.len();
        let total = plan.inputs.len() * candidates;
        let teller = if request.quiet {
            Teller::Nobody
        } else if std::io::stderr().is_terminal() {
            Teller::Bar(bar(total as u64))
        } else {
            Teller::Lines
        };
        Progress {
            teller,
            inputs: plan.inputs.len(),
            estimate: Estimate::new(plan.inputs.len(), candidates, request.max_time),
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

    /// An input is being made and checked.
    pub fn input(&self, number: usize, input: &Input) {
        let text = format!("[{}/{}] {}", number + 1, self.inputs, describe(input));
        self.line(&text);
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

    /// A candidate is done.
    pub fn finished(&mut self, variant: &str, threads: usize, result: &str) {
        self.estimate.note_finished();
        let plural = if threads == 1 { "" } else { "s" };
        self.line(&format!("  {variant}, {threads} thread{plural}: {result}"));
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
    match input {
        Input::Read { path, .. } => path.display().to_string(),
        Input::Generated(params) => {
            let values = params.iter().map(|(name, value)| format!("{name}={value}"));
            values.collect::<Vec<_>>().join(" ")
        }
    }
}
