//! Requests of commands that measure suites of their own: `bench selftest`, `portability` and
//! `reproduce`.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{RangedI64ValueParser, TypedValueParser};
use clap::{Args, ValueEnum};
use tasks::device::Device;

use super::{DEFAULT_STORE, OutputFlags, Outputs, SelfTests, values};

/// Request of a self-test.
#[derive(Args, Clone, Debug)]
pub struct SelfTestRequest {
    /// Suite to measure: a TOML file, or a built-in one.
    #[arg(long, value_name = "SUITE", default_value = "selftest")]
    pub suite: PathBuf,
    /// Comparisons to test: paired runs only (faster), or also separate runs.
    #[arg(long = "way", value_name = "WAY", value_parser = values::choice::<SelfTestMode>(), default_value = "both")]
    pub mode: SelfTestMode,
    /// Repetitions of each slowdown.
    #[arg(long, value_name = "N", value_parser = repeats(), default_value = "1")]
    pub repeats: usize,
    /// A new folder below `results/` if not given.
    #[arg(long, value_name = "DIR")]
    #[arg(help = "Folder for the runs [default: results/<UTC time>-selftest]")]
    pub out: Option<PathBuf>,
    /// Formats of the result.
    #[command(flatten)]
    pub format: Outputs<SelfTests>,
    /// Store of runs and self-tests.
    #[arg(long, value_name = "DIR", default_value = DEFAULT_STORE)]
    pub store: PathBuf,
    /// Hide progress.
    #[arg(long, short)]
    pub quiet: bool,
    /// The command line as typed.
    #[arg(skip)]
    pub command: Vec<String>,
}

/// Kinds of comparison to test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SelfTestMode {
    /// Separate runs and paired runs.
    Both,
    /// Paired runs only.
    InTurn,
}

fn repeats() -> impl TypedValueParser<Value = usize> {
    let repeats = RangedI64ValueParser::<u32>::new().range(1..=1000);
    repeats.map(|repeats| repeats as usize)
}

/// Portable kernels to compare with native ones.
#[derive(Args, Clone, Debug)]
pub struct PortabilityRequest {
    /// Tasks [default: all with both native and portable kernels]
    #[arg(value_name = "TASK", num_args = 0..)]
    pub tasks: Vec<String>,
    /// GPU by both its names, cuda:N and wgpu:N; cuda:N alone for portable kernels in CUDA [default:
    /// the first CUDA GPU, by both]
    #[arg(long = "device", value_name = "DEVICE", value_delimiter = ',')]
    #[arg(value_parser = values::device)]
    pub devices: Vec<Device>,
    /// Load kernels that name their native counterparts from a shared library; repeatable.
    #[arg(long = "plugin", value_name = "LIB")]
    pub plugins: Vec<PathBuf>,
    /// Use the samples of this run of the suite gpu-portability instead of measuring.
    #[arg(long, value_name = "RUN", conflicts_with_all = ["budget", "devices"])]
    pub run: Option<PathBuf>,
    /// Time budget of all points, without generating and checking data.
    #[arg(long, value_name = "TIME", value_parser = values::duration, default_value = "8m")]
    pub budget: Duration,
    /// Output options. Table and chart of an earlier run are written only with `--out`.
    #[command(flatten, next_help_heading = "Output")]
    pub output: OutputFlags,
    /// File with defaults of flags, if any.
    #[arg(skip)]
    pub config: Option<PathBuf>,
    /// The command line as typed.
    #[arg(skip)]
    pub command: Vec<String>,
}

/// Published figures to measure.
#[derive(Args, Clone, Debug)]
pub struct ReproduceRequest {
    /// Figures and tables by their ids or groups, such as tab5.1 or secB [default: all]
    #[arg(value_name = "FIGURE", num_args = 0..)]
    pub figures: Vec<String>,
    /// List the figures, and why some are not available here.
    #[arg(long)]
    pub list: bool,
    /// Load variants that figures show from a shared library; repeatable.
    #[arg(long = "plugin", value_name = "LIB")]
    pub plugins: Vec<PathBuf>,
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
