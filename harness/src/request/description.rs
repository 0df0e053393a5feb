//! Requests of commands that describe: `bench list` and `bench devices`.

use std::path::PathBuf;

use algorithms::registry::{task, tasks};
use algorithms::task::Task;
use clap::Args;
use text::Untrusted;

use super::values::instead_of;
use super::{Descriptions, Outputs};

/// Tasks or suites to list.
#[derive(Args, Clone)]
pub struct ListRequest {
    /// Tasks to list [default: all]
    #[arg(value_name = "TASK", num_args = 0.., value_parser = known_task)]
    pub tasks: Vec<&'static dyn Task>,
    /// List the built-in suites of bench run.
    #[arg(long, conflicts_with = "tasks")]
    pub suites: bool,
    /// Formats of the list.
    #[command(flatten)]
    pub format: Outputs<Descriptions>,
    /// Load variants from a shared library; repeatable.
    #[arg(long = "plugin", value_name = "LIB")]
    pub plugins: Vec<PathBuf>,
}

fn known_task(name: &str) -> Result<&'static dyn Task, String> {
    let unknown = || {
        let known: Vec<_> = tasks().iter().map(|task| task.name()).collect();
        format!("unknown task {}; {}", name.quoted(), instead_of(name, &known))
    };
    task(name).ok_or_else(unknown)
}

/// Description or measurement of this machine.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub struct DevicesRequest {
    /// Measure memory bandwidth, GPU links and latencies, too.
    #[arg(long)]
    pub measure: bool,
    /// Formats of the description.
    #[command(flatten)]
    pub format: Outputs<Descriptions>,
    /// Folder for ceilings.json, links.csv and the chart of the links.
    #[arg(long, value_name = "DIR", requires = "measure")]
    pub out: Option<PathBuf>,
}
