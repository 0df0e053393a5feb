//! Machine code of two runs.

use serde::{Deserialize, Serialize};

/// Comparison of the machine code of both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Code {
    /// Equal: only the environment has changed.
    Same,
    /// Different.
    Changed,
    /// A fingerprint is missing.
    Unknown,
}

impl Code {
    /// Compares the fingerprints of both sides.
    pub fn from_fingerprints(base: &str, new: &str) -> Self {
        match (base, new) {
            ("", _) | (_, "") => Code::Unknown,
            _ if base == new => Code::Same,
            _ => Code::Changed,
        }
    }
}
