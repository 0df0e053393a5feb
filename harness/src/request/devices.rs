//! What `bench devices` is asked for.

use std::path::PathBuf;

use clap::Args;

use super::{DescriptionFormat, Outputs};

/// This machine, to be shown or measured.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub struct DevicesRequest {
    /// Measure memory bandwidth, links to GPUs and latencies too.
    #[arg(long)]
    pub measure: bool,
    /// How it is shown, and in which files.
    #[command(flatten)]
    pub format: Outputs<DescriptionFormat>,
    /// Folder for ceilings.json, links.csv and the chart of the links.
    #[arg(long, value_name = "DIR", requires = "measure")]
    pub out: Option<PathBuf>,
}
