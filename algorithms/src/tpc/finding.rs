//! Settings of finding clusters.

use super::noisy::{Limits, NoisyRule};
use crate::tpc_cluster_finder::Settings;

/// Settings of finding clusters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Finding {
    /// Time bins of the time frame.
    pub(super) time_bins: u32,
    /// Time bins that are processed together.
    pub(super) fragment: u32,
    /// Rule for noisy pads.
    pub(super) rule: NoisyRule,
    /// Thresholds.
    pub(super) settings: Settings,
}

impl Finding {
    /// Limits beyond which a pad is noisy.
    pub(super) fn limits(&self) -> Limits {
        Limits::new(self.rule, self.time_bins, self.fragment)
    }
}
