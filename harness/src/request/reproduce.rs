//! Request of `bench reproduce`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::{OutputFlags, values};

/// Published figures to measure.
#[derive(Args, Clone, Debug)]
pub struct ReproduceRequest {
    /// Figures and tables by their ids or groups, such as tab5.1 or secB [default: all]
    #[arg(value_name = "FIGURE", num_args = 0..)]
    pub figures: Vec<String>,
    /// List the figures, and why some are not available here.
    #[arg(long)]
    pub list: bool,
    /// Use the results of this run of the suite thesis instead of measuring.
    #[arg(long, value_name = "RUN", conflicts_with = "budget")]
    pub run: Option<PathBuf>,
    /// Time budget of all points, without generating and checking data.
    #[arg(long, value_name = "TIME", value_parser = values::duration, default_value = "8m")]
    pub budget: Duration,
    /// Output options. Charts and page of an earlier run are written only with `--out`.
    #[command(flatten, next_help_heading = "Output")]
    pub output: OutputFlags,
    /// File with defaults of flags, if any.
    #[arg(skip)]
    pub config: Option<PathBuf>,
    /// The command line as typed.
    #[arg(skip)]
    pub command: Vec<String>,
}
