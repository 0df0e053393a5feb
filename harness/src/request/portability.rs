//! Request of `bench portability`.

use std::path::PathBuf;
use std::time::Duration;

use algorithms::device::Device;
use clap::Args;

use super::{OutputFlags, values};

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
