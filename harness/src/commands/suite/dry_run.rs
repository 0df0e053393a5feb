//! What a suite would measure, without measuring it.

use std::time::Duration;

use reports::record::Params;
use reports::shape;
use reports::table::Format;
use serde_json::json;

use crate::cli::SuiteRequest;
use crate::suite::{Part, Suite, SuiteInput};

/// A line: an input with its candidates.
struct Row<'a> {
    task: &'static str,
    params: &'a Params,
    candidates: usize,
    at_most: Duration,
}

const HEADER: [&str; 4] = ["task", "candidates", "at most", "input"];

/// The inputs with their candidates, and the time that they take at most.
pub(super) fn describe(suite: &Suite, request: &SuiteRequest) -> String {
    let share = request
        .budget
        .map_or(Duration::MAX, |budget| suite.share(budget));
    let parts = suite.parts.iter();
    let rows: Vec<_> = parts
        .flat_map(|part| part.inputs.iter().map(move |input| row(part, input, share)))
        .collect();
    match request.format {
        Format::Table => format!("{}{}\n", aligned(&rows), total(suite, request, &rows)),
        Format::Markdown => format!("{}\n{}\n", markdown(&rows), total(suite, request, &rows)),
        Format::Csv => csv(&rows),
        Format::Json => json(suite, request, &rows),
    }
}

fn row<'a>(part: &Part, input: &'a SuiteInput, share: Duration) -> Row<'a> {
    let candidates = input.points.len();
    let each = part.settings.max_time.min(share);
    Row {
        task: part.task.name(),
        params: &input.params,
        candidates,
        at_most: each.saturating_mul(u32::try_from(candidates).unwrap_or(u32::MAX)),
    }
}

impl Row<'_> {
    fn cells(&self) -> [String; 4] {
        let phrases = self
            .params
            .iter()
            .map(|(name, value)| shape::phrase(name, value));
        [
            self.task.to_owned(),
            self.candidates.to_string(),
            words(self.at_most),
            phrases.collect::<Vec<_>>().join(shape::SEPARATOR),
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

fn aligned(rows: &[Row<'_>]) -> String {
    let mut lines = vec![HEADER.map(str::to_owned)];
    lines.extend(rows.iter().map(Row::cells));
    let width = |column: usize| {
        lines
            .iter()
            .map(|cells| cells[column].len())
            .max()
            .unwrap_or(0)
    };
    let [task, candidates, time] = [0, 1, 2].map(width);
    let line =
        |[a, b, c, d]: &[String; 4]| format!("{a:<task$}  {b:>candidates$}  {c:>time$}  {d}\n");
    lines.iter().map(line).collect()
}

fn markdown(rows: &[Row<'_>]) -> String {
    let line = |cells: [String; 4]| format!("| {} |\n", cells.join(" | "));
    let head = line(HEADER.map(str::to_owned));
    let lines: String = rows.iter().map(|row| line(row.cells())).collect();
    format!("{head}|---|--:|--:|---|\n{lines}")
}

fn csv(rows: &[Row<'_>]) -> String {
    let line = |row: &Row<'_>| {
        let (task, params, candidates) = (row.task, row.params, row.candidates);
        format!(
            "{task},{params},{candidates},{}\n",
            row.at_most.as_secs_f64()
        )
    };
    let lines: String = rows.iter().map(line).collect();
    format!("algorithm,params,candidates,at_most_s\n{lines}")
}

fn json(suite: &Suite, request: &SuiteRequest, rows: &[Row<'_>]) -> String {
    let input = |row: &Row<'_>| {
        json!({
            "algorithm": row.task,
            "params": row.params,
            "candidates": row.candidates,
            "at_most_s": row.at_most.as_secs_f64(),
        })
    };
    let description = json!({
        "suite": suite.name,
        "hash": suite.hash,
        "shard": request.shard,
        "inputs": rows.iter().map(input).collect::<Vec<_>>(),
    });
    format!("{description:#}\n")
}

/// `smoke, shard 1/2: 2 inputs, 20 candidates, at most 30s`
fn total(suite: &Suite, request: &SuiteRequest, rows: &[Row<'_>]) -> String {
    let shard = request
        .shard
        .map_or(String::new(), |shard| format!(", shard {shard}"));
    let budget = request.budget.map_or(String::new(), |budget| {
        format!(" with a budget of {}", words(budget))
    });
    let candidates: usize = rows.iter().map(|row| row.candidates).sum();
    let times = rows.iter().map(|row| row.at_most);
    let time = words(times.fold(Duration::ZERO, Duration::saturating_add));
    let inputs = shape::phrase("inputs", &rows.len().to_string());
    let candidates = shape::phrase("candidates", &candidates.to_string());
    let name = &suite.name;
    format!("{name}{shard}: {inputs}, {candidates}, at most {time}{budget}")
}
