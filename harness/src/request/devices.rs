//! Request of `bench devices`.

use std::path::PathBuf;

use clap::Args;

use super::{DescriptionFormat, Outputs};

/// Description or measurement of this machine.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub struct DevicesRequest {
    /// Measure memory bandwidth, GPU links and latencies, too.
    #[arg(long)]
    pub measure: bool,
    /// Formats of the description.
    #[command(flatten)]
    pub format: Outputs<DescriptionFormat>,
    /// Folder for ceilings.json, links.csv and the chart of the links.
    #[arg(long, value_name = "DIR", requires = "measure")]
    pub out: Option<PathBuf>,
}
