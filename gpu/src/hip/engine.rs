//! The HIP backend: the runtime's calls.
//!
//! It has no graphs: recorded work is started step by step.

use std::collections::HashSet;
use std::ffi::{c_int, c_uint, c_void};
use std::ptr::null_mut;
use std::sync::{Mutex, PoisonError};

use super::library::{
    Handle, Hip, HipError, NOT_READY, OUT_OF_MEMORY, PEER_ACCESS_ALREADY_ENABLED,
};
use super::modules::{CodeObjects, Loaded};
use super::probe::HipGpu;
use crate::driver::{Cause, Driver, DriverEngine, EventTiming};
use crate::engine::{
    Attributes, MemoryKind, PeerCopy, Properties, Shape, Side, Transfer, host_pointer,
};
use crate::{DeviceError, Image, gate};

/// Device number of the host in calls of the runtime.
const CPU: c_int = -1;
/// A stream that does not wait for the null stream.
const NON_BLOCKING: c_uint = 1;
/// An event that takes times, and one that only orders streams.
const WITH_TIMES: c_uint = 0;
const WITHOUT_TIMES: c_uint = 2;
/// Page-locked memory without flags, and accessible to kernels.
const PINNED: c_uint = 0;
const MAPPED: c_uint = 2;
/// Managed memory that all streams can access.
const GLOBAL: c_uint = 1;
/// Errors of failed kernels: illegal address, timeout, assertion, any other failure, aborted queue.
const BY_A_KERNEL: [c_int; 5] = [700, 702, 710, 719, 53];

/// Opens a GPU.
pub(super) fn open(
    hip: &'static Hip,
    gpu: &HipGpu,
    objects: CodeObjects,
) -> Result<DriverEngine<HipDriver>, DeviceError> {
    let device = format!("hip:{}", gpu.number);
    if ![32, 64].contains(&gpu.lanes) {
        let reason = format!("its warps have {} lanes; kernels have 32 or 64", gpu.lanes);
        return Err(DeviceError::Unusable { device, reason });
    }
    let properties = Properties {
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
    };
    let index = gpu.number as c_int;
    let architecture = gpu.architecture.clone();
    let peers = Mutex::default();
    DriverEngine::new(properties, HipDriver { hip, index, architecture, objects, peers })
}

/// The runtime, for a GPU.
pub(super) struct HipDriver {
    hip: &'static Hip,
    index: c_int,
    architecture: String,
    objects: CodeObjects,
    /// Indices of the GPUs whose memory this one has been given access to.
    peers: Mutex<HashSet<c_int>>,
}

/// A stream, an event or a module of a GPU.
pub(super) struct Owned {
    hip: &'static Hip,
    index: c_int,
    handle: Handle,
    destroy: unsafe fn(&Hip, Handle) -> Result<(), HipError>,
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: the handle was created on this GPU and is not used any more. Errors can't be
        // handled any more.
        let _ = unsafe {
            self.hip.hipSetDevice(self.index).and_then(|()| (self.destroy)(self.hip, self.handle))
        };
    }
}

fn pointer(address: u64) -> *mut c_void {
    host_pointer(address).cast()
}

// SAFETY of all calls into the runtime below: the callers of these methods promise addresses, sizes
// and handles, and the GPU is current.
impl Driver for HipDriver {
    type Stream = Owned;
    type Event = Owned;
    type Module = Owned;
    type Kernel = Loaded;
    type Error = HipError;

    const DECLARES_SHARED: bool = true;

    fn bind(&self) -> Result<(), HipError> {
        // SAFETY: the number is that of an existing GPU.
        unsafe { self.hip.hipSetDevice(self.index) }
    }

    fn cause(error: &HipError) -> Cause {
        match error.code() {
            OUT_OF_MEMORY => Cause::OutOfMemory,
            code if BY_A_KERNEL.contains(&code) => Cause::Kernel,
            _ => Cause::Other,
        }
    }

    fn allocate(&self, kind: MemoryKind, bytes: usize) -> Result<u64, HipError> {
        let hip = self.hip;
        let mut start = null_mut();
        // SAFETY: the runtime writes an address to this variable.
        unsafe {
            match kind {
                MemoryKind::Device => hip.hipMalloc(&raw mut start, bytes),
                MemoryKind::Pinned => hip.hipHostMalloc(&raw mut start, bytes, PINNED),
                MemoryKind::Mapped => hip.hipHostMalloc(&raw mut start, bytes, MAPPED),
                MemoryKind::Managed => hip.hipMallocManaged(&raw mut start, bytes, GLOBAL),
            }
        }?;
        Ok(start.expose_provenance() as u64)
    }

    unsafe fn free(&self, kind: MemoryKind, address: u64) -> Result<(), HipError> {
        let start = pointer(address);
        // SAFETY: the caller promises the address.
        unsafe {
            match kind {
                MemoryKind::Device | MemoryKind::Managed => self.hip.hipFree(start),
                MemoryKind::Pinned | MemoryKind::Mapped => self.hip.hipHostFree(start),
            }
        }
    }

    fn device_address(&self, start: *mut u8) -> Result<u64, HipError> {
        let mut address = null_mut();
        // SAFETY: the runtime writes an address to this variable.
        unsafe { self.hip.hipHostGetDevicePointer(&raw mut address, start.cast(), 0) }?;
        Ok(address.expose_provenance() as u64)
    }

    fn free_and_total(&self) -> Result<(usize, usize), HipError> {
        let mut free = 0;
        let mut total = 0;
        // SAFETY: the runtime writes the sizes to these variables.
        unsafe { self.hip.hipMemGetInfo(&raw mut free, &raw mut total) }?;
        Ok((free, total))
    }

    fn stream(&self) -> Result<Owned, HipError> {
        let mut handle = Handle::NONE;
        // SAFETY: the runtime writes a handle to this variable.
        unsafe { self.hip.hipStreamCreateWithFlags(&raw mut handle, NON_BLOCKING) }?;
        Ok(self.owned(handle, Hip::hipStreamDestroy))
    }

    fn event(&self, timing: EventTiming) -> Result<Owned, HipError> {
        let flags = match timing {
            EventTiming::Timed => WITH_TIMES,
            EventTiming::Untimed => WITHOUT_TIMES,
        };
        let mut handle = Handle::NONE;
        // SAFETY: the runtime writes a handle to this variable.
        unsafe { self.hip.hipEventCreateWithFlags(&raw mut handle, flags) }?;
        Ok(self.owned(handle, Hip::hipEventDestroy))
    }

    unsafe fn start(&self, stream: &Owned, transfer: Transfer) -> Result<(), HipError> {
        let hip = self.hip;
        let stream = stream.handle;
        // SAFETY: the caller promises addresses and sizes; the stream is of this GPU.
        unsafe {
            match transfer {
                Transfer::Upload { to, from, bytes } => {
                    hip.hipMemcpyHtoDAsync(pointer(to), from.cast(), bytes, stream)
                }
                Transfer::Download { to, from, bytes } => {
                    hip.hipMemcpyDtoHAsync(to.cast(), pointer(from), bytes, stream)
                }
                Transfer::Copy { to, from, bytes } => {
                    let to = pointer(to);
                    hip.hipMemcpyDtoDAsync(to, pointer(from), bytes, stream)
                }
                Transfer::Fill { to, byte, bytes } => {
                    hip.hipMemsetD8Async(pointer(to), byte, bytes, stream)
                }
                Transfer::Prefetch { address, bytes, to } => {
                    let device = if to == Side::Host { CPU } else { self.index };
                    hip.hipMemPrefetchAsync(pointer(address), bytes, device, stream)
                }
            }
        }
    }

    fn load(&self, image: &'static Image) -> Result<Owned, HipError> {
        let module = self.objects.load(self.hip, image, &self.architecture)?;
        Ok(self.owned(module, Hip::hipModuleUnload))
    }

    fn find(
        &self,
        module: &Owned,
        image: &'static Image,
        name: &'static str,
    ) -> Result<Loaded, HipError> {
        Loaded::find(self.hip, module.handle, image, name)
    }

    /// Blocks of CUDA may have more shared memory than those of AMD.
    fn static_shared_bytes(kernel: &Loaded) -> Option<u32> {
        Some(kernel.static_bytes)
    }

    /// Structs in shared memory may be larger for 64 lanes than for 32.
    fn declared_shared_bytes(kernel: &Loaded) -> Option<u32> {
        kernel.declared_bytes
    }

    fn attributes(&self, kernel: &Loaded, shape: &Shape) -> Result<Attributes, HipError> {
        kernel.attributes(self.hip, shape)
    }

    unsafe fn launch(
        &self,
        stream: &Owned,
        kernel: &Loaded,
        shape: &Shape,
        arguments: &mut [*mut c_void],
    ) -> Result<(), HipError> {
        let [grid_x, grid_y, grid_z] = shape.grid;
        let [block_x, block_y, block_z] = shape.block;
        let stream = stream.handle;
        let arguments = arguments.as_mut_ptr();
        let extra = null_mut();
        // SAFETY: the caller promises arguments; the stream and the kernel are of this GPU.
        unsafe {
            self.hip.hipModuleLaunchKernel(
                kernel.kernel,
                grid_x,
                grid_y,
                grid_z,
                block_x,
                block_y,
                block_z,
                shape.shared_bytes,
                stream,
                arguments,
                extra,
            )
        }
    }

    fn follow(&self, stream: &Owned, event: &Owned) -> Result<(), HipError> {
        // SAFETY: the stream is of this GPU, and the event of one of the same runtime.
        unsafe { self.hip.hipStreamWaitEvent(stream.handle, event.handle, 0) }
    }

    fn has_ended(&self, event: &Owned) -> Result<bool, HipError> {
        // SAFETY: the event is of this GPU.
        match unsafe { self.hip.hipEventQuery(event.handle) } {
            Ok(()) => Ok(true),
            Err(error) if error.code() == NOT_READY => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn wait_for_event(&self, event: &Owned) -> Result<(), HipError> {
        // SAFETY: the event is of this GPU.
        unsafe { self.hip.hipEventSynchronize(event.handle) }
    }

    unsafe fn copy_from_peer(
        &self,
        stream: &Owned,
        peer: &Self,
        PeerCopy { to, from, bytes }: PeerCopy,
    ) -> Result<(), HipError> {
        self.enable_access(peer)?;
        let to = pointer(to);
        let from = pointer(from);
        // SAFETY: the caller promises addresses and sizes; the stream is of this GPU.
        unsafe {
            self.hip.hipMemcpyPeerAsync(to, self.index, from, peer.index, bytes, stream.handle)
        }
    }

    unsafe fn wait_for_host(&self, stream: &Owned, latch: *mut c_void) -> Result<(), HipError> {
        // SAFETY: the stream is of this GPU, and calls `hold` once with this latch.
        unsafe { self.hip.hipStreamAddCallback(stream.handle, hold, latch, 0) }
    }

    fn synchronize(&self, stream: &Owned) -> Result<(), HipError> {
        // SAFETY: the stream is of this GPU.
        unsafe { self.hip.hipStreamSynchronize(stream.handle) }
    }

    fn record(&self, event: &Owned, stream: &Owned) -> Result<(), HipError> {
        // SAFETY: the event and the stream are of this GPU.
        unsafe { self.hip.hipEventRecord(event.handle, stream.handle) }
    }

    fn milliseconds(&self, from: &Owned, to: &Owned) -> Result<f32, HipError> {
        let mut milliseconds = 0.0;
        // SAFETY: the runtime writes a time to this variable; the events are of this GPU.
        unsafe { self.hip.hipEventElapsedTime(&raw mut milliseconds, from.handle, to.handle) }?;
        Ok(milliseconds)
    }
}

impl HipDriver {
    /// Gives this GPU, which is current, access to the memory of another one, where the hardware
    /// can; otherwise the runtime copies through the host.
    fn enable_access(&self, peer: &Self) -> Result<(), HipError> {
        let mut known = self.peers.lock().unwrap_or_else(PoisonError::into_inner);
        if self.index == peer.index || known.contains(&peer.index) {
            return Ok(());
        }
        let mut can = 0;
        // SAFETY: the runtime writes a number to this variable.
        unsafe { self.hip.hipDeviceCanAccessPeer(&raw mut can, self.index, peer.index) }?;
        if can != 0 {
            // SAFETY: the index is that of another GPU.
            let enabled = unsafe { self.hip.hipDeviceEnablePeerAccess(peer.index, 0) };
            enabled.or_else(|error| match error.code() {
                PEER_ACCESS_ALREADY_ENABLED => Ok(()),
                _ => Err(error),
            })?;
        }
        known.insert(peer.index);
        Ok(())
    }

    fn owned(
        &self,
        handle: Handle,
        destroy: unsafe fn(&Hip, Handle) -> Result<(), HipError>,
    ) -> Owned {
        Owned { hip: self.hip, index: self.index, handle, destroy }
    }
}

/// Host function that the stream calls and waits for.
unsafe extern "C" fn hold(_: Handle, _: c_int, latch: *mut c_void) {
    // SAFETY: the pointer is the one that `StreamGate::close` passed, and the stream calls this
    // once.
    unsafe { gate::wait(latch) }
}
