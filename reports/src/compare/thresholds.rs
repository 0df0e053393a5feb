//! What counts as a change.

use serde::{Deserialize, Serialize};

/// The limits of the gate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Thresholds {
    /// The smallest change that counts, as a fraction of the base.
    pub min_effect: f64,
    /// A point is the same only if a larger change than this can be excluded.
    pub resolution: f64,
    /// The p-value of the rank test must be below this.
    pub significance: f64,
    /// Of the points that are called SLOWER or FASTER no larger share is expected to be so
    /// by chance; if nothing has changed at all, no larger share of comparisons has any.
    #[serde(default = "false_discovery")]
    pub false_discovery: f64,
}

/// Also of comparisons that were written down before there was this limit.
fn false_discovery() -> f64 {
    0.02
}

impl Default for Thresholds {
    fn default() -> Self {
        Thresholds {
            min_effect: 0.01,
            resolution: 0.05,
            significance: 0.01,
            false_discovery: false_discovery(),
        }
    }
}
