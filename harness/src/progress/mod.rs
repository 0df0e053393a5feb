//! How far it is: a bar on a terminal, plain lines elsewhere, or nothing.

mod estimate;

use std::io::{IsTerminal, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use reports::record::Point;
use reports::units;

use crate::plan::{Input, Origin};
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
    /// For so many inputs and points, each of which may take so long.
    pub fn new(quiet: bool, inputs: usize, points: usize, max_time: Duration) -> Self {
        let teller = if quiet {
            Teller::Nobody
        } else if std::io::stderr().is_terminal() {
            Teller::Bar(bar(points as u64))
        } else {
            Teller::Lines
        };
        Progress {
            teller,
            inputs,
            announced: Vec::new(),
            estimate: Estimate::new(points, max_time),
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
            let (number, all) = (self.announced.len(), self.inputs);
            self.line(&format!("[{number}/{all}] {name}"));
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
        let (variant, params) = (&point.variant, &point.params);
        let threads = units::counted(point.threads, "thread");
        // Inputs are visited in turn: which one it was has to be said.
        let input = match self.announced.len() {
            0 | 1 => String::new(),
            _ => format!(" ({})", params.to_string().replace(';', " ")),
        };
        self.line(&format!("  {variant}, {threads}{input}: {result}"));
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
    let style = ProgressStyle::with_template(template);
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
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
