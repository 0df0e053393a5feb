//! What the cluster finder goes by.

/// Thresholds, charges in ADC units unless it says otherwise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// A peak has more charge than this.
    pub qmax_cutoff: u8,
    /// Beside the peak a charge above this, and what lies behind it may belong to the cluster.
    pub inner_threshold: u8,
    /// A valley between two peaks is deeper than this,
    pub noise_eps: u8,
    /// and deeper than so many 255ths of the peak.
    pub noise_eps_rel: u8,
    /// A cluster has more charge than this, once it is rounded.
    pub qtot_cutoff: u8,
    /// The peak of a cluster of a single time bin has more charge than this.
    pub qmax_single_time: u8,
    /// That of a cluster of a single pad.
    pub qmax_single_pad: u8,
    /// A cluster is marked as split if it shares so many charges with others.
    pub min_split: u8,
    /// Subtracted from all times, in time bins.
    pub time_shift: f32,
}

impl Default for Settings {
    /// Those of the experiment.
    fn default() -> Self {
        Settings {
            qmax_cutoff: 3,
            inner_threshold: 0,
            noise_eps: 10,
            noise_eps_rel: 76,
            qtot_cutoff: 5,
            qmax_single_time: 0,
            qmax_single_pad: 0,
            min_split: 1,
            time_shift: 0.0,
        }
    }
}

/// A threshold in sixteenths of an ADC unit, as charges are.
pub(super) fn sixteenths(threshold: u8) -> i32 {
    16 * i32::from(threshold)
}
