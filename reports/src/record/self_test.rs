//! `selftest.json`: error rates of comparisons on a machine, and the scatter between runs of the
//! same code.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Point;

/// The version of a self-test. Earlier ones are of other rules: the first had neither paired runs
/// nor the scatter between runs, the second judged each point alone.
pub const SELF_TEST_VERSION: u32 = 3;

/// Result of `bench selftest`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SelfTest {
    /// [`SELF_TEST_VERSION`] at the time of writing.
    pub schema_version: u32,
    /// The machine's key.
    pub machine_key: String,
    /// UTC, RFC 3339.
    pub finished: String,
    /// The commit of the program.
    pub git_commit: Option<String>,
    /// The smallest change that counted, as a fraction.
    pub min_effect: f64,
    /// The p-value that the rank test had to reach.
    pub significance: f64,
    /// Verdicts on known slowdowns in separate runs, those without any (0 %) first.
    pub trials: Vec<Trial>,
    /// Verdicts on known slowdowns in paired runs.
    #[serde(default)]
    #[serde(rename = "in_turn")]
    pub paired: Vec<Trial>,
    /// True if addresses were randomised in the processes of paired runs, because the system did
    /// not allow to disable it: the rates are valid for that case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aslr: Option<bool>,
    /// Scatter between runs of the same code, point by point.
    #[serde(default)]
    pub scatter: Vec<PointScatter>,
    /// Models of the GPUs that points ran on, by their devices.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub gpus: BTreeMap<String, String>,
}

/// Pairs of runs that differ by a known slowdown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Trial {
    /// The slowdown as a fraction: 0.05 for 5 %, 0 for equal sides.
    pub slowdown: f64,
    /// Pairs of runs.
    pub pairs: usize,
    /// Points judged, over all pairs.
    pub points: usize,
    /// Points judged SLOWER.
    pub slower: usize,
    /// Points judged FASTER.
    pub faster: usize,
    /// Points judged INCONCLUSIVE.
    pub inconclusive: usize,
    /// Pairs in which any point was judged SLOWER or FASTER.
    pub alarmed: usize,
}

/// Scatter of the times of a point from run to run, beyond what the intervals of the runs explain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PointScatter {
    /// The point.
    #[serde(flatten)]
    pub point: Point,
    /// `total`, or a stage that the variant reports.
    pub stage: String,
    /// The standard deviation between runs, as a fraction of the time.
    pub between: f64,
    /// Number of runs that contribute.
    pub runs: usize,
}

impl Trial {
    /// A trial without pairs.
    pub fn new(slowdown: f64) -> Self {
        Trial { slowdown, pairs: 0, points: 0, slower: 0, faster: 0, inconclusive: 0, alarmed: 0 }
    }

    /// The share of unchanged points with the verdict of a change, or of points with a known
    /// slowdown that are SLOWER; `None` without points.
    pub fn rate(&self) -> Option<f64> {
        let hits = match self.slowdown {
            0.0 => self.slower + self.faster,
            _ => self.slower,
        };
        (self.points > 0).then(|| hits as f64 / self.points as f64)
    }
}
