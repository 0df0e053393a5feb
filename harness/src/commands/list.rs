//! `bench list`

use std::fmt::Write;

use algorithms::device::gpu::cuda;
use algorithms::device::{Backend, Device};
use algorithms::registry::tasks;
use algorithms::task::{Task, VariantInfo};
use serde_json::{Value, json};

use crate::failure::{Exit, Failure};
use crate::gpus::problem_of;

pub(super) fn run(as_json: bool) -> Result<Exit, Failure> {
    let text = if as_json {
        let list: Vec<_> = tasks().iter().map(|task| describe(*task)).collect();
        format!("{:#}\n", Value::from(list))
    } else {
        let tables = tasks().iter().map(|task| table(*task));
        tables.chain(notes()).collect()
    };
    super::print(&text)?;
    Ok(Exit::Success)
}

fn describe(task: &dyn Task) -> Value {
    let variant = |info: &VariantInfo| {
        let availability = availability(info.backend);
        json!({
            "name": info.name,
            "backend": info.backend.to_string(),
            "summary": info.summary,
            "stable": info.stable,
            "available": availability.is_ok(),
            "reason": availability.err(),
        })
    };
    let axis = |axis: &algorithms::axis::Axis| json!({"name": axis.name, "help": axis.help, "default": axis.default});
    json!({
        "task": task.name(),
        "summary": task.summary(),
        "variants": task.variants().iter().map(variant).collect::<Vec<_>>(),
        "axes": task.axes().iter().map(axis).collect::<Vec<_>>(),
        "emulator": emulation(),
    })
}

/// Whether variants for a backend can be measured here, or why not.
fn availability(backend: Backend) -> Result<(), String> {
    match backend {
        Backend::Cpu => Ok(()),
        Backend::Cuda => cuda::devices().map(drop),
    }
}

/// What can't be used here, and why.
fn notes() -> Vec<String> {
    let mut notes = Vec::new();
    if let Err(reason) = availability(Backend::Cuda) {
        notes.push(format!("cuda variants can't be measured here: {reason}\n"));
    }
    if let Some(reason) = problem_of(Device::Emulator) {
        notes.push(format!("their kernels can't be checked here: {reason}\n"));
    }
    notes
}

/// Whether their kernels can be checked here, or why not.
fn emulation() -> Value {
    let problem = problem_of(Device::Emulator);
    json!({ "available": problem.is_none(), "reason": problem })
}

fn table(task: &dyn Task) -> String {
    let mut text = format!("{}: {}\n  variants\n", task.name(), task.summary());
    for info in task.variants() {
        let stable = if info.stable { "stable" } else { "" };
        let (name, backend) = (info.name, info.backend);
        let _ = writeln!(
            text,
            "    {name:<23}{backend:<6}{stable:<8}{}",
            info.summary
        );
    }
    text.push_str("  axes\n");
    for axis in task.axes() {
        let default = axis
            .default
            .map_or(String::new(), |value| format!(" [{value}]"));
        let _ = writeln!(text, "    --{:<14}{}{default}", axis.name, axis.help);
    }
    text
}
