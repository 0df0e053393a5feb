//! Request of machines side by side: `bench machines`.

use std::path::PathBuf;

use clap::Args;
use reports::rank::Rank;

use super::{DEFAULT_STORE, Outputs, PointFlags, values};

/// Request of machines side by side.
#[derive(Args, Clone, Debug)]
pub struct MachinesRequest {
    /// Runs: folders, folders of runs, stores, or latest, accepted or ids of the store.
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<PathBuf>,
    /// Machine that others are compared with: its name, or a part of it [default: the first]
    #[arg(long, value_name = "NAME")]
    pub reference: Option<String>,
    /// Kinds of machines with their prices (.toml), as of bench plan.
    #[arg(long, value_name = "FILE")]
    pub prices: Option<PathBuf>,
    /// Folder for the rates (CSV), a chart, and a page.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Overwrite the page even if it is not a page of recobench.
    #[arg(long)]
    pub force: bool,
    /// Formats of the tables.
    #[command(flatten)]
    pub format: Outputs,
    /// Rank GPU variants by total time (copies included) or by kernel time.
    #[arg(long, value_name = "BY", value_parser = values::rank(), default_value = Rank::default().name())]
    pub rank: Rank,
    /// Store of runs.
    #[arg(long, value_name = "DIR", default_value = DEFAULT_STORE)]
    pub store: PathBuf,
    /// Points to compare.
    #[command(flatten, next_help_heading = "Points")]
    pub points: PointFlags,
}
