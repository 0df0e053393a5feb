//! Input files of a run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Params;

/// An input that was read from a file, with all that is needed to read it again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct InputRecord {
    /// The parameters of its points.
    pub params: Params,
    /// The path, as specified.
    pub path: String,
    /// The paths of further files, if the input is of several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub further_paths: Vec<String>,
    /// The values of flags that go with `--input`.
    pub options: BTreeMap<String, String>,
}
