//! `bench process`: outputs of variants as files; nothing is measured. Selection of variants and
//! devices for that.

use std::fmt;

use reports::units::counted;
use tasks::algorithm::{OutputFiles, VariantChoice};
use tasks::axis::Params;
use tasks::device::{Backend, Device, Team};
use tasks::task::{Case, VariantInfo};
use text::Untrusted;

use super::log;
use crate::failure::{Exit, Failure};
use crate::measure::{CheckError, use_checked};
use crate::plan::{check_memory, device_names, read_case, select_variants};
use crate::platform::gpus::{Gpus, problem_of, usable_devices};
use crate::plugins::{self, Baseline};
use crate::request::{AxisValues, OutputPath, ProcessRequest, Settings, Source};

/// Defects that are listed one by one.
const LISTED: usize = 10;

pub(super) fn run(request: &ProcessRequest) -> Result<Exit, Failure> {
    let ProcessRequest { measuring, outputs } = request;
    let task = measuring.task;
    let quiet = measuring.session.output.quiet;
    let files = task.output_files().expect("the command line accepts tasks with outputs only");
    for output in &outputs.files {
        (files.format.check)(&output.path)?;
    }
    plugins::load(&measuring.settings.plugins, Baseline::Measured)?;
    let runs = select(request, files)?;
    let case = input(request, files)?;
    remarks(case.as_ref()).iter().for_each(|remark| log(quiet, remark));
    let team = Team::new(measuring.settings.thread_counts()[0].all)?;
    let gpus = Gpus::default();
    let names = runs.iter().map(Run::to_string).collect::<Vec<_>>().join(", ");
    for (number, run) in runs.iter().enumerate() {
        // All outputs are right, so one of them is as good as the others.
        let outputs = if number == 0 { outputs.files.as_slice() } else { &[] };
        for written in write(run, case.as_ref(), &gpus, &team, outputs)? {
            let items = counted(written.rows, files.items[written.output.file]);
            let path = written.output.path.escaped();
            log(quiet, &format!("{items} written to {path}, found by {names}"));
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
    let notes: Vec<_> = case.notes().into_iter().filter(|note| !remarks.contains(note)).collect();
    remarks.extend(notes);
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

/// A variant and the device that it runs on.
struct Run {
    device: Device,
    /// Index of the variant in its task.
    variant: usize,
    name: &'static str,
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on {}", self.name, self.device)
    }
}

/// Variants of a task, and which of them are wanted.
struct Selection<'r> {
    infos: Vec<VariantInfo>,
    files: OutputFiles,
    settings: &'r Settings,
    choice: VariantChoice,
}

/// Selects the variants to run, each with its device.
///
/// Named devices are used and no others. Without `--device`, a named variant runs on the first
/// device that has it, and the default is the CPU's.
fn select(request: &ProcessRequest, files: OutputFiles) -> Result<Vec<Run>, Failure> {
    let settings = &request.measuring.settings;
    let infos = request.measuring.task.variants();
    let selection = Selection { infos, files, settings, choice: request.outputs.choice };
    let devices = devices(settings)?;
    let mut chosen = selection.matching(&devices)?;
    if settings.devices.is_empty() {
        keep_first_of_each_name(&mut chosen);
    }
    if chosen.is_empty() {
        return Err(Failure::Usage(selection.mismatch(&devices)?));
    }
    if request.outputs.choice == VariantChoice::One {
        keep_first_of_each_name(&mut chosen);
        if chosen.len() > 1 {
            return Err(Failure::Usage(several(&chosen, &request.outputs.flags)));
        }
    }
    Ok(chosen)
}

/// The devices that were named, all of which have to be there, or those to choose from.
fn devices(settings: &Settings) -> Result<Vec<Device>, Failure> {
    for &device in &settings.devices {
        if let Some(reason) = problem_of(device) {
            return Err(Failure::NothingMeasured(format!("{device} can't be used: {reason}")));
        }
    }
    Ok(match (settings.devices.is_empty(), settings.variants.is_empty()) {
        (false, _) => settings.devices.clone(),
        (true, true) => vec![Device::Cpu],
        (true, false) => usable_devices(),
    })
}

impl Selection<'_> {
    /// The requested variants, each with every device that has it.
    fn matching(&self, devices: &[Device]) -> Result<Vec<Run>, Failure> {
        let mut chosen = Vec::new();
        for &device in devices {
            let selected = self.selected(device)?.into_iter();
            let here = selected.filter(|&index| self.infos[index].backend == device.backend());
            let run = |variant: usize| Run { device, variant, name: self.infos[variant].name };
            chosen.extend(here.map(run));
        }
        Ok(chosen)
    }

    /// The indices of the requested variants, of any backend.
    fn selected(&self, device: Device) -> Result<Vec<usize>, Failure> {
        let names = match (self.settings.variants.as_slice(), self.choice) {
            ([], VariantChoice::One) => &[self.files.default_variant(device.backend()).to_owned()],
            (names, _) => names,
        };
        select_variants(&self.infos, names).map_err(Failure::Usage)
    }

    /// Describes that no selected device has a requested variant, and which devices have it.
    fn mismatch(&self, devices: &[Device]) -> Result<String, Failure> {
        let mut devices_of: Vec<(&str, Vec<&str>)> = Vec::new();
        for index in self.selected(devices[0])? {
            let info = &self.infos[index];
            let mut names = device_names(info.backend).to_vec();
            if info.backend == Backend::Cuda {
                names.push("emulator");
            }
            match devices_of.iter_mut().find(|(name, _)| *name == info.name) {
                Some((_, devices)) => devices.append(&mut names),
                None => devices_of.push((info.name, names)),
            }
        }
        let devices_of: Vec<_> = devices_of
            .into_iter()
            .map(|(name, devices)| format!("{name} runs on {}", devices.join(", ")))
            .collect();
        let devices: Vec<_> = devices.iter().map(Device::to_string).collect();
        Ok(format!(
            "no requested variant runs on {}: {}; choose with --device and --variant",
            devices.join(", "),
            devices_of.join("; ").escaped()
        ))
    }
}

fn keep_first_of_each_name(chosen: &mut Vec<Run>) {
    let mut names = Vec::new();
    chosen.retain(|run| {
        let is_new = !names.contains(&run.name);
        names.push(run.name);
        is_new
    });
}

fn several(chosen: &[Run], flags: &str) -> String {
    let runs: Vec<_> = chosen.iter().map(Run::to_string).collect();
    format!("{flags}: results are written by one variant; --variant names {}", runs.join(", "))
}
