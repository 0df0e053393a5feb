//! Errors of failed calls.

use std::sync::atomic::Ordering::Relaxed;

use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys::CUresult;

use super::CudaEngine;
use crate::device::gpu::DeviceError;

impl CudaEngine {
    /// Converts the error of a failed call. The error of a failed kernel is returned by any later
    /// call, and is permanent.
    pub(super) fn failed(&self, what: &'static str, error: DriverError) -> DeviceError {
        let problem = error.to_string();
        if !is_by_a_kernel(error) {
            let device = self.device();
            return DeviceError::Failed { device, what, problem };
        }
        self.lost.store(true, Relaxed);
        let mut kernels = self.running().clone();
        kernels.dedup();
        DeviceError::Kernel { device: self.device(), kernels: kernels.join(", or "), problem }
    }

    /// Converts the error of a kernel that was not started.
    pub(super) fn not_started(&self, kernel: &'static str, error: DriverError) -> DeviceError {
        if is_by_a_kernel(error) {
            return self.failed("starting a kernel", error);
        }
        DeviceError::Launch { device: self.device(), kernel, problem: error.to_string() }
    }

    pub(super) fn no_room(&self, needed: usize, error: DriverError) -> DeviceError {
        if error.0 != CUresult::CUDA_ERROR_OUT_OF_MEMORY {
            return self.failed("allocating", error);
        }
        let (free, total) = result::mem_get_info().unwrap_or_default();
        DeviceError::OutOfMemory {
            device: self.device(),
            needed: needed as u64,
            free: free as u64,
            total: total as u64,
        }
    }
}

/// True if a kernel caused the error, so that the context can't be used any more.
fn is_by_a_kernel(error: DriverError) -> bool {
    matches!(
        error.0,
        CUresult::CUDA_ERROR_ILLEGAL_ADDRESS
            | CUresult::CUDA_ERROR_MISALIGNED_ADDRESS
            | CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION
            | CUresult::CUDA_ERROR_INVALID_ADDRESS_SPACE
            | CUresult::CUDA_ERROR_INVALID_PC
            | CUresult::CUDA_ERROR_HARDWARE_STACK_ERROR
            | CUresult::CUDA_ERROR_LAUNCH_FAILED
            | CUresult::CUDA_ERROR_LAUNCH_TIMEOUT
            | CUresult::CUDA_ERROR_ASSERT
    )
}
