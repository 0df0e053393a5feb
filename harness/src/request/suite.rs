//! What `bench run` is asked for.

use std::path::PathBuf;
use std::time::Duration;

use reports::compare::render::{Format as ComparisonFormat, Listing};
use reports::rank::Rank;
use reports::record::Shard;
use reports::table::Format;

use super::{FailOn, Outputs};

/// A suite to measure, or to merge.
#[derive(Clone, Debug)]
pub struct SuiteRequest {
    /// The file, or the name of a built-in suite.
    pub suite: PathBuf,
    /// Shared libraries with more variants, beside those that the suite names.
    pub plugins: Vec<PathBuf>,
    /// Where the results go; a new folder below `results/` if not given.
    pub out: Option<PathBuf>,
    /// Where the history is kept; `None` to keep nothing.
    pub store: Option<PathBuf>,
    /// What to measure it in turn with; `None` to measure it by itself.
    pub against: Option<AgainstRequest>,
    /// Time for all points together.
    pub budget: Option<Duration>,
    /// Which part to measure; `None` for all.
    pub shard: Option<Shard>,
    /// Run folders of shards to be merged instead of measuring.
    pub merge: Vec<PathBuf>,
    /// Only say what would be measured.
    pub dry_run: bool,
    /// Begin anew rather than go on where a run stopped.
    pub fresh: bool,
    /// Whether to measure the bandwidths that times are related to.
    pub ceilings: bool,
    /// Whether to have the processor count cycles, instructions and misses.
    pub counters: bool,
    /// How to print the table, and into which files.
    pub format: Outputs<Format>,
    /// What variants are ranked by, where there is a choice.
    pub rank: Rank,
    /// The file with defaults of flags, if there is one.
    pub config: Option<PathBuf>,
    /// Whether to draw charts.
    pub charts: bool,
    /// No lines on how far it is.
    pub quiet: bool,
    /// The command line as typed.
    pub command: Vec<String>,
}

/// A base to measure a suite in turn with.
#[derive(Clone, Debug)]
pub struct AgainstRequest {
    /// A run of the store, an executable or a revision.
    pub base: String,
    /// How to print the comparison, and into which files.
    pub format: Outputs<ComparisonFormat>,
    /// Which points to list.
    pub listing: Listing,
    /// What makes the exit code 4.
    pub fail_on: FailOn,
}
