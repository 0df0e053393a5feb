//! Request of `bench generate`.

use std::path::PathBuf;

use algorithms::data_sets::DataSet;

use super::AxisValues;

/// Data set to generate and write.
pub struct GenerateRequest {
    /// Data set.
    pub data: &'static dyn DataSet,
    /// Value of each axis.
    pub axes: AxisValues,
    /// The seed.
    pub seed: u64,
    /// Output file.
    pub out: PathBuf,
}
