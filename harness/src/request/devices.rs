//! What `bench devices` is asked for.

use std::path::PathBuf;

use super::Outputs;

/// This machine, to be shown or measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DevicesRequest {
    /// Whether its ceilings are measured too.
    pub measure: bool,
    /// How it is shown, and in which files.
    pub format: Outputs<DevicesFormat>,
    /// Where the ceilings are kept; `None` to show them only.
    pub out: Option<PathBuf>,
}

/// How devices are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DevicesFormat {
    /// For people.
    Table,
    /// For other tools.
    Json,
}
