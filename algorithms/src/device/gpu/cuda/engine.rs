//! A GPU at work.

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys::{CUevent_flags, CUresult};
use cudarc::driver::{CudaContext, CudaEvent, CudaStream};

use super::modules::Modules;
use super::{ContextSharing, CudaGpu, Driver};
use crate::device::gpu::engine::{Engine, Properties, Shape};
use crate::device::gpu::{Argument, DeviceError, Image};

/// Lanes of a warp on all GPUs by NVIDIA.
const LANES: u32 = 32;

/// A context with one stream.
pub(super) struct CudaEngine {
    properties: Properties,
    modules: Modules,
    marks: Mutex<Vec<CudaEvent>>,
    /// Kernels that may be running.
    running: Mutex<Vec<&'static str>>,
    lost: AtomicBool,
    stream: Arc<CudaStream>,
    context: Arc<CudaContext>,
}

impl CudaEngine {
    pub(super) fn new(
        gpu: &CudaGpu,
        driver: &Driver,
        sharing: ContextSharing,
    ) -> Result<Self, DriverError> {
        let number = gpu.number as usize;
        let context = match sharing {
            ContextSharing::Own => CudaContext::new_non_primary(number, 0)?,
            ContextSharing::WithPlugins => CudaContext::new(number)?,
        };
        // SAFETY: all work goes through one stream, so nothing has to be
        // tracked; and events around each call would be a part of its time.
        unsafe { context.disable_event_tracking() };
        Ok(CudaEngine {
            properties: Properties {
                device: format!("cuda:{}", gpu.number),
                name: gpu.name.clone(),
                lanes: LANES,
                multiprocessors: gpu.multiprocessors,
                memory_bytes: gpu.memory_bytes,
                l2_bytes: gpu.l2_bytes,
                shared_bytes: gpu.shared_bytes,
            },
            modules: Modules::new(Arc::clone(&context), driver),
            marks: Mutex::default(),
            running: Mutex::default(),
            lost: AtomicBool::new(false),
            stream: context.new_stream()?,
            context,
        })
    }

    fn device(&self) -> String {
        self.properties.device.clone()
    }

    /// Calls the driver from this thread.
    fn call<R>(
        &self,
        what: &'static str,
        call: impl FnOnce() -> Result<R, DriverError>,
    ) -> Result<R, DeviceError> {
        let result = self.context.bind_to_thread().and_then(|()| call());
        result.map_err(|error| self.failed(what, error))
    }

    /// What a failed call means. An error that a kernel left behind comes with
    /// whatever is called next, and stays for ever.
    fn failed(&self, what: &'static str, error: DriverError) -> DeviceError {
        let problem = super::words(error);
        if !is_by_a_kernel(error) {
            let device = self.device();
            return DeviceError::Failed {
                device,
                what,
                problem,
            };
        }
        self.lost.store(true, Relaxed);
        let mut kernels = self.running().clone();
        kernels.dedup();
        DeviceError::Kernel {
            device: self.device(),
            kernels: kernels.join(", or "),
            problem,
        }
    }

    fn no_room(&self, needed: usize, error: DriverError) -> DeviceError {
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

    fn running(&self) -> MutexGuard<'_, Vec<&'static str>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn marks(&self) -> MutexGuard<'_, Vec<CudaEvent>> {
        self.marks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a kernel did it, so that the context can't be used any more.
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

// SAFETY of all calls into the driver below: addresses and sizes are as the
// callers of these methods promise, and the stream, the events and the kernels
// are those of this context, which `call` makes current.
impl Engine for CudaEngine {
    fn properties(&self) -> &Properties {
        &self.properties
    }

    fn allocate(&self, bytes: usize) -> Result<u64, DeviceError> {
        self.call("getting ready", || Ok(()))?;
        // SAFETY: see above.
        unsafe { result::malloc_sync(bytes) }.map_err(|error| self.no_room(bytes, error))
    }

    unsafe fn free(&self, address: u64) {
        // A lost context takes its memory along.
        // SAFETY: see above.
        let _ = self.call("freeing", || unsafe { result::free_sync(address) });
    }

    fn pin(&self, bytes: usize) -> Result<*mut u8, DeviceError> {
        self.call("getting ready", || Ok(()))?;
        // SAFETY: see above. Without flags: memory that the host reads back
        // must not be write-combined.
        let start = unsafe { result::malloc_host(bytes, 0) };
        start.map(<*mut c_void>::cast).map_err(|error| {
            let needed = bytes as u64;
            match error.0 {
                CUresult::CUDA_ERROR_OUT_OF_MEMORY => DeviceError::OutOfPinnedMemory { needed },
                _ => self.failed("page-locking", error),
            }
        })
    }

    unsafe fn unpin(&self, start: *mut u8, _: usize) {
        // SAFETY: see above.
        let _ = self.call("freeing", || unsafe { result::free_host(start.cast()) });
    }

    unsafe fn upload(&self, to: u64, from: *const u8, bytes: usize) -> Result<(), DeviceError> {
        // SAFETY: see above.
        self.call("copying to the device", || unsafe {
            let from = std::slice::from_raw_parts(from, bytes);
            result::memcpy_htod_async(to, from, self.stream.cu_stream())
        })
    }

    unsafe fn download(&self, to: *mut u8, from: u64, bytes: usize) -> Result<(), DeviceError> {
        // SAFETY: see above.
        self.call("copying from the device", || unsafe {
            let to = std::slice::from_raw_parts_mut(to, bytes);
            result::memcpy_dtoh_async(to, from, self.stream.cu_stream())
        })
    }

    unsafe fn fill(&self, to: u64, byte: u8, bytes: usize) -> Result<(), DeviceError> {
        // SAFETY: see above.
        self.call("setting memory", || unsafe {
            result::memset_d8_async(to, byte, bytes, self.stream.cu_stream())
        })
    }

    unsafe fn launch(
        &self,
        image: &'static Image,
        kernel: &'static str,
        shape: &Shape,
        arguments: &[Argument],
    ) -> Result<(), DeviceError> {
        let refused = |error: DriverError| match is_by_a_kernel(error) {
            true => self.failed("starting a kernel", error),
            false => DeviceError::Launch {
                device: self.device(),
                kernel,
                problem: super::words(error),
            },
        };
        self.call("getting ready", || Ok(()))?;
        let function = self.modules.kernel(image, kernel, shape.shared_bytes);
        let function = function.map_err(refused)?;
        // Little endian: the lowest bytes are the first.
        let pointer = |argument: &Argument| (&raw const argument.bits).cast_mut().cast::<c_void>();
        let mut pointers: Vec<_> = arguments.iter().map(pointer).collect();
        self.running().push(kernel);
        // SAFETY: see above.
        let launched = unsafe {
            result::launch_kernel(
                function.cu_function(),
                (shape.blocks, 1, 1),
                (shape.threads, 1, 1),
                shape.shared_bytes,
                self.stream.cu_stream(),
                &mut pointers,
            )
        };
        launched.map_err(refused)
    }

    fn native_stream(&self) -> Result<usize, DeviceError> {
        self.call("getting ready", || Ok(()))?;
        Ok(self.stream.cu_stream().expose_provenance())
    }

    fn free_bytes(&self) -> Option<u64> {
        let memory = self.call("asking for memory", result::mem_get_info);
        memory.ok().map(|(free, _)| free as u64)
    }

    fn finish(&self) -> Result<(), DeviceError> {
        self.call("waiting", || self.stream.synchronize())?;
        self.running().clear();
        Ok(())
    }

    fn mark(&self, number: usize) -> Result<(), DeviceError> {
        let mut marks = self.marks();
        while marks.len() <= number {
            // Without flags timing would be off.
            let flags = Some(CUevent_flags::CU_EVENT_DEFAULT);
            let event = self.call("making an event", || self.context.new_event(flags))?;
            marks.push(event);
        }
        self.call("marking a time", || marks[number].record(&self.stream))
    }

    fn seconds_between(&self, from: usize, to: usize) -> Result<Option<f64>, DeviceError> {
        let marks = self.marks();
        let milliseconds = self.call("reading a time", || marks[from].elapsed_ms(&marks[to]))?;
        Ok(Some(f64::from(milliseconds) / 1e3))
    }

    fn reuses_memory(&self) -> bool {
        !self.is_lost()
    }

    fn is_lost(&self) -> bool {
        self.lost.load(Relaxed)
    }
}
