//! Request of `bench submission`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{DEFAULT_STORE, Outputs};

/// Action on runs to be published.
#[derive(Args, Clone, Debug)]
pub struct SubmissionRequest {
    /// Action.
    #[command(subcommand)]
    pub action: SubmissionAction,
}

/// Actions on runs to be published.
#[derive(Subcommand, Clone, Debug)]
pub enum SubmissionAction {
    /// Check a run, and copy it into a folder with the hashes of its files.
    Pack(PackRequest),
    /// Check runs, packed or not, against their own samples and plans.
    Check(CheckRequest),
}

/// Run to pack.
#[derive(Args, Clone, Debug)]
pub struct PackRequest {
    /// A run folder, or latest, accepted or an id of the store.
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// New folder [default: results/submissions/ and the name of the run]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Store of runs.
    #[arg(long, value_name = "DIR", default_value = DEFAULT_STORE)]
    pub store: PathBuf,
}

/// Runs to check.
#[derive(Args, Clone, Debug)]
pub struct CheckRequest {
    /// Runs: folders, packed ones, folders of runs, stores, or latest, accepted or ids of the store.
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<PathBuf>,
    /// Formats of the table.
    #[command(flatten)]
    pub format: Outputs,
    /// Store of runs.
    #[arg(long, value_name = "DIR", default_value = DEFAULT_STORE)]
    pub store: PathBuf,
}
