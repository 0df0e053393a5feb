//! Cuts on time differences of digis and clusters.

use serde::{Deserialize, Serialize};

use super::{Allowed, SetupError, Validate, require};

/// Cuts in time. An absolute cut applies if it is above 0; otherwise the cut is in standard
/// deviations.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Cuts {
    /// Between neighbouring digis of a cluster, in ns.
    pub time_cut_digi_abs: f64,
    /// Cut on the time difference of two digis in its standard deviations.
    pub time_cut_digi_sig: f64,
    /// Between the two clusters of a hit, in ns.
    pub time_cut_cluster_abs: f64,
    /// Cut on the time difference of two clusters in its standard deviations; without it and
    /// without an absolute cut there are no hits.
    pub time_cut_cluster_sig: f64,
}

impl Default for Cuts {
    /// Three standard deviations for digis, four for clusters.
    fn default() -> Self {
        Cuts {
            time_cut_digi_abs: -1.0,
            time_cut_digi_sig: 3.0,
            time_cut_cluster_abs: -1.0,
            time_cut_cluster_sig: 4.0,
        }
    }
}

impl Validate for Cuts {
    fn validate(&self) -> Result<(), SetupError> {
        require("timeCutDigiAbs", self.time_cut_digi_abs, Allowed::Finite)?;
        require("timeCutDigiSig", self.time_cut_digi_sig, Allowed::Finite)?;
        require("timeCutClusterAbs", self.time_cut_cluster_abs, Allowed::Finite)?;
        require("timeCutClusterSig", self.time_cut_cluster_sig, Allowed::Finite)
    }
}
