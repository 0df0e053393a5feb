//! The HIP backend; `failures` converts errors of calls.
//!
//! It has no graphs: recorded work is started step by step.

mod failures;

use std::ffi::{c_int, c_uint, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use super::code_objects::CodeObjects;
use super::library::{Handle, Hip, HipError, OUT_OF_MEMORY};
use super::modules::Modules;
use super::probe::HipGpu;
use crate::device::gpu::engine::{
    ALL_QUEUES, Attributes, BlockEnd, Engine, FIRST_QUEUE, Properties, Shape, Side,
};
use crate::device::gpu::gate::{self, StreamGate};
use crate::device::gpu::{Argument, DeviceError, Image};

/// Device number of the host in calls of the runtime.
const CPU: c_int = -1;
/// A stream that does not wait for the null stream.
const NON_BLOCKING: c_uint = 1;
/// An event that takes times.
const WITH_TIMES: c_uint = 0;
/// Page-locked memory without flags, and accessible to kernels.
const PINNED: c_uint = 0;
const MAPPED: c_uint = 2;
/// Managed memory that all streams can access.
const GLOBAL: c_uint = 1;

/// A GPU with a stream for each queue.
pub(super) struct HipEngine {
    hip: &'static Hip,
    properties: Properties,
    index: c_int,
    modules: Modules,
    marks: Mutex<Vec<Handle>>,
    /// Kernels that may be running.
    running: Mutex<Vec<&'static str>>,
    lost: AtomicBool,
    gate: StreamGate,
    /// Created when their queues are opened.
    streams: [OnceLock<Handle>; ALL_QUEUES as usize],
    /// Event of the first queue that other queues wait for.
    reached: OnceLock<Handle>,
}

impl HipEngine {
    pub(super) fn new(
        hip: &'static Hip,
        gpu: &HipGpu,
        objects: CodeObjects,
    ) -> Result<Self, DeviceError> {
        let device = format!("hip:{}", gpu.number);
        if ![32, 64].contains(&gpu.lanes) {
            let reason = format!("its warps have {} lanes; kernels have 32 or 64", gpu.lanes);
            return Err(DeviceError::Unusable { device, reason });
        }
        let engine = HipEngine {
            hip,
            properties: Properties {
                device,
                name: gpu.name.clone(),
                lanes: gpu.lanes,
                multiprocessors: gpu.compute_units,
                multiprocessor_threads: gpu.unit_threads,
                memory_bytes: gpu.memory_bytes,
                l2_bytes: gpu.l2_bytes,
                shared_bytes: gpu.shared_bytes,
                has_shaders: false,
                runs_block_by_block: false,
            },
            index: gpu.number as c_int,
            modules: Modules::new(gpu, objects),
            marks: Mutex::default(),
            running: Mutex::default(),
            lost: AtomicBool::new(false),
            gate: StreamGate::default(),
            streams: Default::default(),
            reached: OnceLock::new(),
        };
        engine.open_queue(FIRST_QUEUE)?;
        Ok(engine)
    }

    fn device(&self) -> String {
        self.properties.device.clone()
    }

    /// Calls the runtime from this thread, for this GPU.
    fn call(
        &self,
        what: &'static str,
        call: impl FnOnce(&Hip) -> Result<(), HipError>,
    ) -> Result<(), DeviceError> {
        self.called(call).map_err(|error| self.failed(what, &error))
    }

    fn called(&self, call: impl FnOnce(&Hip) -> Result<(), HipError>) -> Result<(), HipError> {
        // SAFETY: the number is that of an existing GPU.
        unsafe { self.hip.hipSetDevice(self.index) }?;
        call(self.hip)
    }

    /// Stores a new handle unless another thread was first; destroys it then and returns the stored
    /// one.
    fn store_or_destroy(
        &self,
        slot: &OnceLock<Handle>,
        handle: Handle,
        destroy: impl FnOnce(&Hip, Handle),
    ) -> Result<Handle, DeviceError> {
        if slot.set(handle).is_err() {
            destroy(self.hip, handle);
        }
        Ok(slot.get().copied().unwrap_or(handle))
    }

    fn event(&self) -> Result<Handle, DeviceError> {
        let mut event = Handle::NONE;
        // SAFETY: the runtime writes a handle to this variable.
        self.call("making an event", |hip| unsafe {
            hip.hipEventCreateWithFlags(&raw mut event, WITH_TIMES)
        })?;
        Ok(event)
    }

    /// The stream of a queue that was opened.
    fn stream(&self, queue: u32) -> Handle {
        let stream = self.streams.get(queue as usize).and_then(OnceLock::get);
        stream.copied().unwrap_or(Handle::NONE)
    }

    fn lock_pages(&self, bytes: usize, flags: c_uint) -> Result<*mut u8, DeviceError> {
        let mut start = null_mut();
        // SAFETY: the runtime writes an address to this variable.
        let locked = self.called(|hip| unsafe { hip.hipHostMalloc(&raw mut start, bytes, flags) });
        locked.map_err(|error| match error.code {
            OUT_OF_MEMORY => DeviceError::OutOfPinnedMemory { needed: bytes as u64 },
            _ => self.failed("page-locking", &error),
        })?;
        Ok(start.cast())
    }

    /// Bytes of free device memory, and of all.
    fn free_and_total(&self) -> Result<(usize, usize), DeviceError> {
        let mut free = 0;
        let mut total = 0;
        // SAFETY: the runtime writes the sizes to these variables.
        self.call("asking for free memory", |hip| unsafe {
            hip.hipMemGetInfo(&raw mut free, &raw mut total)
        })?;
        Ok((free, total))
    }

    fn running(&self) -> MutexGuard<'_, Vec<&'static str>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn marks(&self) -> MutexGuard<'_, Vec<Handle>> {
        self.marks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for HipEngine {
    fn drop(&mut self) {
        let events = std::mem::take(&mut *self.marks());
        // SAFETY: the handles were created here and are not used any more. Errors can't be handled
        // any more.
        let _ = self.called(|hip| unsafe {
            for event in events.into_iter().chain(self.reached.get().copied()) {
                let _ = hip.hipEventDestroy(event);
            }
            for &stream in self.streams.iter().filter_map(OnceLock::get) {
                let _ = hip.hipStreamDestroy(stream);
            }
            self.modules.unload(hip);
            Ok(())
        });
    }
}

/// Host function that the stream calls and waits for.
unsafe extern "C" fn hold(_: Handle, _: c_int, latch: *mut c_void) {
    // SAFETY: the pointer is the one that `StreamGate::close` passed, and the stream calls this
    // once.
    unsafe { gate::wait(latch) }
}

fn device_pointer(address: u64) -> *mut c_void {
    std::ptr::with_exposed_provenance_mut(address as usize)
}

// SAFETY of all calls into the runtime: the callers of these methods promise addresses and sizes,
// and the streams, the events and the kernels are those of this GPU, which `called` makes current.
impl Engine for HipEngine {
    fn properties(&self) -> &Properties {
        &self.properties
    }

    fn allocate(&self, bytes: usize) -> Result<u64, DeviceError> {
        let mut address = null_mut();
        // SAFETY: the caller promises addresses and sizes; handles are of this GPU.
        self.called(|hip| unsafe { hip.hipMalloc(&raw mut address, bytes) })
            .map_err(|error| self.no_room(bytes, &error))?;
        Ok(address.expose_provenance() as u64)
    }

    unsafe fn free(&self, address: u64) {
        // SAFETY: the caller promises addresses and sizes; handles are of this GPU.
        let _ = self.called(|hip| unsafe { hip.hipFree(device_pointer(address)) });
    }

    fn pin(&self, bytes: usize) -> Result<*mut u8, DeviceError> {
        self.lock_pages(bytes, PINNED)
    }

    unsafe fn unpin(&self, start: *mut u8, _: usize) {
        // SAFETY: the caller promises addresses and sizes; handles are of this GPU.
        let _ = self.called(|hip| unsafe { hip.hipHostFree(start.cast()) });
    }

    fn map(&self, bytes: usize) -> Result<*mut u8, DeviceError> {
        self.lock_pages(bytes, MAPPED)
    }

    unsafe fn unmap(&self, start: *mut u8, bytes: usize) {
        // SAFETY: as the caller promises.
        unsafe { self.unpin(start, bytes) }
    }

    fn device_address(&self, start: *mut u8) -> Result<u64, DeviceError> {
        let mut address = null_mut();
        // SAFETY: the caller promises addresses and sizes; handles are of this GPU.
        self.call("mapping memory", |hip| unsafe {
            hip.hipHostGetDevicePointer(&raw mut address, start.cast(), 0)
        })?;
        Ok(address.expose_provenance() as u64)
    }

    fn manage(&self, bytes: usize) -> Result<*mut u8, DeviceError> {
        let mut start = null_mut();
        // SAFETY: the caller promises addresses and sizes; handles are of this GPU.
        self.called(|hip| unsafe { hip.hipMallocManaged(&raw mut start, bytes, GLOBAL) })
            .map_err(|error| self.no_room(bytes, &error))?;
        Ok(start.cast())
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
        let device = match to {
            Side::Host => CPU,
            Side::Device => self.index,
        };
        // SAFETY: the caller promises addresses and sizes; handles are of this GPU.
        self.call("moving managed memory", |hip| unsafe {
            hip.hipMemPrefetchAsync(device_pointer(address), bytes, device, self.stream(queue))
        })
    }

    fn free_bytes(&self) -> Result<Option<u64>, DeviceError> {
        self.free_and_total().map(|(free, _)| Some(free as u64))
    }

    fn open_queue(&self, queue: u32) -> Result<(), DeviceError> {
        let stream = &self.streams[queue as usize];
        if stream.get().is_some() {
            return Ok(());
        }
        let mut handle = Handle::NONE;
        // SAFETY: the caller promises addresses and sizes; handles are of this GPU.
        self.call("making a stream", |hip| unsafe {
            hip.hipStreamCreateWithFlags(&raw mut handle, NON_BLOCKING)
        })?;
        self.store_or_destroy(stream, handle, |hip, late| {
            // SAFETY: no other code has this stream.
            let _ = unsafe { hip.hipStreamDestroy(late) };
        })?;
        Ok(())
    }

    unsafe fn upload(
        &self,
        queue: u32,
        to: u64,
        from: *const u8,
        bytes: usize,
    ) -> Result<(), DeviceError> {
        // SAFETY: the caller promises addresses and sizes; handles are of this GPU.
        self.call("copying to the device", |hip| unsafe {
            hip.hipMemcpyHtoDAsync(device_pointer(to), from.cast(), bytes, self.stream(queue))
        })
    }

    unsafe fn download(
        &self,
        queue: u32,
        to: *mut u8,
        from: u64,
        bytes: usize,
    ) -> Result<(), DeviceError> {
        // SAFETY: the caller promises addresses and sizes; handles are of this GPU.
        self.call("copying from the device", |hip| unsafe {
            hip.hipMemcpyDtoHAsync(to.cast(), device_pointer(from), bytes, self.stream(queue))
        })
    }

    unsafe fn copy(&self, queue: u32, to: u64, from: u64, bytes: usize) -> Result<(), DeviceError> {
        let to = device_pointer(to);
        let from = device_pointer(from);
        // SAFETY: the caller promises addresses and sizes; handles are of this GPU.
        self.call("copying on the device", |hip| unsafe {
            hip.hipMemcpyDtoDAsync(to, from, bytes, self.stream(queue))
        })
    }

    unsafe fn fill(&self, queue: u32, to: u64, byte: u8, bytes: usize) -> Result<(), DeviceError> {
        // SAFETY: the caller promises addresses and sizes; handles are of this GPU.
        self.call("setting memory", |hip| unsafe {
            hip.hipMemsetD8Async(device_pointer(to), byte, bytes, self.stream(queue))
        })
    }

    unsafe fn launch(
        &self,
        queue: u32,
        image: &'static Image,
        kernel: &'static str,
        shape: &Shape,
        arguments: &[Argument],
    ) -> Result<(), DeviceError> {
        self.call("getting ready", |_| Ok(()))?;
        let loaded = self.modules.kernel(self.hip, image, kernel);
        let loaded = loaded.map_err(|why| self.not_started(kernel, why))?;
        if let Some(lacking) = self.lacks_shared(kernel, loaded.static_bytes, shape) {
            return Err(lacking);
        }
        let pointer = |argument: &Argument| argument.bytes().0.cast_mut().cast::<c_void>();
        let mut pointers: Vec<_> = arguments.iter().map(pointer).collect();
        self.running().push(kernel);
        let handle = loaded.kernel;
        let stream = self.stream(queue);
        let Shape { blocks, threads, shared_bytes, .. } = *shape;
        let extra = null_mut();
        // SAFETY: the caller promises addresses and sizes; handles are of this GPU.
        let launched = unsafe {
            self.hip.hipModuleLaunchKernel(
                handle,
                blocks,
                1,
                1,
                threads,
                1,
                1,
                shared_bytes,
                stream,
                pointers.as_mut_ptr(),
                extra,
            )
        };
        launched.map_err(|error| self.not_started(kernel, error.into()))
    }

    fn wait_for_first_queue(&self, queue: u32) -> Result<(), DeviceError> {
        let reached = match self.reached.get() {
            Some(&event) => event,
            None => self.store_or_destroy(&self.reached, self.event()?, |hip, late| {
                // SAFETY: no other code has this event.
                let _ = unsafe { hip.hipEventDestroy(late) };
            })?,
        };
        // SAFETY: the caller promises addresses and sizes; handles are of this GPU.
        self.call("ordering queues", |hip| unsafe {
            hip.hipEventRecord(reached, self.stream(FIRST_QUEUE))?;
            hip.hipStreamWaitEvent(self.stream(queue), reached, 0)
        })
    }

    fn attributes(
        &self,
        image: &'static Image,
        kernel: &'static str,
        shape: &Shape,
    ) -> Result<Attributes, DeviceError> {
        self.call("getting ready", |_| Ok(()))?;
        let attributes = self.modules.attributes(self.hip, image, kernel, shape);
        attributes.map_err(|why| self.not_started(kernel, why))
    }

    /// Structs in shared memory may be larger for 64 lanes than for 32.
    fn declared_shared_bytes(&self, image: &'static Image, kernel: &'static str) -> Option<u32> {
        // Errors are reported when the kernel is started.
        self.called(|_| Ok(())).ok()?;
        self.modules.kernel(self.hip, image, kernel).ok()?.declared_bytes
    }

    fn block_stream(&self) -> Result<(), DeviceError> {
        let stream = self.stream(FIRST_QUEUE);
        self.call("holding the device", |hip| {
            // SAFETY: the stream is of this GPU, and `hold` is called once with its latch.
            self.gate.close(|latch| unsafe { hip.hipStreamAddCallback(stream, hold, latch, 0) })
        })
    }

    fn release_stream(&self) -> BlockEnd {
        self.gate.open()
    }

    fn finish(&self) -> Result<(), DeviceError> {
        let streams = self.streams.iter().filter_map(OnceLock::get);
        // SAFETY: the caller promises addresses and sizes; handles are of this GPU.
        let wait =
            |&stream| self.call("waiting", |hip| unsafe { hip.hipStreamSynchronize(stream) });
        // Waits for all streams, also after an error.
        streams.map(wait).fold(Ok(()), Result::and)?;
        self.running().clear();
        Ok(())
    }

    fn wait(&self, queue: u32) -> Result<(), DeviceError> {
        let stream = self.stream(queue);
        // SAFETY: the caller promises addresses and sizes; handles are of this GPU.
        self.call("waiting", |hip| unsafe { hip.hipStreamSynchronize(stream) })
    }

    fn mark(&self, queue: u32, index: usize) -> Result<(), DeviceError> {
        let mut marks = self.marks();
        while marks.len() <= index {
            marks.push(self.event()?);
        }
        // SAFETY: the caller promises addresses and sizes; handles are of this GPU.
        self.call("marking a time", |hip| unsafe {
            hip.hipEventRecord(marks[index], self.stream(queue))
        })
    }

    fn seconds_between(&self, from: usize, to: usize) -> Result<Option<f64>, DeviceError> {
        let marks = self.marks();
        let mut milliseconds = 0.0;
        // SAFETY: the caller promises addresses and sizes; handles are of this GPU.
        self.call("reading a time", |hip| unsafe {
            hip.hipEventElapsedTime(&raw mut milliseconds, marks[from], marks[to])
        })?;
        Ok(Some(f64::from(milliseconds) / 1e3))
    }

    fn reuses_memory(&self) -> bool {
        !self.is_lost()
    }

    fn is_lost(&self) -> bool {
        self.lost.load(Relaxed)
    }
}
