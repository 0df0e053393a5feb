//! Traces of runs of tasks and suites: samples, and stages in them.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;
use text::Untrusted;

use super::model::{Process, Slice, Trace, arguments};
use crate::rank::{KERNEL, is_whole};
use crate::record::SampleRow;
use crate::shape::CPU;
use crate::store::Run;

/// Categories of slices.
const SAMPLE: &str = "sample";
const STAGE: &str = "stage";
const REPEATED: &str = "repeated";
/// Name of a run that was repeated for its stages.
const REPEATED_RUN: &str = "repeated for its stages";
/// Stages that are copies.
const COPIES: [&str; 3] = ["h2d", "d2h", "p2p"];
/// Value of the argument `start` of slices whose start was not recorded.
const DERIVED: &str = "derived";

/// Traces of the samples of a run.
pub fn trace(run: &Run) -> Trace {
    let mut layout = Layout { watts: watts(run), ..Layout::default() };
    let is_one = |a: &SampleRow, b: &SampleRow| (&a.point_id, a.sample) == (&b.point_id, b.sample);
    for rows in run.samples.chunk_by(is_one) {
        layout.sample(rows);
    }
    layout.finish()
}

/// Mean power during the runs of a point, from energy and time of a run; by point.
fn watts(run: &Run) -> HashMap<String, f64> {
    let watts = run.summary.iter().filter(|row| is_whole(&row.stage)).filter_map(|row| {
        let joules = row.joules_per_item()? * row.items as f64;
        Some((row.point().id(), joules / row.valid_median()?))
    });
    watts.collect()
}

/// Trace up to a sample.
#[derive(Default)]
struct Layout {
    trace: Trace,
    /// Power by point.
    watts: HashMap<String, f64>,
    /// End of the last sample; one without a start follows it.
    end_s: f64,
    has_stages: bool,
    has_unknown_starts: bool,
    has_unknown_stages: bool,
    /// Devices whose stages are those of repeated runs.
    repeating: BTreeSet<String>,
}

/// A stage with its start.
struct Stage<'r> {
    row: &'r SampleRow,
    start_s: f64,
    is_derived: bool,
}

impl Stage<'_> {
    fn end_s(&self) -> f64 {
        self.start_s + self.row.seconds
    }

    fn slice(&self) -> Slice {
        let start = if self.is_derived { DERIVED } else { "" };
        Slice {
            name: self.row.stage.clone(),
            category: STAGE,
            start_s: self.start_s,
            seconds: self.row.seconds,
            arguments: arguments([("sample", self.row.sample.into()), ("start", start.into())]),
            flow: None,
        }
    }
}

impl Layout {
    /// Adds a sample: its whole, and its stages.
    fn sample(&mut self, rows: &[SampleRow]) {
        let Some(first) = rows.first() else { return };
        let track = format!("{} / {}", first.algorithm, first.variant);
        let mut start_s = self.end_s;
        let whole = rows.iter().find(|row| is_whole(&row.stage));
        if let Some(whole) = whole {
            start_s = whole.start_s.unwrap_or(start_s);
            self.has_unknown_starts |= whole.start_s.is_none();
            self.end_s = self.end_s.max(start_s + whole.seconds);
            let watts = self.watts.get(&whole.point_id).copied();
            let process = self.trace.process(&whole.device);
            process.add(&track, slice(whole, start_s));
            if let Some(clock_mhz) = whole.clock_mhz {
                process.count("clock (MHz)", start_s, clock_mhz);
            }
            if let Some(watts) = watts {
                process.count("mean power of the point (W)", start_s, watts);
            }
        }
        let parts: Vec<&SampleRow> = rows.iter().filter(|row| !is_whole(&row.stage)).collect();
        self.stages(&track, start_s, &parts);
    }

    /// Adds the stages of a sample that started at a time.
    fn stages(&mut self, track: &str, sample_s: f64, parts: &[&SampleRow]) {
        let Some(first) = parts.first() else { return };
        self.has_stages = true;
        let known_s = parts.iter().filter_map(|row| row.start_s).reduce(f64::min);
        let is_on_gpu = first.device != CPU;
        // Stages of a GPU are those of another run, after the sample.
        let is_repeated = is_on_gpu && known_s.is_none_or(|start_s| start_s >= self.end_s);
        let base_s = if is_repeated { known_s.unwrap_or(self.end_s) } else { sample_s };
        let stages = placed(parts, base_s);
        self.has_unknown_stages |= stages.iter().any(|stage| stage.is_derived);
        let process = self.trace.process(&first.device);
        if is_repeated {
            let end_s = stages.iter().map(Stage::end_s).fold(base_s, f64::max);
            self.end_s = self.end_s.max(end_s);
            self.repeating.insert(first.device.clone());
            process.add(track, repeated(first, base_s, end_s));
        }
        for stage in &stages {
            add_stage(process, track, stage, is_on_gpu);
        }
    }

    fn finish(mut self) -> Trace {
        if self.has_unknown_starts {
            self.trace.note(
                "samples without start_s, which earlier versions did not record: they follow one \
                 another in recorded order, without the time between them"
                    .to_owned(),
            );
        }
        if self.has_unknown_stages {
            self.trace.note(
                "stages without start_s follow one another from the start of their run \
                 (start: derived)"
                    .to_owned(),
            );
        }
        for device in &self.repeating {
            let device = device.escaped();
            self.trace.notes.push(format!(
                "stages on {device} are those of runs that were repeated for them, after their \
                 samples"
            ));
        }
        if !self.has_stages {
            self.trace.note(super::NO_STAGES.to_owned());
        }
        self.trace
    }
}

/// Stages with their starts: those that were recorded, and for others the end of the stage before
/// in the same scope.
fn placed<'r>(parts: &[&'r SampleRow], base_s: f64) -> Vec<Stage<'r>> {
    let mut scopes: HashMap<&str, f64> = HashMap::new();
    let mut stages = Vec::new();
    for row in parts {
        let scope = row.stage.rsplit_once('/').map_or("", |(scope, _)| scope);
        let next_s = scopes.get(scope).copied().unwrap_or(base_s);
        let start_s = row.start_s.unwrap_or(next_s);
        scopes.insert(&row.stage, start_s);
        // The sum of all kernels is none of the steps.
        if row.stage != KERNEL {
            scopes.insert(scope, start_s + row.seconds);
        }
        stages.push(Stage { row, start_s, is_derived: row.start_s.is_none() });
    }
    stages
}

/// Adds a stage: within its run, except for copies and the sum of all kernels on a GPU, which
/// have tracks of their own.
fn add_stage(process: &mut Process, track: &str, stage: &Stage<'_>, is_on_gpu: bool) {
    let name = stage.row.stage.as_str();
    let leaf = name.rsplit('/').next().unwrap_or(name);
    let own = match leaf {
        _ if !is_on_gpu => "",
        KERNEL => ": sum of kernels",
        leaf if COPIES.contains(&leaf) => ": copies",
        _ => "",
    };
    process.add(&format!("{track}{own}"), stage.slice());
}

fn slice(row: &SampleRow, start_s: f64) -> Slice {
    let start = if row.start_s.is_none() { DERIVED } else { "" };
    Slice {
        name: row.stage.clone(),
        category: SAMPLE,
        start_s,
        seconds: row.seconds,
        arguments: arguments([
            ("point", row.point_id.as_str().into()),
            ("params", row.params.to_string().into()),
            ("threads", row.threads.into()),
            ("round", row.round.into()),
            ("sample", row.sample.into()),
            ("cpu", row.cpu.as_str().into()),
            ("clock_mhz", row.clock_mhz.map_or(Value::Null, Value::from)),
            ("cpu_s", row.cpu_s.map_or(Value::Null, Value::from)),
            ("flags", row.flags.as_str().into()),
            ("start", start.into()),
        ]),
        flow: None,
    }
}

fn repeated(row: &SampleRow, start_s: f64, end_s: f64) -> Slice {
    Slice {
        name: REPEATED_RUN.to_owned(),
        category: REPEATED,
        start_s,
        seconds: end_s - start_s,
        arguments: arguments([
            ("point", row.point_id.as_str().into()),
            ("sample", row.sample.into()),
        ]),
        flow: None,
    }
}
