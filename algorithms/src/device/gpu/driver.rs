//! Backend over the driver of a vendor, with streams, events and modules of kernels.
//!
//! CUDA's driver API and the HIP runtime have the same shape: what differs is a [`Driver`].

use std::ffi::c_void;
use std::fmt::Display;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use super::engine::{
    ALL_QUEUES, Attributes, BlockEnd, Engine, FIRST_QUEUE, Properties, Recording, Shape, Side,
};
use super::gate::StreamGate;
use super::{Argument, DeviceError, Image};

/// Functions of a driver for one GPU, which is bound to the calling thread. Unsafe methods need the
/// promises of the methods of [`Engine`] that call them, and handles of the same driver.
pub(super) trait Driver: Send + Sync {
    /// Queue of work; destroyed when it is dropped.
    type Stream: Send + Sync;
    /// Point in the work of a stream, with its time; destroyed when it is dropped.
    type Event: Send + Sync;
    /// A loaded kernel.
    type Kernel;
    type Error: Display;

    /// Flags of page-locked memory.
    const PINNED: u32;
    /// Flags of page-locked memory that kernels access.
    const MAPPED: u32;
    /// True if a copy waits for all others in its direction, whatever their queues.
    const COPIES_WAIT_FOR_OTHERS: bool = false;
    /// True if work can be recorded.
    const RECORDS: bool = false;

    /// Makes the GPU current for calls of this thread.
    fn bind(&self) -> Result<(), Self::Error>;

    fn cause(error: &Self::Error) -> Cause;

    fn allocate(&self, bytes: usize) -> Result<u64, Self::Error>;

    unsafe fn free(&self, address: u64) -> Result<(), Self::Error>;

    fn lock_pages(&self, bytes: usize, flags: u32) -> Result<*mut u8, Self::Error>;

    unsafe fn unlock_pages(&self, start: *mut u8) -> Result<(), Self::Error>;

    fn device_address(&self, start: *mut u8) -> Result<u64, Self::Error>;

    fn manage(&self, bytes: usize) -> Result<*mut u8, Self::Error>;

    /// Bytes of free device memory, and of all.
    fn free_and_total(&self) -> Result<(usize, usize), Self::Error>;

    fn stream(&self) -> Result<Self::Stream, Self::Error>;

    fn event(&self) -> Result<Self::Event, Self::Error>;

    /// Starts to move memory.
    unsafe fn start(&self, stream: &Self::Stream, work: Transfer) -> Result<(), Self::Error>;

    /// Returns a kernel by its name, loaded for a launch configuration.
    fn kernel(
        &self,
        image: &'static Image,
        name: &'static str,
        shape: &Shape,
    ) -> Result<Self::Kernel, Self::Error>;

    /// Bytes of static shared memory of a block; `None` if the driver itself refuses blocks with
    /// too much shared memory.
    fn static_shared_bytes(_: &Self::Kernel) -> Option<u32> {
        None
    }

    /// See [`Engine::declared_shared_bytes`].
    fn declared_shared_bytes(&self, _: &'static Image, _: &'static str) -> Option<u32> {
        None
    }

    fn attributes(
        &self,
        image: &'static Image,
        name: &'static str,
        shape: &Shape,
    ) -> Result<Attributes, Self::Error>;

    unsafe fn launch(
        &self,
        stream: &Self::Stream,
        kernel: &Self::Kernel,
        shape: &Shape,
        arguments: &mut [*mut c_void],
    ) -> Result<(), Self::Error>;

    /// Makes a stream wait for all work that is in the first one so far.
    fn join(&self, stream: &Self::Stream, first: &Self::Stream) -> Result<(), Self::Error>;

    /// Calls [`wait`](super::gate::wait) with its argument from the stream, which waits for it.
    unsafe fn wait_for_host(
        &self,
        stream: &Self::Stream,
        latch: *mut c_void,
    ) -> Result<(), Self::Error>;

    fn synchronize(&self, stream: &Self::Stream) -> Result<(), Self::Error>;

    fn record(&self, event: &Self::Event, stream: &Self::Stream) -> Result<(), Self::Error>;

    fn milliseconds(&self, from: &Self::Event, to: &Self::Event) -> Result<f32, Self::Error>;

    /// Handle of a stream for plugins; 0 if they have no use for it.
    fn native(_: &Self::Stream) -> usize {
        0
    }

    /// Starts to record; `None` if nothing can be recorded.
    fn start_recording(&self, _: &Self::Stream) -> Option<Result<(), Self::Error>> {
        None
    }

    /// Ends a recording; `None` if nothing can be recorded.
    fn end_recording(
        &self,
        _: &Self::Stream,
        _device: String,
    ) -> Option<Result<Box<dyn Recording>, Self::Error>> {
        None
    }
}

/// Cause of an error of a driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    OutOfMemory,
    /// A kernel has failed, so that the GPU can't be used any more.
    Kernel,
    Other,
}

/// A move of memory in a stream.
pub(super) enum Transfer {
    Upload { to: u64, from: *const u8, bytes: usize },
    Download { to: *mut u8, from: u64, bytes: usize },
    Copy { to: u64, from: u64, bytes: usize },
    Fill { to: u64, byte: u8, bytes: usize },
    Prefetch { address: u64, bytes: usize, to: Side },
}

/// A GPU with a stream for each queue.
pub(super) struct DriverEngine<D: Driver> {
    properties: Properties,
    marks: Mutex<Vec<D::Event>>,
    /// Kernels that may be running.
    running: Mutex<Vec<&'static str>>,
    lost: AtomicBool,
    gate: StreamGate,
    /// Created when their queues are opened.
    streams: [OnceLock<D::Stream>; ALL_QUEUES as usize],
    driver: D,
}

impl<D: Driver> DriverEngine<D> {
    /// A GPU with its first queue.
    pub(super) fn new(properties: Properties, driver: D) -> Result<Self, DeviceError> {
        let engine = DriverEngine {
            properties,
            marks: Mutex::default(),
            running: Mutex::default(),
            lost: AtomicBool::new(false),
            gate: StreamGate::default(),
            streams: [const { OnceLock::new() }; ALL_QUEUES as usize],
            driver,
        };
        engine.open_queue(FIRST_QUEUE)?;
        Ok(engine)
    }

    fn device(&self) -> String {
        self.properties.device.clone()
    }

    /// Calls the driver from this thread.
    fn call<R>(
        &self,
        what: &'static str,
        call: impl FnOnce(&D) -> Result<R, D::Error>,
    ) -> Result<R, DeviceError> {
        self.bound(call).map_err(|error| self.failed(what, &error))
    }

    fn bound<R>(&self, call: impl FnOnce(&D) -> Result<R, D::Error>) -> Result<R, D::Error> {
        self.driver.bind()?;
        call(&self.driver)
    }

    /// The stream of a queue.
    fn stream(&self, queue: u32) -> &D::Stream {
        self.streams[queue as usize].get().expect("a queue is opened before it gets work")
    }

    /// Starts to move memory.
    ///
    /// # Safety
    /// See [`Driver::start`].
    unsafe fn start(
        &self,
        what: &'static str,
        queue: u32,
        work: Transfer,
    ) -> Result<(), DeviceError> {
        // SAFETY: as the caller promises; the stream is of this driver.
        self.call(what, |driver| unsafe { driver.start(self.stream(queue), work) })
    }

    fn lock_pages(&self, bytes: usize, flags: u32) -> Result<*mut u8, DeviceError> {
        self.bound(|driver| driver.lock_pages(bytes, flags)).map_err(|error| {
            match D::cause(&error) {
                Cause::OutOfMemory => DeviceError::OutOfPinnedMemory { needed: bytes as u64 },
                _ => self.failed("page-locking", &error),
            }
        })
    }

    fn running(&self) -> MutexGuard<'_, Vec<&'static str>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn marks(&self) -> MutexGuard<'_, Vec<D::Event>> {
        self.marks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Converts the error of a failed call. The error of a failed kernel is returned by any later
    /// call, and is permanent.
    fn failed(&self, what: &'static str, error: &D::Error) -> DeviceError {
        let device = self.device();
        let problem = error.to_string();
        if D::cause(error) != Cause::Kernel {
            return DeviceError::Failed { device, what, problem };
        }
        self.lost.store(true, Relaxed);
        let mut kernels = self.running().clone();
        kernels.dedup();
        DeviceError::Kernel { device, kernels: kernels.join(", or "), problem }
    }

    /// Converts the error of a kernel that was not started.
    fn not_started(&self, kernel: &'static str, error: &D::Error) -> DeviceError {
        if D::cause(error) == Cause::Kernel {
            return self.failed("starting a kernel", error);
        }
        DeviceError::Launch { device: self.device(), kernel, problem: error.to_string() }
    }

    /// Converts the error of an allocation.
    fn no_room(&self, needed: usize, error: &D::Error) -> DeviceError {
        if D::cause(error) != Cause::OutOfMemory {
            return self.failed("allocating", error);
        }
        let (free, total) = self.bound(D::free_and_total).unwrap_or_default();
        DeviceError::OutOfMemory {
            device: self.device(),
            needed: needed as u64,
            free: free as u64,
            total: total as u64,
        }
    }

    /// Error if a block needs more shared memory than there is, unless the driver finds out.
    fn lacks_shared(
        &self,
        kernel: &'static str,
        loaded: &D::Kernel,
        shape: &Shape,
    ) -> Option<DeviceError> {
        let needed = D::static_shared_bytes(loaded)?.saturating_add(shape.shared_bytes);
        let available = self.properties.shared_bytes;
        (needed > available).then(|| DeviceError::Lacking {
            device: self.device(),
            kernel,
            needed: format!("{needed} bytes of shared memory"),
            available: format!("{available}"),
        })
    }
}

impl<D: Driver> Engine for DriverEngine<D> {
    fn properties(&self) -> &Properties {
        &self.properties
    }

    fn allocate(&self, bytes: usize) -> Result<u64, DeviceError> {
        let allocated = self.bound(|driver| driver.allocate(bytes));
        allocated.map_err(|error| self.no_room(bytes, &error))
    }

    unsafe fn free(&self, address: u64) {
        // An error is ignored: a lost GPU has freed its memory.
        // SAFETY: as the caller promises.
        let _ = self.bound(|driver| unsafe { driver.free(address) });
    }

    fn pin(&self, bytes: usize) -> Result<*mut u8, DeviceError> {
        self.lock_pages(bytes, D::PINNED)
    }

    unsafe fn unpin(&self, start: *mut u8, _: usize) {
        // SAFETY: as the caller promises.
        let _ = self.bound(|driver| unsafe { driver.unlock_pages(start) });
    }

    fn map(&self, bytes: usize) -> Result<*mut u8, DeviceError> {
        self.lock_pages(bytes, D::MAPPED)
    }

    unsafe fn unmap(&self, start: *mut u8, bytes: usize) {
        // SAFETY: as the caller promises.
        unsafe { self.unpin(start, bytes) }
    }

    fn device_address(&self, start: *mut u8) -> Result<u64, DeviceError> {
        self.call("mapping memory", |driver| driver.device_address(start))
    }

    fn manage(&self, bytes: usize) -> Result<*mut u8, DeviceError> {
        let managed = self.bound(|driver| driver.manage(bytes));
        managed.map_err(|error| self.no_room(bytes, &error))
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
        let work = Transfer::Prefetch { address, bytes, to };
        // SAFETY: as the caller promises.
        unsafe { self.start("moving managed memory", queue, work) }
    }

    fn free_bytes(&self) -> Result<Option<u64>, DeviceError> {
        let (free, _) = self.call("asking for free memory", D::free_and_total)?;
        Ok(Some(free as u64))
    }

    fn open_queue(&self, queue: u32) -> Result<(), DeviceError> {
        let stream = &self.streams[queue as usize];
        if stream.get().is_none() {
            // Dropped if another thread was first.
            let _ = stream.set(self.call("making a stream", D::stream)?);
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
        let work = Transfer::Upload { to, from, bytes };
        // SAFETY: as the caller promises.
        unsafe { self.start("copying to the device", queue, work) }
    }

    unsafe fn download(
        &self,
        queue: u32,
        to: *mut u8,
        from: u64,
        bytes: usize,
    ) -> Result<(), DeviceError> {
        let work = Transfer::Download { to, from, bytes };
        // SAFETY: as the caller promises.
        unsafe { self.start("copying from the device", queue, work) }
    }

    fn copies_wait_for_others(&self) -> bool {
        D::COPIES_WAIT_FOR_OTHERS
    }

    unsafe fn copy(&self, queue: u32, to: u64, from: u64, bytes: usize) -> Result<(), DeviceError> {
        let work = Transfer::Copy { to, from, bytes };
        // SAFETY: as the caller promises.
        unsafe { self.start("copying on the device", queue, work) }
    }

    unsafe fn fill(&self, queue: u32, to: u64, byte: u8, bytes: usize) -> Result<(), DeviceError> {
        let work = Transfer::Fill { to, byte, bytes };
        // SAFETY: as the caller promises.
        unsafe { self.start("setting memory", queue, work) }
    }

    unsafe fn launch(
        &self,
        queue: u32,
        image: &'static Image,
        kernel: &'static str,
        shape: &Shape,
        arguments: &[Argument],
    ) -> Result<(), DeviceError> {
        let refused = |error| self.not_started(kernel, &error);
        let loaded = self.bound(|driver| driver.kernel(image, kernel, shape)).map_err(refused)?;
        if let Some(lacking) = self.lacks_shared(kernel, &loaded, shape) {
            return Err(lacking);
        }
        let pointer = |argument: &Argument| argument.bytes().0.cast_mut().cast::<c_void>();
        let mut pointers: Vec<_> = arguments.iter().map(pointer).collect();
        self.running().push(kernel);
        let stream = self.stream(queue);
        // SAFETY: as the caller promises; the stream and the kernel are of this driver.
        unsafe { self.driver.launch(stream, &loaded, shape, &mut pointers) }.map_err(refused)
    }

    fn wait_for_first_queue(&self, queue: u32) -> Result<(), DeviceError> {
        let first = self.stream(FIRST_QUEUE);
        self.call("ordering queues", |driver| driver.join(self.stream(queue), first))
    }

    fn native_stream(&self) -> Result<usize, DeviceError> {
        self.call("getting ready", |_| Ok(D::native(self.stream(FIRST_QUEUE))))
    }

    fn attributes(
        &self,
        image: &'static Image,
        kernel: &'static str,
        shape: &Shape,
    ) -> Result<Attributes, DeviceError> {
        let attributes = self.bound(|driver| driver.attributes(image, kernel, shape));
        attributes.map_err(|error| self.not_started(kernel, &error))
    }

    fn declared_shared_bytes(&self, image: &'static Image, kernel: &'static str) -> Option<u32> {
        self.driver.declared_shared_bytes(image, kernel)
    }

    fn block_stream(&self) -> Result<(), DeviceError> {
        let stream = self.stream(FIRST_QUEUE);
        self.call("holding the device", |driver| {
            // SAFETY: the stream is of this driver and calls `wait` once with its latch.
            self.gate.close(|latch| unsafe { driver.wait_for_host(stream, latch) })
        })
    }

    fn release_stream(&self) -> BlockEnd {
        self.gate.open()
    }

    fn records(&self) -> bool {
        D::RECORDS
    }

    fn start_recording(&self) -> Result<(), DeviceError> {
        let started = self
            .call("getting ready", |driver| Ok(driver.start_recording(self.stream(FIRST_QUEUE))))?;
        let started = started.ok_or_else(|| self.records_nothing())?;
        started.map_err(|error| self.failed("recording", &error))
    }

    fn end_recording(&self) -> Result<Box<dyn Recording>, DeviceError> {
        let ended = self.call("getting ready", |driver| {
            Ok(driver.end_recording(self.stream(FIRST_QUEUE), self.device()))
        })?;
        let ended = ended.ok_or_else(|| self.records_nothing())?;
        ended.map_err(|error| self.failed("recording", &error))
    }

    fn finish(&self) -> Result<(), DeviceError> {
        let streams = self.streams.iter().filter_map(OnceLock::get);
        let wait = |stream| self.call("waiting", |driver| driver.synchronize(stream));
        // Waits for all streams, also after an error.
        streams.map(wait).fold(Ok(()), Result::and)?;
        self.running().clear();
        Ok(())
    }

    fn wait(&self, queue: u32) -> Result<(), DeviceError> {
        self.call("waiting", |driver| driver.synchronize(self.stream(queue)))
    }

    fn mark(&self, queue: u32, index: usize) -> Result<(), DeviceError> {
        let mut marks = self.marks();
        while marks.len() <= index {
            marks.push(self.call("making an event", D::event)?);
        }
        self.call("marking a time", |driver| driver.record(&marks[index], self.stream(queue)))
    }

    fn seconds_between(&self, from: usize, to: usize) -> Result<Option<f64>, DeviceError> {
        let marks = self.marks();
        let between = |driver: &D| driver.milliseconds(&marks[from], &marks[to]);
        let milliseconds = self.call("reading a time", between)?;
        Ok(Some(f64::from(milliseconds) / 1e3))
    }

    fn reuses_memory(&self) -> bool {
        !self.is_lost()
    }

    fn is_lost(&self) -> bool {
        self.lost.load(Relaxed)
    }
}
