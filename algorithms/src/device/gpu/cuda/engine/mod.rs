//! The CUDA backend; `failures` converts errors of calls.

mod failures;

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys::{self, CUevent_flags, CUresult};
use cudarc::driver::{CudaContext, CudaEvent, CudaStream};

use super::modules::Modules;
use super::probe::{ContextSharing, CudaGpu};
use super::recording;
use crate::device::gpu::engine::{
    ALL_QUEUES, Attributes, BlockEnd, Engine, FIRST_QUEUE, Properties, Recording, Shape, Side,
};
use crate::device::gpu::gate::{self, StreamGate};
use crate::device::gpu::{Argument, DeviceError, Image};

/// Device number of the host in calls of the driver.
const CPU: sys::CUdevice = -1;
/// Lanes of a warp on all GPUs by NVIDIA.
const LANES: u32 = 32;

/// A context with a stream for each queue.
pub(super) struct CudaEngine {
    properties: Properties,
    modules: Modules,
    marks: Mutex<Vec<CudaEvent>>,
    /// Kernels that may be running.
    running: Mutex<Vec<&'static str>>,
    lost: AtomicBool,
    gate: StreamGate,
    /// Created when their queues are opened.
    streams: [OnceLock<Arc<CudaStream>>; ALL_QUEUES as usize],
    context: Arc<CudaContext>,
}

impl CudaEngine {
    pub(super) fn new(gpu: &CudaGpu, sharing: ContextSharing) -> Result<Self, DriverError> {
        let index = gpu.number as usize;
        let context = match sharing {
            ContextSharing::Own => CudaContext::new_non_primary(index, 0)?,
            ContextSharing::Primary => CudaContext::new(index)?,
        };
        // SAFETY: this layer orders the streams, so cudarc has nothing to track; events around each
        // call would add to its time.
        unsafe { context.disable_event_tracking() };
        let streams: [OnceLock<_>; ALL_QUEUES as usize] = Default::default();
        let _ = streams[FIRST_QUEUE as usize].set(context.new_stream()?);
        Ok(CudaEngine {
            properties: Properties {
                device: format!("cuda:{}", gpu.number),
                name: gpu.name.clone(),
                lanes: LANES,
                multiprocessors: gpu.multiprocessors,
                multiprocessor_threads: gpu.multiprocessor_threads,
                memory_bytes: gpu.memory_bytes,
                l2_bytes: gpu.l2_bytes,
                shared_bytes: gpu.shared_bytes,
                has_shaders: false,
                runs_block_by_block: false,
            },
            modules: Modules::new(Arc::clone(&context)),
            marks: Mutex::default(),
            running: Mutex::default(),
            lost: AtomicBool::new(false),
            gate: StreamGate::default(),
            streams,
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

    /// Page-locked memory.
    fn lock_pages(&self, bytes: usize, flags: u32) -> Result<*mut u8, DeviceError> {
        self.call("getting ready", || Ok(()))?;
        // SAFETY: the context is current, and the driver allocates the memory.
        let start = unsafe { result::malloc_host(bytes, flags) };
        start.map(<*mut c_void>::cast).map_err(|error| {
            let needed = bytes as u64;
            match error.0 {
                CUresult::CUDA_ERROR_OUT_OF_MEMORY => DeviceError::OutOfPinnedMemory { needed },
                _ => self.failed("page-locking", error),
            }
        })
    }

    /// The stream of a queue that was opened.
    fn stream(&self, queue: u32) -> Result<&Arc<CudaStream>, DeviceError> {
        let stream = self.streams.get(queue as usize).and_then(OnceLock::get);
        let nothing = DriverError(CUresult::CUDA_ERROR_NOT_FOUND);
        stream.ok_or_else(|| self.failed("choosing a stream", nothing))
    }

    fn running(&self) -> MutexGuard<'_, Vec<&'static str>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn marks(&self) -> MutexGuard<'_, Vec<CudaEvent>> {
        self.marks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// SAFETY of all calls into the driver below: the callers of these methods promise addresses and
// sizes, and the stream, the events and the kernels are those of this context, which `call` makes
// current.
impl Engine for CudaEngine {
    fn properties(&self) -> &Properties {
        &self.properties
    }

    fn allocate(&self, bytes: usize) -> Result<u64, DeviceError> {
        self.call("getting ready", || Ok(()))?;
        // SAFETY: the caller promises addresses and sizes; the stream is of this context.
        unsafe { result::malloc_sync(bytes) }.map_err(|error| self.no_room(bytes, error))
    }

    unsafe fn free(&self, address: u64) {
        // An error is ignored: a lost context has freed its memory.
        // SAFETY: the caller promises addresses and sizes; the stream is of this context.
        let _ = self.call("freeing", || unsafe { result::free_sync(address) });
    }

    fn pin(&self, bytes: usize) -> Result<*mut u8, DeviceError> {
        // Without flags: memory that the host reads back must not be write-combined.
        self.lock_pages(bytes, 0)
    }

    unsafe fn unpin(&self, start: *mut u8, _: usize) {
        // SAFETY: the caller promises addresses and sizes; the stream is of this context.
        let _ = self.call("freeing", || unsafe { result::free_host(start.cast()) });
    }

    fn map(&self, bytes: usize) -> Result<*mut u8, DeviceError> {
        self.lock_pages(bytes, sys::CU_MEMHOSTALLOC_DEVICEMAP)
    }

    unsafe fn unmap(&self, start: *mut u8, bytes: usize) {
        // SAFETY: the caller promises addresses and sizes; the stream is of this context.
        unsafe { self.unpin(start, bytes) }
    }

    fn device_address(&self, start: *mut u8) -> Result<u64, DeviceError> {
        let mut address = 0;
        // SAFETY: the driver writes an address to this variable.
        self.call("mapping memory", || unsafe {
            sys::cuMemHostGetDevicePointer_v2(&raw mut address, start.cast(), 0).result()
        })?;
        Ok(address)
    }

    fn manage(&self, bytes: usize) -> Result<*mut u8, DeviceError> {
        self.call("getting ready", || Ok(()))?;
        let global = sys::CUmemAttach_flags::CU_MEM_ATTACH_GLOBAL;
        // SAFETY: the caller promises addresses and sizes; the stream is of this context.
        let address = unsafe { result::malloc_managed(bytes, global) };
        let address = address.map_err(|error| self.no_room(bytes, error))?;
        Ok(std::ptr::with_exposed_provenance_mut(address as usize))
    }

    unsafe fn unmanage(&self, start: *mut u8, _: usize) {
        // SAFETY: as the caller promises.
        unsafe { self.free(start.expose_provenance() as u64) }
    }

    unsafe fn prefetch(
        &self,
        queue: u32,
        address: u64,
        bytes: usize,
        to: Side,
    ) -> Result<(), DeviceError> {
        let stream = self.stream(queue)?.cu_stream();
        let device = match to {
            Side::Host => CPU,
            Side::Device => self.context.cu_device(),
        };
        // SAFETY: the caller promises addresses and sizes; the stream is of this context.
        self.call("moving managed memory", || unsafe {
            sys::cuMemPrefetchAsync(address, bytes, device, stream).result()
        })
    }

    fn free_bytes(&self) -> Result<Option<u64>, DeviceError> {
        let (free, _) = self.call("asking for free memory", result::mem_get_info)?;
        Ok(Some(free as u64))
    }

    fn open_queue(&self, queue: u32) -> Result<(), DeviceError> {
        let stream = &self.streams[queue as usize];
        if stream.get().is_none() {
            // Dropped if another thread was first.
            let _ = stream.set(self.call("making a stream", || self.context.new_stream())?);
        }
        Ok(())
    }

    unsafe fn upload(
        &self,
        queue: u32,
        to: u64,
        from: *const u8,
        bytes: usize,
    ) -> Result<(), DeviceError> {
        let stream = self.stream(queue)?.cu_stream();
        // SAFETY: the caller promises addresses and sizes; the stream is of this context.
        self.call("copying to the device", || unsafe {
            let from = std::slice::from_raw_parts(from, bytes);
            result::memcpy_htod_async(to, from, stream)
        })
    }

    unsafe fn download(
        &self,
        queue: u32,
        to: *mut u8,
        from: u64,
        bytes: usize,
    ) -> Result<(), DeviceError> {
        let stream = self.stream(queue)?.cu_stream();
        // SAFETY: the caller promises addresses and sizes; the stream is of this context.
        self.call("copying from the device", || unsafe {
            let to = std::slice::from_raw_parts_mut(to, bytes);
            result::memcpy_dtoh_async(to, from, stream)
        })
    }

    fn copies_wait_for_others(&self) -> bool {
        true
    }

    unsafe fn copy(&self, queue: u32, to: u64, from: u64, bytes: usize) -> Result<(), DeviceError> {
        let stream = self.stream(queue)?.cu_stream();
        // SAFETY: the caller promises addresses and sizes; the stream is of this context.
        self.call("copying on the device", || unsafe {
            result::memcpy_dtod_async(to, from, bytes, stream)
        })
    }

    unsafe fn fill(&self, queue: u32, to: u64, byte: u8, bytes: usize) -> Result<(), DeviceError> {
        let stream = self.stream(queue)?.cu_stream();
        // SAFETY: the caller promises addresses and sizes; the stream is of this context.
        self.call("setting memory", || unsafe { result::memset_d8_async(to, byte, bytes, stream) })
    }

    unsafe fn launch(
        &self,
        queue: u32,
        image: &'static Image,
        kernel: &'static str,
        shape: &Shape,
        arguments: &[Argument],
    ) -> Result<(), DeviceError> {
        let stream = self.stream(queue)?.cu_stream();
        let refused = |error| self.not_started(kernel, error);
        self.call("getting ready", || Ok(()))?;
        let function = self.modules.kernel(image, kernel, shape.shared_bytes);
        let function = function.map_err(refused)?;
        let pointer = |argument: &Argument| argument.bytes().0.cast_mut().cast::<c_void>();
        let mut pointers: Vec<_> = arguments.iter().map(pointer).collect();
        self.running().push(kernel);
        // SAFETY: the caller promises addresses and sizes; the stream is of this context.
        let launched = unsafe {
            result::launch_kernel(
                function.cu_function(),
                (shape.blocks, 1, 1),
                (shape.threads, 1, 1),
                shape.shared_bytes,
                stream,
                &mut pointers,
            )
        };
        launched.map_err(refused)
    }

    fn wait_for_first_queue(&self, queue: u32) -> Result<(), DeviceError> {
        let first = self.stream(FIRST_QUEUE)?;
        let stream = self.stream(queue)?;
        self.call("ordering queues", || stream.join(first))
    }

    fn native_stream(&self) -> Result<usize, DeviceError> {
        self.call("getting ready", || Ok(()))?;
        Ok(self.stream(FIRST_QUEUE)?.cu_stream().expose_provenance())
    }

    fn attributes(
        &self,
        image: &'static Image,
        kernel: &'static str,
        shape: &Shape,
    ) -> Result<Attributes, DeviceError> {
        let attributes = || self.modules.attributes(image, kernel, shape);
        self.call("asking what a kernel takes", attributes)
    }

    fn block_stream(&self) -> Result<(), DeviceError> {
        let stream = self.stream(FIRST_QUEUE)?.cu_stream();
        self.call("holding the device", || {
            // SAFETY: the stream is of this context, and `wait` is called once with its latch.
            self.gate.close(|latch| unsafe {
                result::stream::launch_host_function(stream, gate::wait, latch)
            })
        })
    }

    fn release_stream(&self) -> BlockEnd {
        self.gate.open()
    }

    fn records(&self) -> bool {
        true
    }

    fn start_recording(&self) -> Result<(), DeviceError> {
        let stream = self.stream(FIRST_QUEUE)?;
        self.call("recording", || recording::start(stream))
    }

    fn end_recording(&self) -> Result<Box<dyn Recording>, DeviceError> {
        let stream = self.stream(FIRST_QUEUE)?;
        let end = || recording::end(stream, self.device());
        Ok(Box::new(self.call("recording", end)?))
    }

    fn finish(&self) -> Result<(), DeviceError> {
        let streams = self.streams.iter().filter_map(OnceLock::get);
        let waited = streams.map(|stream| self.call("waiting", || stream.synchronize()));
        // Waits for all streams, also after an error.
        waited.fold(Ok(()), Result::and)?;
        self.running().clear();
        Ok(())
    }

    fn wait(&self, queue: u32) -> Result<(), DeviceError> {
        let stream = self.stream(queue)?;
        self.call("waiting", || stream.synchronize())
    }

    fn mark(&self, queue: u32, index: usize) -> Result<(), DeviceError> {
        let stream = self.stream(queue)?;
        let mut marks = self.marks();
        while marks.len() <= index {
            // Without flags timing would be off.
            let flags = Some(CUevent_flags::CU_EVENT_DEFAULT);
            let event = self.call("making an event", || self.context.new_event(flags))?;
            marks.push(event);
        }
        self.call("marking a time", || marks[index].record(stream))
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
