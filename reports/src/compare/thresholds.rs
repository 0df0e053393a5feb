//! What counts as a change.

use serde::{Deserialize, Serialize};

/// The limits of the gate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Thresholds {
    /// The smallest change that counts, as a fraction of the base.
    pub min_effect: f64,
    /// A point is the same only if a larger change than this can be excluded.
    pub resolution: f64,
    /// The p-value of the rank test must be below this.
    pub significance: f64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Thresholds {
            min_effect: 0.01,
            resolution: 0.05,
            significance: 0.01,
        }
    }
}
