//! What `bench portability` is asked for.

use std::path::PathBuf;
use std::time::Duration;

use algorithms::device::Device;
use clap::Args;

use super::{OutputFlags, values};

/// Kernels to be compared with native ones.
#[derive(Args, Clone, Debug)]
pub struct PortabilityRequest {
    /// Only these tasks [default: all whose kernels are there natively and portably]
    #[arg(value_name = "TASK", num_args = 0..)]
    pub tasks: Vec<String>,
    /// The GPU by both its names: cuda:N and wgpu:N; cuda:N alone for what is written otherwise in
    /// CUDA [default: the first GPU with CUDA, by both]
    #[arg(long = "device", value_name = "DEVICE", value_delimiter = ',')]
    #[arg(value_parser = values::device)]
    pub devices: Vec<Device>,
    /// A shared library with kernels that say which native ones they do the same as; repeatable.
    #[arg(long = "plugin", value_name = "LIB")]
    pub plugins: Vec<PathBuf>,
    /// Take the samples of this run of the suite gpu-portability rather than measure.
    #[arg(long, value_name = "RUN", conflicts_with_all = ["budget", "devices"])]
    pub run: Option<PathBuf>,
    /// Time for all points; making and checking data comes on top.
    #[arg(long, value_name = "TIME", value_parser = values::duration, default_value = "8m")]
    pub budget: Duration,
    /// What to leave behind. The table and the chart of an earlier run are written only if a
    /// folder is named.
    #[command(flatten, next_help_heading = "Output")]
    pub output: OutputFlags,
    /// The file with defaults of flags, if there is one.
    #[arg(skip)]
    pub config: Option<PathBuf>,
    /// The command line as typed.
    #[arg(skip)]
    pub command: Vec<String>,
}
