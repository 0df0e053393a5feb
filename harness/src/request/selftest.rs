//! What `bench selftest` is asked for.

use std::path::PathBuf;

use reports::compare::render::SelfTestFormat;

use super::Outputs;

/// A self-test to be made.
#[derive(Clone, Debug)]
pub struct SelfTestRequest {
    /// The suite whose points are measured.
    pub suite: PathBuf,
    /// The ways to compare that are tried.
    pub way: Ways,
    /// How often to go through all slowdowns.
    pub repeats: usize,
    /// Where the runs go; a new folder below `results/` if not given.
    pub out: Option<PathBuf>,
    /// Where the outcome is kept.
    pub store: PathBuf,
    /// How to print the outcome, and into which files.
    pub format: Outputs<SelfTestFormat>,
    /// No lines on how far it is.
    pub quiet: bool,
    /// The command line as typed.
    pub command: Vec<String>,
}

/// Ways to compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ways {
    /// Whole runs one after the other, and in turn.
    Both,
    /// In turn only.
    InTurn,
}
