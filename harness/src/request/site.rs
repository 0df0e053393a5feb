//! Request of `bench site`.

use std::path::PathBuf;

use clap::Args;

use super::{DEFAULT_STORE, PointFlags};

/// Request for the pages of a store.
#[derive(Args, Clone, Debug)]
pub struct SiteRequest {
    /// Store of runs.
    #[arg(long, value_name = "DIR", default_value = DEFAULT_STORE)]
    pub store: PathBuf,
    /// Folder of the pages; open its index.html.
    #[arg(long, value_name = "DIR", default_value = "results/site")]
    pub out: PathBuf,
    /// Title [default: the store's folder]
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// Overwrite pages even if they are not pages of recobench.
    #[arg(long)]
    pub force: bool,
    /// Points that get pages.
    #[command(flatten, next_help_heading = "Points")]
    pub points: PointFlags,
}
