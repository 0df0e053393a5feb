//! Work that was captured from the stream, as a graph.

use std::sync::Arc;

use cudarc::driver::result::DriverError;
use cudarc::driver::sys::{CUgraphInstantiate_flags, CUresult, CUstreamCaptureMode};
use cudarc::driver::{CudaGraph, CudaStream};

use crate::device::gpu::DeviceError;
use crate::device::gpu::engine::Recording;

/// Kernels are loaded when they are first started, which other modes forbid.
const MODE: CUstreamCaptureMode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;

pub(super) struct CudaRecording {
    graph: CudaGraph,
    device: String,
}

// SAFETY: any thread may use a graph, one at a time: it is not `Sync`, and the thread's context is
// set before each call.
unsafe impl Send for CudaRecording {}

pub(super) fn start(stream: &CudaStream) -> Result<(), DriverError> {
    stream.begin_capture(MODE)
}

pub(super) fn end(stream: &Arc<CudaStream>, device: String) -> Result<CudaRecording, DriverError> {
    let graph = stream.end_capture(CUgraphInstantiate_flags(0))?;
    let graph = graph.ok_or(DriverError(CUresult::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED))?;
    Ok(CudaRecording { graph, device })
}

impl Recording for CudaRecording {
    fn replay(&self) -> Result<(), DeviceError> {
        self.graph.launch().map_err(|error| DeviceError::Failed {
            device: self.device.clone(),
            what: "starting recorded work",
            problem: error.to_string(),
        })
    }
}
