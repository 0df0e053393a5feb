//! Request of a plan of farms: `bench plan`.

use std::path::PathBuf;

use clap::Args;

use super::{DEFAULT_STORE, Outputs};

/// Request of a plan of farms.
#[derive(Args, Clone, Debug)]
pub struct PlanRequest {
    /// Rate, headroom, years and prices (.toml)
    #[arg(long, value_name = "FILE")]
    pub need: PathBuf,
    /// Kinds of machines, each with the runs that measured it (.toml)
    #[arg(long, value_name = "FILE")]
    pub machines: PathBuf,
    /// Runs of bench throughput or mixed for machines that name none: folders, or ids of the store.
    #[arg(long, value_name = "RUN", num_args = 1..)]
    pub results: Vec<PathBuf>,
    /// Folder for a chart of cost over power, and a page with all assumptions.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Overwrite the page even if it is not a page of recobench.
    #[arg(long)]
    pub force: bool,
    /// Formats of the plan.
    #[command(flatten)]
    pub format: Outputs,
    /// Store of runs.
    #[arg(long, value_name = "DIR", default_value = DEFAULT_STORE)]
    pub store: PathBuf,
}
