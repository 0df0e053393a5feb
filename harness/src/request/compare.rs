//! What `bench compare` is asked for.

use std::path::PathBuf;
use std::time::Duration;

use reports::compare::Thresholds;
use reports::compare::render::{Format, Listing};
use reports::filter::PointFilter;

use super::Outputs;

/// Two runs to compare.
#[derive(Clone, Debug)]
pub struct CompareRequest {
    /// The run that is compared with: a folder, or a name in the store.
    pub base: String,
    /// The run that is judged: a folder, or a name in the store.
    pub new: String,
    /// Where runs and self-tests are kept.
    pub store: PathBuf,
    /// What counts as a change.
    pub thresholds: Thresholds,
    /// Which points.
    pub points: PointFilter,
    /// What makes the exit code 4.
    pub fail_on: FailOn,
    /// Whether runs of unlike machines may be compared.
    pub across_machines: bool,
    /// Whether to measure again what is slower or not clear.
    pub confirm: bool,
    /// The time that measuring again may take, whoever measures.
    pub confirm_time: Duration,
    /// The executable that made the base, to measure with it again.
    pub base_bench: Option<PathBuf>,
    /// How to print the comparison, and into which files.
    pub format: Outputs<Format>,
    /// Which points to list.
    pub listing: Listing,
    /// No lines on how far it is.
    pub quiet: bool,
    /// The flags of these that judge and confirm as they were given, word by
    /// word: what is advised has to have them, too.
    pub given: Vec<String>,
}

/// What a comparison must not find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailOn {
    /// A point that is slower.
    Slower,
    /// That, or one that could not be judged.
    Inconclusive,
}

/// Where runs are kept if nobody says otherwise.
pub const DEFAULT_STORE: &str = "results/store";
