//! `selftest.json`: how often the gate of comparisons errs on a machine.

use serde::{Deserialize, Serialize};

/// What `bench selftest` measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SelfTest {
    /// [`SCHEMA_VERSION`](super::SCHEMA_VERSION) at the time of writing.
    pub schema_version: u32,
    /// The machine's key.
    pub machine_key: String,
    /// UTC, RFC 3339.
    pub finished: String,
    /// The commit of the program.
    pub git_commit: Option<String>,
    /// The smallest change that counted, as a fraction.
    pub min_effect: f64,
    /// The significance that the rank test had to reach.
    pub significance: f64,
    /// What the gate said of known slowdowns, the A/A pairs (0 %) first.
    pub trials: Vec<Trial>,
}

/// Pairs of runs that differ by a known slowdown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// The slowdown as a fraction: 0.05 for 5 %, 0 for A/A pairs.
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
}

impl SelfTest {
    /// The share of A/A points that were called a change, or of points with a
    /// known slowdown that were called SLOWER.
    pub fn rate(&self, slowdown: f64) -> Option<f64> {
        let trial = self
            .trials
            .iter()
            .find(|trial| trial.slowdown == slowdown)?;
        let hits = match slowdown {
            0.0 => trial.slower + trial.faster,
            _ => trial.slower,
        };
        (trial.points > 0).then(|| hits as f64 / trial.points as f64)
    }
}
