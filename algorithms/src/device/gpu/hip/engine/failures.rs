//! Errors of failed calls.

use std::ffi::c_int;
use std::sync::atomic::Ordering::Relaxed;

use super::HipEngine;
use crate::device::gpu::hip::library::{HipError, OUT_OF_MEMORY};
use crate::device::gpu::hip::modules::NotLoaded;
use crate::device::gpu::{DeviceError, Shape};

/// Errors of failed kernels: illegal address, timeout, assertion, any other failure, aborted queue.
const BY_A_KERNEL: [c_int; 5] = [700, 702, 710, 719, 53];

impl HipEngine {
    /// Converts the error of a failed call. The error of a failed kernel is returned by any later
    /// call.
    pub(super) fn failed(&self, what: &'static str, error: &HipError) -> DeviceError {
        let device = self.device();
        let problem = error.to_string();
        if !BY_A_KERNEL.contains(&error.code) {
            return DeviceError::Failed { device, what, problem };
        }
        self.lost.store(true, Relaxed);
        let mut kernels = self.running().clone();
        kernels.dedup();
        DeviceError::Kernel { device, kernels: kernels.join(", or "), problem }
    }

    /// Converts the error of a kernel that was not started.
    pub(super) fn not_started(&self, kernel: &'static str, why: NotLoaded) -> DeviceError {
        let problem = match why {
            NotLoaded::Missing(problem) => problem,
            NotLoaded::Refused(error) if BY_A_KERNEL.contains(&error.code) => {
                return self.failed("starting a kernel", &error);
            }
            NotLoaded::Refused(error) => error.to_string(),
        };
        DeviceError::Launch { device: self.device(), kernel, problem }
    }

    /// Error if a block needs more shared memory than there is: blocks of CUDA may have more than
    /// those of AMD.
    pub(super) fn lacks_shared(
        &self,
        kernel: &'static str,
        static_bytes: u32,
        shape: &Shape,
    ) -> Option<DeviceError> {
        let needed = static_bytes.saturating_add(shape.shared_bytes);
        let available = self.properties.shared_bytes;
        (needed > available).then(|| DeviceError::Lacking {
            device: self.device(),
            kernel,
            needed: format!("{needed} bytes of shared memory"),
            available: format!("{available}"),
        })
    }

    pub(super) fn no_room(&self, needed: usize, error: &HipError) -> DeviceError {
        if error.code != OUT_OF_MEMORY {
            return self.failed("allocating", error);
        }
        let (free, total) = self.free_and_total().unwrap_or_default();
        DeviceError::OutOfMemory {
            device: self.device(),
            needed: needed as u64,
            free: free as u64,
            total: total as u64,
        }
    }
}
