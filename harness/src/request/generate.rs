//! What `bench generate` is asked for.

use std::path::PathBuf;

use algorithms::data_sets::DataSet;

use super::AxisValues;

/// Data to be made and written.
pub struct GenerateRequest {
    /// What kind of data.
    pub data: &'static dyn DataSet,
    /// The axes with a value each.
    pub axes: AxisValues,
    /// The seed.
    pub seed: u64,
    /// The file.
    pub out: PathBuf,
}
