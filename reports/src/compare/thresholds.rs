//! Limits of comparisons.

use serde::{Deserialize, Serialize};

use super::scatter::RunScatter;

/// Limits of comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Thresholds {
    /// The smallest change that counts, as a fraction of the base.
    pub min_effect: f64,
    /// A point is SAME only if larger changes than this are excluded.
    pub resolution: f64,
    /// Upper limit of the p-value of the rank test.
    pub significance: f64,
    /// Limit of the expected share of false positives among the points that are SLOWER or FASTER;
    /// if nothing has changed at all, of the share of comparisons with any.
    #[serde(default = "false_discovery")]
    pub false_discovery: f64,
}

/// Default, also for comparisons that were stored before this limit existed.
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

/// Options of a comparison.
#[derive(Clone, Debug, Default)]
pub struct CompareOptions {
    /// Limits for a change.
    pub thresholds: Thresholds,
    /// True if runs of different machines may be compared.
    pub across_machines: bool,
    /// Command-line flags that repeat the comparison, word by word: `--store DIR`. Advice that can
    /// be copied contains them.
    pub flags: Vec<String>,
    /// Scatter between runs of the same code on the machine, if it is known.
    pub scatter: Option<RunScatter>,
}
