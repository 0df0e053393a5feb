//! Files that a run has read.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Params;

/// An input that was read from a file, and what it takes to read it again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct InputRecord {
    /// The parameters of its points.
    pub params: Params,
    /// The path, as it was given.
    pub path: String,
    /// The values of flags that go with `--input`.
    pub options: BTreeMap<String, String>,
}
