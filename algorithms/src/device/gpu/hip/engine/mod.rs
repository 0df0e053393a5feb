//! A GPU at work; `failures` says what calls that fail mean.
//!
//! There are no graphs: recorded work is started step by step.

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
    ALL_QUEUES, Attributes, Engine, FIRST_QUEUE, Hold, Properties, Shape, Side,
};
use crate::device::gpu::gate::{self, Gate};
use crate::device::gpu::{Argument, DeviceError, Image};

/// What the runtime calls the host where a device is asked for.
const CPU: c_int = -1;
/// A stream that does not wait for the null stream.
const NON_BLOCKING: c_uint = 1;
/// An event that takes times.
const WITH_TIMES: c_uint = 0;
/// Page-locked memory as it is, and within reach of kernels.
const PINNED: c_uint = 0;
const MAPPED: c_uint = 2;
/// Managed memory that all streams reach.
const GLOBAL: c_uint = 1;

/// A GPU with a stream for each queue.
pub(super) struct HipEngine {
    hip: &'static Hip,
    properties: Properties,
    number: c_int,
    modules: Modules,
    marks: Mutex<Vec<Handle>>,
    /// Kernels that may be running.
    running: Mutex<Vec<&'static str>>,
    lost: AtomicBool,
    gate: Gate,
    /// Made when their queues are opened.
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
            number: gpu.number as c_int,
            modules: Modules::new(gpu, objects),
            marks: Mutex::default(),
            running: Mutex::default(),
            lost: AtomicBool::new(false),
            gate: Gate::default(),
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
        // SAFETY: there is such a GPU.
        unsafe { self.hip.hipSetDevice(self.number) }?;
        call(self.hip)
    }

    /// What was there first, if others were as fast.
    fn kept(
        &self,
        place: &OnceLock<Handle>,
        made: Handle,
        destroy: impl FnOnce(&Hip, Handle),
    ) -> Result<Handle, DeviceError> {
        if place.set(made).is_err() {
            destroy(self.hip, made);
        }
        Ok(place.get().copied().unwrap_or(made))
    }

    fn event(&self) -> Result<Handle, DeviceError> {
        let mut event = Handle::NONE;
        // SAFETY: see below.
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
        // SAFETY: see below.
        let locked = self.called(|hip| unsafe { hip.hipHostMalloc(&raw mut start, bytes, flags) });
        locked.map_err(|error| match error.code {
            OUT_OF_MEMORY => DeviceError::OutOfPinnedMemory { needed: bytes as u64 },
            _ => self.failed("page-locking", &error),
        })?;
        Ok(start.cast())
    }

    /// Bytes of device memory that nobody has, and all.
    fn free_and_total(&self) -> Result<(usize, usize), DeviceError> {
        let (mut free, mut total) = (0, 0);
        // SAFETY: see below.
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
        // SAFETY: nobody uses what is made here any more. Errors help nobody now.
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

/// What the stream calls, and waits for.
unsafe extern "C" fn hold(_: Handle, _: c_int, latch: *mut c_void) {
    // SAFETY: the stream gives it what it was given, once.
    unsafe { gate::wait(latch) }
}

fn device_pointer(address: u64) -> *mut c_void {
    std::ptr::with_exposed_provenance_mut(address as usize)
}

// SAFETY of all calls into the runtime: addresses and sizes are as the callers of these methods
// promise, and the streams, the events and the kernels are those of this GPU, which `called`
// makes current.
impl Engine for HipEngine {
    fn properties(&self) -> &Properties {
        &self.properties
    }

    fn allocate(&self, bytes: usize) -> Result<u64, DeviceError> {
        let mut address = null_mut();
        // SAFETY: see above.
        self.called(|hip| unsafe { hip.hipMalloc(&raw mut address, bytes) })
            .map_err(|error| self.no_room(bytes, &error))?;
        Ok(address.expose_provenance() as u64)
    }

    unsafe fn free(&self, address: u64) {
        // SAFETY: see above.
        let _ = self.called(|hip| unsafe { hip.hipFree(device_pointer(address)) });
    }

    fn pin(&self, bytes: usize) -> Result<*mut u8, DeviceError> {
        self.lock_pages(bytes, PINNED)
    }

    unsafe fn unpin(&self, start: *mut u8, _: usize) {
        // SAFETY: see above.
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
        // SAFETY: see above.
        self.call("mapping memory", |hip| unsafe {
            hip.hipHostGetDevicePointer(&raw mut address, start.cast(), 0)
        })?;
        Ok(address.expose_provenance() as u64)
    }

    fn manage(&self, bytes: usize) -> Result<*mut u8, DeviceError> {
        let mut start = null_mut();
        // SAFETY: see above.
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
            Side::Device => self.number,
        };
        // SAFETY: see above.
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
        let mut made = Handle::NONE;
        // SAFETY: see above.
        self.call("making a stream", |hip| unsafe {
            hip.hipStreamCreateWithFlags(&raw mut made, NON_BLOCKING)
        })?;
        self.kept(stream, made, |hip, late| {
            // SAFETY: no other code has it.
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
        // SAFETY: see above.
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
        // SAFETY: see above.
        self.call("copying from the device", |hip| unsafe {
            hip.hipMemcpyDtoHAsync(to.cast(), device_pointer(from), bytes, self.stream(queue))
        })
    }

    unsafe fn copy(&self, queue: u32, to: u64, from: u64, bytes: usize) -> Result<(), DeviceError> {
        let (to, from) = (device_pointer(to), device_pointer(from));
        // SAFETY: see above.
        self.call("copying on the device", |hip| unsafe {
            hip.hipMemcpyDtoDAsync(to, from, bytes, self.stream(queue))
        })
    }

    unsafe fn fill(&self, queue: u32, to: u64, byte: u8, bytes: usize) -> Result<(), DeviceError> {
        // SAFETY: see above.
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
        // SAFETY: see above.
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

    fn follow_first_queue(&self, queue: u32) -> Result<(), DeviceError> {
        let reached = match self.reached.get() {
            Some(&event) => event,
            None => self.kept(&self.reached, self.event()?, |hip, late| {
                // SAFETY: nobody else has it.
                let _ = unsafe { hip.hipEventDestroy(late) };
            })?,
        };
        // SAFETY: see above.
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
        // Whatever is wrong is told when it is started.
        self.called(|_| Ok(())).ok()?;
        self.modules.kernel(self.hip, image, kernel).ok()?.declared_bytes
    }

    fn hold(&self) -> Result<(), DeviceError> {
        let stream = self.stream(FIRST_QUEUE);
        self.call("holding the device", |hip| {
            // SAFETY: see above; the function gets what it is for.
            self.gate.close(|latch| unsafe { hip.hipStreamAddCallback(stream, hold, latch, 0) })
        })
    }

    fn let_go(&self) -> Hold {
        self.gate.open()
    }

    fn finish(&self) -> Result<(), DeviceError> {
        let streams = self.streams.iter().filter_map(OnceLock::get);
        // SAFETY: see above.
        let wait =
            |&stream| self.call("waiting", |hip| unsafe { hip.hipStreamSynchronize(stream) });
        // All of them are waited for, whatever the first error is.
        streams.map(wait).fold(Ok(()), Result::and)?;
        self.running().clear();
        Ok(())
    }

    fn wait(&self, queue: u32) -> Result<(), DeviceError> {
        let stream = self.stream(queue);
        // SAFETY: see above.
        self.call("waiting", |hip| unsafe { hip.hipStreamSynchronize(stream) })
    }

    fn mark(&self, queue: u32, number: usize) -> Result<(), DeviceError> {
        let mut marks = self.marks();
        while marks.len() <= number {
            marks.push(self.event()?);
        }
        // SAFETY: see above.
        self.call("marking a time", |hip| unsafe {
            hip.hipEventRecord(marks[number], self.stream(queue))
        })
    }

    fn seconds_between(&self, from: usize, to: usize) -> Result<Option<f64>, DeviceError> {
        let marks = self.marks();
        let mut milliseconds = 0.0;
        // SAFETY: see above.
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
