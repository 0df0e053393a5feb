//! The backend over a driver.

use std::any::Any;
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use super::{Cause, Driver, EventTiming};
use crate::engine::{
    ALL_QUEUES, Attributes, BlockEnd, Engine, EngineEvent, FIRST_QUEUE, MemoryKind, PeerCopy,
    Properties, Recording, Shape, Transfer,
};
use crate::gate::StreamGate;
use crate::{Argument, DeviceError, Image};

/// A GPU with a stream for each queue.
pub struct DriverEngine<D: Driver> {
    pub(super) properties: Properties,
    marks: Mutex<Vec<D::Event>>,
    /// Kernels that may be running.
    running: Mutex<Vec<&'static str>>,
    lost: AtomicBool,
    gate: StreamGate,
    /// Created when their queues are opened.
    streams: [OnceLock<D::Stream>; ALL_QUEUES as usize],
    pub(super) kernels: Mutex<HashMap<&'static str, D::Kernel>>,
    /// By the names of their sources.
    pub(super) modules: Mutex<HashMap<&'static str, D::Module>>,
    pub(super) driver: D,
}

impl<D: Driver> DriverEngine<D> {
    /// A GPU with its first queue.
    pub fn new(properties: Properties, driver: D) -> Result<Self, DeviceError> {
        let engine = DriverEngine {
            properties,
            marks: Mutex::default(),
            running: Mutex::default(),
            lost: AtomicBool::new(false),
            gate: StreamGate::default(),
            kernels: Mutex::default(),
            modules: Mutex::default(),
            streams: [const { OnceLock::new() }; ALL_QUEUES as usize],
            driver,
        };
        engine.open_queue(FIRST_QUEUE)?;
        Ok(engine)
    }

    pub(super) fn device(&self) -> String {
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

    fn note_running(&self, kernel: &'static str) {
        let mut running = self.running();
        if !running.contains(&kernel) {
            running.push(kernel);
        }
    }

    fn running(&self) -> MutexGuard<'_, Vec<&'static str>> {
        lock(&self.running)
    }

    fn marks(&self) -> MutexGuard<'_, Vec<D::Event>> {
        lock(&self.marks)
    }

    /// Converts the error of a failed call. The error of a failed kernel is returned by any later
    /// call, and is permanent.
    pub(super) fn failed(&self, what: &'static str, error: &D::Error) -> DeviceError {
        let device = self.device();
        let problem = error.to_string();
        if D::cause(error) != Cause::Kernel {
            return DeviceError::Failed { device, what, problem };
        }
        self.lost.store(true, Relaxed);
        DeviceError::Kernel { device, kernels: self.running().join(", or "), problem }
    }

    /// The event of this driver in an event of any engine.
    fn event<'e>(&self, event: &'e EngineEvent) -> Result<&'e D::Event, DeviceError> {
        event
            .downcast_ref()
            .ok_or_else(|| DeviceError::OtherDevice { device: self.device(), what: "event" })
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<D: Driver> Engine for DriverEngine<D> {
    fn properties(&self) -> &Properties {
        &self.properties
    }

    fn allocate(&self, kind: MemoryKind, bytes: usize) -> Result<u64, DeviceError> {
        let is_locked = matches!(kind, MemoryKind::Pinned | MemoryKind::Mapped);
        let needed = bytes as u64;
        self.bound(|driver| driver.allocate(kind, bytes)).map_err(|error| match D::cause(&error) {
            Cause::OutOfMemory if is_locked => DeviceError::OutOfPinnedMemory { needed },
            Cause::OutOfMemory => {
                let (free, total) = self.bound(D::free_and_total).unwrap_or_default();
                DeviceError::OutOfMemory {
                    device: self.device(),
                    needed,
                    free: free as u64,
                    total: total as u64,
                }
            }
            _ if is_locked => self.failed("page-locking", &error),
            _ => self.failed("allocating", &error),
        })
    }

    unsafe fn free(&self, kind: MemoryKind, address: u64, _: usize) {
        // An error is ignored: a lost GPU has freed its memory.
        // SAFETY: as the caller promises.
        let _ = self.bound(|driver| unsafe { driver.free(kind, address) });
    }

    fn device_address(&self, start: *mut u8) -> Result<u64, DeviceError> {
        self.call("mapping memory", |driver| driver.device_address(start))
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

    unsafe fn start(&self, queue: u32, transfer: Transfer) -> Result<(), DeviceError> {
        let stream = self.stream(queue);
        // SAFETY: as the caller promises; the stream is of this driver.
        self.call(transfer.name(), |driver| unsafe { driver.start(stream, transfer) })
    }

    fn copies_wait_for_others(&self) -> bool {
        D::COPIES_WAIT_FOR_OTHERS
    }

    unsafe fn launch(
        &self,
        queue: u32,
        image: &'static Image,
        kernel: &'static str,
        shape: &Shape,
        arguments: &[Argument],
    ) -> Result<(), DeviceError> {
        let refused = |error| self.not_started(image, kernel, &error);
        let loaded = self.prepared(image, kernel, shape)?;
        if let Some(lacking) = self.lacks_shared(kernel, &loaded, shape) {
            return Err(lacking);
        }
        let pointer = |argument: &Argument| argument.bytes().0.cast_mut().cast::<c_void>();
        let mut pointers: Vec<_> = arguments.iter().map(pointer).collect();
        self.note_running(kernel);
        let stream = self.stream(queue);
        // SAFETY: as the caller promises; the stream and the kernel are of this driver.
        unsafe { self.driver.launch(stream, &loaded, shape, &mut pointers) }.map_err(refused)
    }

    fn wait_for_first_queue(&self, queue: u32) -> Result<(), DeviceError> {
        self.call("ordering queues", |driver| {
            let reached = driver.event(EventTiming::Untimed)?;
            driver.record(&reached, self.stream(FIRST_QUEUE))?;
            driver.follow(self.stream(queue), &reached)
        })
    }

    fn record_event(&self, queue: u32) -> Result<EngineEvent, DeviceError> {
        self.call("recording an event", |driver| {
            let event = driver.event(EventTiming::Timed)?;
            driver.record(&event, self.stream(queue))?;
            Ok(Box::new(event) as EngineEvent)
        })
    }

    fn follow_event(&self, queue: u32, event: &EngineEvent) -> Result<bool, DeviceError> {
        let Some(event) = event.downcast_ref() else { return Ok(false) };
        self.call("ordering queues", |driver| driver.follow(self.stream(queue), event))?;
        Ok(true)
    }

    fn has_ended(&self, event: &EngineEvent) -> Result<bool, DeviceError> {
        let event = self.event(event)?;
        self.call("asking for an event", |driver| driver.has_ended(event))
    }

    fn wait_for_event(&self, event: &EngineEvent) -> Result<(), DeviceError> {
        let event = self.event(event)?;
        self.call("waiting", |driver| driver.wait_for_event(event))
    }

    fn seconds_between_events(
        &self,
        from: &EngineEvent,
        to: &EngineEvent,
    ) -> Result<Option<f64>, DeviceError> {
        let from = self.event(from)?;
        let to = self.event(to)?;
        let milliseconds = self.call("reading a time", |driver| driver.milliseconds(from, to))?;
        Ok(Some(f64::from(milliseconds) / 1e3))
    }

    unsafe fn copy_from_peer(
        &self,
        queue: u32,
        peer: &dyn Engine,
        copy: PeerCopy,
    ) -> Result<bool, DeviceError> {
        let peer: &dyn Any = peer;
        let Some(peer) = peer.downcast_ref::<Self>() else { return Ok(false) };
        let stream = self.stream(queue);
        self.call("copying from another device", |driver| {
            // SAFETY: as the caller promises; the stream is of this driver.
            unsafe { driver.copy_from_peer(stream, &peer.driver, copy) }
        })?;
        Ok(true)
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
        let loaded = self.prepared(image, kernel, shape)?;
        let attributes = self.driver.attributes(&loaded, shape);
        attributes.map_err(|error| self.not_started(image, kernel, &error))
    }

    fn declared_shared_bytes(&self, image: &'static Image, kernel: &'static str) -> Option<u32> {
        if !D::DECLARES_SHARED {
            return None;
        }
        // Errors are reported when the kernel is started.
        let declared = |kernel: &mut D::Kernel| Ok(D::declared_shared_bytes(kernel));
        self.with_kernel(image, kernel, declared).ok().flatten()
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
            let event = |driver: &D| driver.event(EventTiming::Timed);
            marks.push(self.call("making an event", event)?);
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
