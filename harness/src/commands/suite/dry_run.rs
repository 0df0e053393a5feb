//! Plan and estimated duration of a measurement.

use std::time::Duration;

use reports::record::{Params, Shard};
use reports::shape;
use reports::table::Format;
use reports::units;
use serde_json::{Value, json};

use crate::measure::share;
use crate::plan::{Plan, record_params};
use crate::request::{MeasureRequest, SuiteRequest};
use crate::suite::{Part, Suite, SuiteInput};

/// Plan of a measurement.
pub(in crate::commands) struct DryRun {
    /// A suite or a task.
    name: String,
    /// The hash of a suite.
    hash: Option<String>,
    shard: Option<Shard>,
    budget: Option<Duration>,
    rows: Vec<Row>,
}

/// A line: an input with its candidates.
struct Row {
    task: &'static str,
    params: Params,
    candidates: usize,
    at_most: Duration,
}

/// The third is the time of sampling.
const HEADER: [&str; 4] = ["task", "candidates", "at most", "input"];

impl DryRun {
    /// Creates the plan of `bench run`.
    pub(super) fn for_suite(suite: &Suite, request: &SuiteRequest) -> Self {
        let share = request.budget.map_or(Duration::MAX, |budget| suite.share(budget));
        let rows = suite.parts.iter().flat_map(|part| {
            let inputs = part.inputs.iter();
            inputs.map(move |input| row_of_part(part, input, share))
        });
        DryRun {
            name: suite.name.clone(),
            hash: Some(suite.hash.clone()),
            shard: request.shard,
            budget: request.budget,
            rows: rows.collect(),
        }
    }

    /// Creates the plan of `bench sort` and the other tasks.
    pub(in crate::commands) fn for_task(request: &MeasureRequest, plan: &Plan) -> Self {
        let limits = vec![request.settings.max_time; plan.len()];
        let budget = request.session.budget;
        let share = budget.map(|budget| share(limits, budget));
        let each = request.settings.max_time.min(share.unwrap_or(Duration::MAX));
        let row = |input: &crate::plan::Input| Row {
            task: request.task.name(),
            params: record_params(input.params()),
            candidates: input.candidates.len(),
            at_most: times(each, input.candidates.len()),
        };
        DryRun {
            name: request.task.name().to_owned(),
            hash: None,
            shard: None,
            budget,
            rows: plan.inputs.iter().map(row).collect(),
        }
    }

    /// The inputs with their candidates, and the longest time that sampling takes.
    pub(in crate::commands) fn render(&self, format: Format) -> String {
        match format {
            Format::Markdown => format!("{}\n{}\n", markdown(&self.rows), self.total()),
            Format::Csv => csv(&self.rows),
            Format::Json => self.json(),
            Format::Table | Format::Junit => {
                format!("{}{}\n", aligned(&self.rows), self.total())
            }
        }
    }

    fn json(&self) -> String {
        let input = |row: &Row| {
            json!({
                "algorithm": row.task,
                "params": row.params,
                "candidates": row.candidates,
                "at_most_s": row.at_most.as_secs_f64(),
            })
        };
        let inputs: Vec<Value> = self.rows.iter().map(input).collect();
        let description = match &self.hash {
            Some(hash) => json!({
                "suite": self.name,
                "hash": hash,
                "shard": self.shard,
                "inputs": inputs,
            }),
            None => json!({ "task": self.name, "inputs": inputs }),
        };
        format!("{description:#}\n")
    }

    /// `smoke, shard 1/2: 2 inputs, 20 candidates, at most 30s of sampling; …`
    fn total(&self) -> String {
        let shard = self.shard.map_or(String::new(), |shard| format!(", shard {shard}"));
        let rest = self.budget.map_or_else(
            || "inputs, checks and charts take more".to_owned(),
            |budget| format!("{} for all of it", words(budget)),
        );
        let candidates: usize = self.rows.iter().map(|row| row.candidates).sum();
        let times = self.rows.iter().map(|row| row.at_most);
        let time = words(times.fold(Duration::ZERO, Duration::saturating_add));
        let inputs = units::counted(self.rows.len(), "input");
        let candidates = units::counted(candidates, "candidate");
        let name = &self.name;
        format!("{name}{shard}: {inputs}, {candidates}, at most {time} of sampling; {rest}")
    }
}

fn row_of_part(part: &Part, input: &SuiteInput, share: Duration) -> Row {
    let candidates = input.points.len();
    Row {
        task: part.task.name(),
        params: input.params.clone(),
        candidates,
        at_most: times(part.settings.max_time.min(share), candidates),
    }
}

fn times(each: Duration, count: usize) -> Duration {
    each.saturating_mul(u32::try_from(count).unwrap_or(u32::MAX))
}

impl Row {
    fn cells(&self) -> [String; 4] {
        [
            self.task.to_owned(),
            self.candidates.to_string(),
            words(self.at_most),
            shape::phrases(&shape::param_axes(self.task, &self.params)),
        ]
    }
}

/// A time to the second, or to the millisecond if it is short.
fn words(time: Duration) -> String {
    let rounded = match time.as_secs() {
        0..10 => Duration::from_millis(time.as_millis() as u64),
        _ => Duration::from_secs(time.as_secs_f64().round() as u64),
    };
    humantime::format_duration(rounded).to_string()
}

fn aligned(rows: &[Row]) -> String {
    let mut lines = vec![HEADER.map(str::to_owned)];
    lines.extend(rows.iter().map(Row::cells));
    let width = |column: usize| {
        let widths = lines.iter().map(|cells| cells[column].len());
        widths.max().unwrap_or(0)
    };
    let [task, candidates, time] = [0, 1, 2].map(width);
    let line =
        |[a, b, c, d]: &[String; 4]| format!("{a:<task$}  {b:>candidates$}  {c:>time$}  {d}\n");
    lines.iter().map(line).collect()
}

fn markdown(rows: &[Row]) -> String {
    let line = |cells: [String; 4]| format!("| {} |\n", cells.join(" | "));
    let head = line(HEADER.map(str::to_owned));
    let lines: String = rows.iter().map(|row| line(row.cells())).collect();
    format!("{head}|---|--:|--:|---|\n{lines}")
}

fn csv(rows: &[Row]) -> String {
    let line = |row: &Row| {
        let task = row.task;
        let params = &row.params;
        let candidates = row.candidates;
        let seconds = row.at_most.as_secs_f64();
        format!("{task},{params},{candidates},{seconds}\n")
    };
    let lines: String = rows.iter().map(line).collect();
    format!("algorithm,params,candidates,at_most_s\n{lines}")
}
