//! The stages between the copy of pages and decoding.

use portable_gpu::{DeviceError, Gpu};

use super::resident::Resident;
use super::{job_offsets, validation};

impl Resident<'_> {
    /// Starts validation, and the assignment of offsets to samples.
    pub(crate) fn prepare(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        validation::validate(gpu, self)?;
        job_offsets::compute(gpu, self)
    }
}
