//! What `bench list` is asked for.

use std::path::PathBuf;

use algorithms::task::Task;

use super::Outputs;

/// What is to be listed.
pub struct ListRequest {
    /// What is in the list.
    pub what: Listed,
    /// How it is written, and into which files.
    pub format: Outputs<ListFormat>,
    /// Shared libraries with more variants.
    pub plugins: Vec<PathBuf>,
}

/// What is in a list.
pub enum Listed {
    /// These tasks; all if there are none.
    Tasks(Vec<&'static dyn Task>),
    /// The suites that come with the binary.
    Suites,
}

/// How a list is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListFormat {
    /// For people.
    Table,
    /// For other tools.
    Json,
}
