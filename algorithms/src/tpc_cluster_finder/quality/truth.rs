//! True clusters: the charge of particles on the rows of a sector.

use generators::tpc::simulate::TrueCluster;

use super::super::settings::Settings;

/// The true clusters of a sector, by row and time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Truth(Vec<TrueCluster>);

impl Truth {
    /// Sorts the clusters of the simulation by row and time.
    pub(crate) fn new(clusters: Vec<TrueCluster>) -> Self {
        Truth(clusters)
    }

    /// True clusters of a row, in order of time.
    pub(super) fn of_row(&self, row: u8) -> &[TrueCluster] {
        let start = self.0.partition_point(|cluster| cluster.row < row);
        let length = self.0[start..].partition_point(|cluster| cluster.row == row);
        &self.0[start..start + length]
    }
}

/// True if an isolated cluster with this charge would be found: it is above the cut-offs.
pub(super) fn can_be_found(cluster: &TrueCluster, settings: &Settings) -> bool {
    cluster.peak > f32::from(settings.qmax_cutoff)
        && cluster.charge > f32::from(settings.qtot_cutoff)
        && cluster.time >= f64::from(settings.time_shift)
}
