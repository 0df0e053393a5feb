//! `bench list`

use std::collections::BTreeMap;

use crate::registry::tasks;
use portable_gpu::{cuda, hip, webgpu};
use reports::table::{Format, Side, aligned};
use serde_json::{Value, json};
use tasks::algorithm::Semantics;
use tasks::device::{Backend, Device};
use tasks::task::{Task, VariantInfo};

use crate::failure::{Exit, Failure};
use crate::platform::gpus::{only_verifies, problem_of};
use crate::plugins::{self, Baseline};
use crate::request::{ListRequest, typed_default};
use crate::suite::built_in;

/// Spaces before variants and axes.
const INDENT: u16 = 4;

pub(super) fn run(request: &ListRequest) -> Result<Exit, Failure> {
    plugins::load(&request.plugins, Baseline::Listed)?;
    super::put(&request.format, |format, _| {
        Ok(if request.suites { suites(format) } else { variants(shown(&request.tasks), format) })
    })?;
    Ok(Exit::Success)
}

fn variants(tasks: &[&dyn Task], format: Format) -> String {
    match format {
        Format::Json => {
            let list: Vec<_> = tasks.iter().map(|task| describe(*task)).collect();
            format!("{:#}\n", Value::from(list))
        }
        _ => {
            let tables = tasks.iter().map(|task| table(*task));
            tables.chain(notes(tasks)).collect()
        }
    }
}

/// The tasks that are named, or all.
fn shown<'a>(named: &'a [&'static dyn Task]) -> &'a [&'static dyn Task] {
    if named.is_empty() { tasks() } else { named }
}

fn suites(format: Format) -> String {
    let suite = |suite: built_in::Listed| {
        json!({
            "name": suite.name,
            "description": suite.description,
            "needs_gpu": suite.needs_gpu,
        })
    };
    match format {
        Format::Json => {
            let list: Value = built_in::list().into_iter().map(suite).collect();
            format!("{list:#}\n")
        }
        _ => built_in::table(usize::MAX) + "\n",
    }
}

fn describe(task: &dyn Task) -> Value {
    let variant = |info: &VariantInfo| {
        let availability = info
            .unavailable_reason
            .map_or_else(|| availability(info.backend), |reason| Err(reason.to_owned()));
        json!({
            "name": info.name,
            "backend": info.backend.to_string(),
            "summary": info.summary,
            "stable": info.stable,
            "answers": answers(info),
            "plugin": info.plugin.map(|plugin| &plugin.file),
            "available": availability.is_ok(),
            "reason": availability.err(),
        })
    };
    let axis = |axis: &tasks::axis::Axis| json!({"name": axis.name, "help": axis.help, "default": axis.default});
    json!({
        "task": task.name(),
        "summary": task.info().summary,
        "variants": task.variants().iter().map(variant).collect::<Vec<_>>(),
        "axes": task.axes().iter().map(axis).collect::<Vec<_>>(),
        "emulator": emulation(),
    })
}

/// Checks that variants of a backend can be measured on this machine.
fn availability(backend: Backend) -> Result<(), String> {
    match backend {
        Backend::Cpu => Ok(()),
        Backend::Cuda => match hip::problem_of(0) {
            None => Ok(()),
            Some(_) => cuda::devices().map(drop),
        },
        Backend::Wgpu => measurable_adapters(),
    }
}

/// Checks that wgpu has an adapter in hardware.
fn measurable_adapters() -> Result<(), String> {
    let adapters = webgpu::adapters()?;
    let reasons = adapters.iter().map(|it| only_verifies(Device::Wgpu(it.number)));
    reasons.collect::<Option<Vec<_>>>().map_or(Ok(()), |reasons| Err(reasons.join("; ")))
}

/// Notes on devices that can't be used on this machine, with the reason.
fn notes(shown: &[&dyn Task]) -> Vec<String> {
    let mut notes: Vec<_> = shown.iter().flat_map(|task| missing(*task)).collect();
    let has_kernels = shown.iter().any(|task| has_backend(*task, Backend::Cuda));
    if let Err(reason) = availability(Backend::Cuda)
        && has_kernels
    {
        notes.push(format!("cuda variants can't be measured here: {reason}\n"));
    }
    let has_shaders = |task: &&dyn Task| has_backend(*task, Backend::Wgpu);
    if let Err(reason) = availability(Backend::Wgpu)
        && shown.iter().any(has_shaders)
    {
        notes.push(format!("wgpu variants can't be measured here: {reason}\n"));
    }
    if let Some(reason) = problem_of(Device::Emulator)
        && has_kernels
    {
        notes.push(format!("their kernels can't be checked here: {reason}\n"));
    }
    notes
}

fn has_backend(task: &dyn Task, backend: Backend) -> bool {
    task.variants().iter().any(|info| info.backend == backend)
}

/// A note for each reason why variants of a task are not there.
fn missing(task: &dyn Task) -> Vec<String> {
    let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for info in task.variants() {
        if let Some(reason) = info.unavailable_reason {
            reasons.entry(reason).or_default().push(info.name);
        }
    }
    let note = |(reason, names): (&str, Vec<&str>)| {
        format!("{} can't be measured: {reason}\n", names.join(", "))
    };
    reasons.into_iter().map(note).collect()
}

/// State of the emulator: available, or the reason why not.
fn emulation() -> Value {
    let problem = problem_of(Device::Emulator);
    json!({ "available": problem.is_none(), "reason": problem })
}

/// The right answers that it knows.
fn answers(info: &VariantInfo) -> Vec<&'static str> {
    let answers = info.semantics_supported.iter();
    answers.map(|semantics| semantics.name()).collect()
}

/// Suffix of a variant's summary if its answers differ from the default.
fn other_answers(info: &VariantInfo) -> String {
    match info.semantics_supported {
        [Semantics::Exact] => String::new(),
        _ => format!(" ({})", answers(info).join(", ")),
    }
}

/// Suffix of a variant's summary: the plugin that it comes from.
fn origin(info: &VariantInfo) -> String {
    info.plugin.map_or(String::new(), |plugin| format!(" [{}]", plugin.file))
}

fn table(task: &dyn Task) -> String {
    let infos = task.variants();
    let variants = infos.iter().map(|info| {
        let stable = if info.stable { "stable" } else { "" };
        let summary = format!("{}{}{}", info.summary, other_answers(info), origin(info));
        [info.name.to_owned(), info.backend.to_string(), stable.to_owned(), summary]
    });
    let axes = task.axes().iter().map(|axis| {
        let default = typed_default(axis);
        let default = default.map_or(String::new(), |value| format!(" [{value}]"));
        [format!("--{}", axis.name), format!("{}{default}", axis.help)]
    });
    format!(
        "{}: {}\n  variants\n{}  axes\n{}",
        task.name(),
        task.info().summary,
        aligned(INDENT, [Side::Left; 4], variants.collect()),
        aligned(INDENT, [Side::Left; 2], axes.collect())
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_runs_into_the_next_column() {
        for task in tasks() {
            let table = table(*task);
            let columns = |line: &str| {
                let (name, rest) = line.trim_start().split_once("  ").expect("two columns");
                (name.to_owned(), rest.trim_start().to_owned())
            };
            let mut rows = table.lines().filter(|line| line.starts_with("    ")).map(columns);
            for info in task.variants() {
                let (name, rest) = rows.next().expect("a row for each variant");
                assert_eq!(name, info.name, "{table}");
                assert!(rest.starts_with(&format!("{} ", info.backend)), "{table}");
            }
            for axis in task.axes() {
                let (name, rest) = rows.next().expect("a row for each axis");
                assert_eq!(name, format!("--{}", axis.name), "{table}");
                assert!(rest.starts_with(axis.help), "{table}");
            }
        }
    }
}
