//! What `bench site` is asked for.

use std::path::PathBuf;

use clap::Args;

use super::{DEFAULT_STORE, PointFlags};

/// A store as pages.
#[derive(Args, Clone, Debug)]
pub struct SiteRequest {
    /// Where runs are kept.
    #[arg(long, value_name = "DIR", default_value = DEFAULT_STORE)]
    pub store: PathBuf,
    /// The folder of the pages; open index.html in it.
    #[arg(long, value_name = "DIR", default_value = "results/site")]
    pub out: PathBuf,
    /// The heading [default: the store's folder]
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// Replace pages even if they are no pages of recobench.
    #[arg(long)]
    pub force: bool,
    /// Which points have pages.
    #[command(flatten, next_help_heading = "Points")]
    pub points: PointFlags,
}
