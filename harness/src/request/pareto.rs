//! Request of `bench pareto`: a measuring command that varies parameters of the algorithm.

use clap::Args;
use tasks::axis::{Axis, Role};
use tasks::task::Task;
use text::Untrusted;

use super::{MeasureRequest, Source};

/// Speed and quality that settings of an algorithm are compared by.
pub struct ParetoRequest {
    /// The task and all flags of measuring.
    pub measuring: MeasureRequest,
    /// Parameters and metrics.
    pub flags: ParetoFlags,
}

/// Parameters to vary, and metrics to compare by.
#[derive(Args, Clone, Debug)]
pub struct ParetoFlags {
    /// Values of a parameter of the algorithm, such as min-digis=3,10,20; repeatable.
    #[arg(long, value_name = "FLAG=A,B,C", required = true, help_heading = "Sweep")]
    pub vary: Vec<String>,
    /// Metric of speed.
    #[arg(long, value_name = "METRIC", default_value = "items_per_s", help_heading = "Sweep")]
    pub speed: String,
    /// Metrics of quality [default: efficiency, and ghosts or fakes]
    #[arg(long, value_name = "METRIC", value_delimiter = ',', help_heading = "Sweep")]
    pub quality: Vec<String>,
}

impl ParetoRequest {
    /// Sets the values of the parameters to vary.
    ///
    /// # Errors
    /// If a flag is not a parameter of the algorithm, or a value is invalid.
    pub(crate) fn vary(&mut self) -> Result<(), String> {
        let task = self.measuring.task;
        for vary in &self.flags.vary {
            let (flag, values) = vary.split_once('=').ok_or_else(|| {
                format!("--vary {}: use FLAG=A,B,C, such as min-digis=3,10", vary.quoted())
            })?;
            let axes = match &self.measuring.source {
                Source::Generated(_) => task.axes(),
                Source::File { .. } => task.file_axes(),
            };
            let axis = parameter(task, axes, flag.trim_start_matches('-'))?;
            let parse = |value: &str| {
                let plain = axis.parse(value.trim());
                plain.map_err(|error| format!("--vary {}: {error}", vary.quoted()))
            };
            let values = values.split(',').map(parse).collect::<Result<Vec<_>, _>>()?;
            let given = match &mut self.measuring.source {
                Source::Generated(given) => given,
                Source::File { options, .. } => options,
            };
            given.insert(axis.name, values).map_err(|name| {
                format!("--{name} has values already; give them with one --vary only")
            })?;
        }
        Ok(())
    }
}

/// The parameter of an algorithm of this name.
fn parameter(task: &dyn Task, axes: &'static [Axis], name: &str) -> Result<&'static Axis, String> {
    let found = axes.iter().find(|axis| axis.name == name);
    if let Some(axis) = found.filter(|axis| axis.role == Role::Algorithm) {
        return Ok(axis);
    }
    let own = axes.iter().filter(|axis| axis.role == Role::Algorithm);
    let names: Vec<String> = own.map(|axis| format!("--{}", axis.name)).collect();
    let known = match names.as_slice() {
        [] => format!("{} has none", task.name()),
        names => format!("use {}", names.join(", ")),
    };
    let name = name.escaped();
    Err(match found {
        Some(_) => format!("--{name} describes the data, not the algorithm: {known}"),
        None => format!("--{name} is not a parameter of the algorithm: {known}"),
    })
}
