//! `bench process`: outputs of variants as files; nothing is measured.

mod selection;

use std::collections::BTreeSet;

use algorithms::algorithm::OutputFiles;
use algorithms::axis::Params;
use algorithms::device::Team;
use algorithms::task::Case;
use generators::io::check_table_file;
use reports::units::counted;
use text::Untrusted;

use super::log;
use crate::failure::{Exit, Failure};
use crate::measure::{CheckError, use_checked};
use crate::plan::{check_memory, read_case};
use crate::platform::gpus::Gpus;
use crate::plugins::{self, Baseline};
use crate::request::{AxisValues, OutputPath, ProcessRequest, Source};
use selection::{Run, select};

/// Defects that are listed one by one.
const LISTED: usize = 10;

pub(super) fn run(request: &ProcessRequest) -> Result<Exit, Failure> {
    let ProcessRequest { measuring, outputs } = request;
    let task = measuring.task;
    let quiet = measuring.session.output.quiet;
    for output in &outputs.files {
        check_table_file(&output.path)?;
    }
    plugins::load(&measuring.settings.plugins, Baseline::Measured)?;
    let files = task.output_files().expect("the command line accepts tasks with outputs only");
    let runs = select(request, files)?;
    let case = input(request, files)?;
    remarks(case.as_ref()).iter().for_each(|remark| log(quiet, remark));
    let team = Team::new(measuring.settings.thread_counts()[0].all)?;
    let gpus = Gpus::default();
    for (number, run) in runs.iter().enumerate() {
        // All outputs are right, so one of them is as good as the others.
        let outputs = if number == 0 { outputs.files.as_slice() } else { &[] };
        for written in write(run, case.as_ref(), &gpus, &team, outputs)? {
            let item = files.items[written.output.file];
            let path = written.output.path.escaped().to_string();
            let runs: Vec<_> = runs.iter().map(Run::to_string).collect();
            let items = counted(written.rows, item);
            log(quiet, &format!("{items} written to {path}, found by {}", runs.join(", ")));
        }
    }
    Ok(Exit::Success)
}

/// Reads or generates the one input.
fn input(request: &ProcessRequest, files: OutputFiles) -> Result<Box<dyn Case>, Failure> {
    let task = request.measuring.task;
    match &request.measuring.source {
        Source::File { files, options, damage } => {
            Ok(read_case(task, files, &only_combination(request, options)?, *damage)?)
        }
        Source::Generated(axes) => {
            let plan = task.plan(only_combination(request, axes)?)?;
            if let Some(axis) = files.single.filter(|axis| plan.params.get(axis) != Some("1")) {
                let count = plan.params.get(axis).unwrap_or_default();
                let item = files.items[0];
                return Err(Failure::Usage(format!(
                    "{axis}={count}: a file has the {item}s of one: add --{axis} 1"
                )));
            }
            check_memory(&plan)?;
            Ok(task.generate(&plan.params, request.measuring.settings.seed)?)
        }
    }
}

fn only_combination(request: &ProcessRequest, values: &AxisValues) -> Result<Params, Failure> {
    let mut combinations = values.combinations();
    match combinations.pop() {
        Some(only) if combinations.is_empty() => Ok(only),
        _ => Err(Failure::Usage(format!(
            "{}: results are of one input, but {} are described; give one value to each flag",
            request.outputs.flags,
            values.count()
        ))),
    }
}

/// Remarks about the input, the first defects one by one.
fn remarks(case: &dyn Case) -> Vec<String> {
    let mut remarks = case.defects();
    let defects = remarks.len();
    remarks.truncate(LISTED);
    if defects > LISTED {
        remarks.push(format!("and {} more", defects - LISTED));
    }
    let listed: BTreeSet<_> = remarks.iter().cloned().collect();
    remarks.extend(case.notes().into_iter().filter(|note| !listed.contains(note)));
    remarks
}

/// A file that was written.
struct Written<'r> {
    output: &'r OutputPath,
    rows: usize,
}

/// Runs a variant, checks its output and writes it to files.
fn write<'r>(
    run: &Run,
    case: &dyn Case,
    gpus: &Gpus,
    team: &Team,
    outputs: &'r [OutputPath],
) -> Result<Vec<Written<'r>>, Failure> {
    let Run { device, .. } = run;
    let target = gpus.target(*device, team).map_err(|problem| {
        Failure::NothingMeasured(format!("{device} can't be used: {problem}; run bench devices"))
    })?;
    let mut candidate = case
        .prepare(run.variant, &target)
        .map_err(|problem| Failure::NothingMeasured(format!("{run}: {problem}")))?;
    let written = use_checked(candidate.as_mut(), &target, |candidate| {
        let written = outputs.iter().map(|output| {
            let rows = candidate.write_output(output.file, &output.path)?;
            Ok(Written { output, rows })
        });
        written.collect()
    });
    written.map_err(|problem| match problem {
        CheckError::Wrong(problem) => Failure::WrongOutput(format!("{run}: {problem}")),
        CheckError::Device(problem) => Failure::NothingMeasured(format!("{run}: {problem}")),
    })?
}
