//! Backend over the driver of a vendor, with streams, events and modules of kernels.
//!
//! CUDA's driver API and the HIP runtime have the same shape: what differs is a [`Driver`].

mod engine;
mod kernels;

use std::ffi::c_void;
use std::fmt::Display;

use super::Image;
use super::engine::{Attributes, MemoryKind, PeerCopy, Recording, Shape, Transfer};

pub(super) use engine::DriverEngine;

/// Functions of a driver for one GPU, which is bound to the calling thread. Unsafe methods need the
/// promises of the methods of [`Engine`](super::engine::Engine) that call them, and handles of the
/// same driver.
pub(super) trait Driver: Send + Sync + 'static {
    /// Queue of work; destroyed when it is dropped.
    type Stream: Send + Sync;
    /// Point in the work of a stream, with its time; destroyed when it is dropped.
    type Event: Send + Sync + 'static;
    /// Kernels of an image; unloaded when it is dropped.
    type Module: Send;
    type Kernel: Clone + Send;
    type Error: Display;

    /// True if a copy waits for all others in its direction, whatever their queues.
    const COPIES_WAIT_FOR_OTHERS: bool = false;
    /// True if modules declare the dynamic shared memory of their kernels.
    const DECLARES_SHARED: bool = false;
    /// True if work can be recorded.
    const RECORDS: bool = false;

    /// Makes the GPU current for calls of this thread.
    fn bind(&self) -> Result<(), Self::Error>;

    fn cause(error: &Self::Error) -> Cause;

    fn allocate(&self, kind: MemoryKind, bytes: usize) -> Result<u64, Self::Error>;

    unsafe fn free(&self, kind: MemoryKind, address: u64) -> Result<(), Self::Error>;

    /// Address at which kernels access mapped memory.
    fn device_address(&self, start: *mut u8) -> Result<u64, Self::Error>;

    /// Bytes of free device memory, and of all.
    fn free_and_total(&self) -> Result<(usize, usize), Self::Error>;

    fn stream(&self) -> Result<Self::Stream, Self::Error>;

    fn event(&self, timing: EventTiming) -> Result<Self::Event, Self::Error>;

    /// Starts to move memory.
    unsafe fn start(&self, stream: &Self::Stream, transfer: Transfer) -> Result<(), Self::Error>;

    /// Reason why an image has no code for this GPU, if that is known before it is loaded.
    fn missing_code(_: &Image) -> Option<String> {
        None
    }

    fn load(&self, image: &'static Image) -> Result<Self::Module, Self::Error>;

    /// Finds a kernel of a module.
    fn find(
        &self,
        module: &Self::Module,
        image: &'static Image,
        name: &'static str,
    ) -> Result<Self::Kernel, Self::Error>;

    /// Makes a launch configuration possible for a kernel.
    fn prepare(_: &mut Self::Kernel, _: &Shape) -> Result<(), Self::Error> {
        Ok(())
    }

    /// Bytes of static shared memory of a block; `None` if the driver itself refuses blocks with
    /// too much shared memory.
    fn static_shared_bytes(_: &Self::Kernel) -> Option<u32> {
        None
    }

    /// See [`Engine`](super::engine::Engine::declared_shared_bytes).
    fn declared_shared_bytes(_: &Self::Kernel) -> Option<u32> {
        None
    }

    fn attributes(&self, kernel: &Self::Kernel, shape: &Shape) -> Result<Attributes, Self::Error>;

    unsafe fn launch(
        &self,
        stream: &Self::Stream,
        kernel: &Self::Kernel,
        shape: &Shape,
        arguments: &mut [*mut c_void],
    ) -> Result<(), Self::Error>;

    /// Makes a stream wait for an event, of this GPU or of another one of this driver.
    fn follow(&self, stream: &Self::Stream, event: &Self::Event) -> Result<(), Self::Error>;

    /// True if the work up to an event has ended.
    fn has_ended(&self, event: &Self::Event) -> Result<bool, Self::Error>;

    fn wait_for_event(&self, event: &Self::Event) -> Result<(), Self::Error>;

    /// Starts a copy from another GPU.
    unsafe fn copy_from_peer(
        &self,
        stream: &Self::Stream,
        peer: &Self,
        copy: PeerCopy,
    ) -> Result<(), Self::Error>;

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

/// Use of an event: those that only order work are faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventTiming {
    Timed,
    Untimed,
}

/// Cause of an error of a driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    OutOfMemory,
    /// A kernel has failed, so that the GPU can't be used any more.
    Kernel,
    /// The image has no kernel of that name.
    NoSuchKernel,
    Other,
}
