//! What `bench list` is asked for.

use std::path::PathBuf;

use algorithms::registry::{task, tasks};
use algorithms::task::Task;
use clap::Args;
use text::Foreign;

use super::suggestion::instead_of;
use super::{DescriptionFormat, Outputs};

/// What is to be listed.
#[derive(Args, Clone)]
pub struct ListRequest {
    /// Only these tasks [default: all]
    #[arg(value_name = "TASK", num_args = 0.., value_parser = known_task)]
    pub tasks: Vec<&'static dyn Task>,
    /// The suites that come with the binary, for bench run.
    #[arg(long, conflicts_with = "tasks")]
    pub suites: bool,
    /// How it is written, and into which files.
    #[command(flatten)]
    pub format: Outputs<DescriptionFormat>,
    /// A shared library with variants of your own; repeatable.
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
