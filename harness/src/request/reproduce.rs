//! What `bench reproduce` is asked for.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::{OutputFlags, values};

/// Published figures to be measured.
#[derive(Args, Clone, Debug)]
pub struct ReproduceRequest {
    /// Figures and tables by their ids or groups, such as tab5.1 or secB [default: all]
    #[arg(value_name = "FIGURE", num_args = 0..)]
    pub figures: Vec<String>,
    /// Show which figures there are, and why some can't be had.
    #[arg(long)]
    pub list: bool,
    /// Take the numbers from this run of the suite thesis rather than measure.
    #[arg(long, value_name = "RUN", conflicts_with = "budget")]
    pub run: Option<PathBuf>,
    /// Time for all points; making and checking data comes on top.
    #[arg(long, value_name = "TIME", value_parser = values::duration, default_value = "8m")]
    pub budget: Duration,
    /// What to leave behind. Charts and page of an earlier run are written only if a folder is
    /// named.
    #[command(flatten, next_help_heading = "Output")]
    pub output: OutputFlags,
    /// The file with defaults of flags, if there is one.
    #[arg(skip)]
    pub config: Option<PathBuf>,
    /// The command line as typed.
    #[arg(skip)]
    pub command: Vec<String>,
}
