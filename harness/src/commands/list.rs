//! `bench list`

use std::fmt::Write;

use algorithms::registry::tasks;
use algorithms::task::{Task, VariantInfo};
use serde_json::{Value, json};

use crate::failure::{Exit, Failure};

pub(super) fn run(as_json: bool) -> Result<Exit, Failure> {
    let text = if as_json {
        let list: Vec<_> = tasks().iter().map(|task| describe(*task)).collect();
        format!("{:#}\n", Value::from(list))
    } else {
        tasks().iter().map(|task| table(*task)).collect()
    };
    super::print(&text)?;
    Ok(Exit::Success)
}

fn describe(task: &dyn Task) -> Value {
    let variant = |info: &VariantInfo| {
        json!({
            "name": info.name,
            "backend": info.backend.to_string(),
            "summary": info.summary,
            "stable": info.stable,
            "available": true,
            "reason": Value::Null,
        })
    };
    let axis = |axis: &algorithms::axis::Axis| json!({"name": axis.name, "help": axis.help, "default": axis.default});
    json!({
        "task": task.name(),
        "summary": task.summary(),
        "variants": task.variants().iter().map(variant).collect::<Vec<_>>(),
        "axes": task.axes().iter().map(axis).collect::<Vec<_>>(),
    })
}

fn table(task: &dyn Task) -> String {
    let mut text = format!("{}: {}\n  variants\n", task.name(), task.summary());
    for info in task.variants() {
        let stable = if info.stable { "stable" } else { "" };
        let (name, backend) = (info.name, info.backend);
        let _ = writeln!(
            text,
            "    {name:<18}{backend:<6}{stable:<8}{}",
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
