//! What `bench reproduce` is asked for.

use std::path::PathBuf;
use std::time::Duration;

use reports::rank::Rank;
use reports::table::Format;

use super::Outputs;

/// Published figures to be measured.
#[derive(Clone, Debug)]
pub struct ReproduceRequest {
    /// Their ids; all if there are none.
    pub figures: Vec<String>,
    /// A run that has measured them; they are measured now if not given.
    pub run: Option<PathBuf>,
    /// Time for all points together.
    pub budget: Duration,
    /// Where the results go; a new folder below `results/` if not given. Charts and page of
    /// an earlier run are written only if it is.
    pub out: Option<PathBuf>,
    /// How to print what came of it, and into which files.
    pub format: Outputs<Format>,
    /// What variants are ranked by on the page.
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
