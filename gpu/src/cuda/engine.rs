//! The CUDA backend: the driver's calls.

use std::ffi::c_void;
use std::sync::Arc;

use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys::{
    self, CUevent_flags, CUfunction_attribute_enum as Attribute, CUgraphInstantiate_flags,
    CUresult, CUstreamCaptureMode,
};
use cudarc::driver::{CudaContext, CudaEvent, CudaFunction, CudaGraph, CudaModule, CudaStream};
use cudarc::nvrtc::Ptx;

use super::peers::Peers;
use super::probe::{ContextSharing, CudaGpu};
use crate::driver::{Cause, Driver, DriverEngine, EventTiming};
use crate::engine::{
    Attributes, MemoryKind, PeerCopy, Properties, Recording, Shape, Side, Transfer, host_pointer,
};
use crate::{DeviceError, Image, gate, image};

/// Device number of the host in calls of the driver.
const CPU: sys::CUdevice = -1;
/// Lanes of a warp on all GPUs by NVIDIA.
const LANES: u32 = 32;
/// Shared memory, static and dynamic, up to which a kernel needs no attribute.
const SHARED_WITHOUT_ASKING: u32 = 48 << 10;
/// Kernels are loaded when they are first started, which other modes forbid.
const RECORDING_MODE: CUstreamCaptureMode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;

/// Opens a GPU.
pub(super) fn open(
    gpu: &CudaGpu,
    sharing: ContextSharing,
) -> Result<DriverEngine<CudaDriver>, DeviceError> {
    let properties = Properties {
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
    };
    let index = gpu.number as usize;
    let context = match sharing {
        ContextSharing::Own => CudaContext::new_non_primary(index, 0),
        ContextSharing::Primary => CudaContext::new(index),
    };
    let context = context.map_err(|error| DeviceError::Unusable {
        device: properties.device.clone(),
        reason: error.to_string(),
    })?;
    // SAFETY: this layer orders the streams, so cudarc has nothing to track; events around each
    // call would add to its time.
    unsafe { context.disable_event_tracking() };
    DriverEngine::new(properties, CudaDriver { context, peers: Peers::default() })
}

/// A context of a GPU.
pub(super) struct CudaDriver {
    context: Arc<CudaContext>,
    peers: Peers,
}

/// A kernel, with its limit of dynamic shared memory.
#[derive(Clone)]
pub(super) struct LoadedKernel {
    function: CudaFunction,
    shared_bytes: u32,
}

// SAFETY of all calls into the driver below: the callers of these methods promise addresses, sizes
// and handles, and the context is current.
impl Driver for CudaDriver {
    type Stream = Arc<CudaStream>;
    type Event = CudaEvent;
    type Module = Arc<CudaModule>;
    type Kernel = LoadedKernel;
    type Error = DriverError;

    const COPIES_WAIT_FOR_OTHERS: bool = true;
    const RECORDS: bool = true;

    fn bind(&self) -> Result<(), DriverError> {
        self.context.bind_to_thread()
    }

    fn cause(error: &DriverError) -> Cause {
        match error.0 {
            CUresult::CUDA_ERROR_OUT_OF_MEMORY => Cause::OutOfMemory,
            CUresult::CUDA_ERROR_NOT_FOUND => Cause::NoSuchKernel,
            CUresult::CUDA_ERROR_ILLEGAL_ADDRESS
            | CUresult::CUDA_ERROR_MISALIGNED_ADDRESS
            | CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION
            | CUresult::CUDA_ERROR_INVALID_ADDRESS_SPACE
            | CUresult::CUDA_ERROR_INVALID_PC
            | CUresult::CUDA_ERROR_HARDWARE_STACK_ERROR
            | CUresult::CUDA_ERROR_LAUNCH_FAILED
            | CUresult::CUDA_ERROR_LAUNCH_TIMEOUT
            | CUresult::CUDA_ERROR_ASSERT => Cause::Kernel,
            _ => Cause::Other,
        }
    }

    fn allocate(&self, kind: MemoryKind, bytes: usize) -> Result<u64, DriverError> {
        let host = |start: *mut c_void| start.expose_provenance() as u64;
        let mapped = sys::CU_MEMHOSTALLOC_DEVICEMAP;
        let global = sys::CUmemAttach_flags::CU_MEM_ATTACH_GLOBAL;
        // SAFETY: the context is current, and the driver allocates the memory.
        unsafe {
            match kind {
                MemoryKind::Device => result::malloc_sync(bytes),
                // Without flags: memory that the host reads back must not be write-combined.
                MemoryKind::Pinned => result::malloc_host(bytes, 0).map(host),
                MemoryKind::Mapped => result::malloc_host(bytes, mapped).map(host),
                MemoryKind::Managed => result::malloc_managed(bytes, global),
            }
        }
    }

    unsafe fn free(&self, kind: MemoryKind, address: u64) -> Result<(), DriverError> {
        // SAFETY: the caller promises the address.
        unsafe {
            match kind {
                MemoryKind::Device | MemoryKind::Managed => result::free_sync(address),
                MemoryKind::Pinned | MemoryKind::Mapped => {
                    result::free_host(host_pointer(address).cast())
                }
            }
        }
    }

    fn device_address(&self, start: *mut u8) -> Result<u64, DriverError> {
        let mut address = 0;
        // SAFETY: the driver writes an address to this variable.
        unsafe { sys::cuMemHostGetDevicePointer_v2(&raw mut address, start.cast(), 0) }.result()?;
        Ok(address)
    }

    fn free_and_total(&self) -> Result<(usize, usize), DriverError> {
        result::mem_get_info()
    }

    fn stream(&self) -> Result<Arc<CudaStream>, DriverError> {
        self.context.new_stream()
    }

    fn event(&self, timing: EventTiming) -> Result<CudaEvent, DriverError> {
        let flags = match timing {
            EventTiming::Timed => CUevent_flags::CU_EVENT_DEFAULT,
            EventTiming::Untimed => CUevent_flags::CU_EVENT_DISABLE_TIMING,
        };
        self.context.new_event(Some(flags))
    }

    unsafe fn start(
        &self,
        stream: &Arc<CudaStream>,
        transfer: Transfer,
    ) -> Result<(), DriverError> {
        let stream = stream.cu_stream();
        // SAFETY: the caller promises addresses and sizes; the stream is of this context.
        unsafe {
            match transfer {
                Transfer::Upload { to, from, bytes } => {
                    let from = std::slice::from_raw_parts(from, bytes);
                    result::memcpy_htod_async(to, from, stream)
                }
                Transfer::Download { to, from, bytes } => {
                    let to = std::slice::from_raw_parts_mut(to, bytes);
                    result::memcpy_dtoh_async(to, from, stream)
                }
                Transfer::Copy { to, from, bytes } => {
                    result::memcpy_dtod_async(to, from, bytes, stream)
                }
                Transfer::Fill { to, byte, bytes } => {
                    result::memset_d8_async(to, byte, bytes, stream)
                }
                Transfer::Prefetch { address, bytes, to } => {
                    let device = match to {
                        Side::Host => CPU,
                        Side::Device => self.context.cu_device(),
                    };
                    sys::cuMemPrefetchAsync(address, bytes, device, stream).result()
                }
            }
        }
    }

    fn missing_code(image: &Image) -> Option<String> {
        let is_missing = image.fatbin.is_none() && built_just_now(image).is_none();
        is_missing.then(|| {
            format!(
                "{} was built without nvcc; install the CUDA toolkit, set CUDA_HOME (or NVCC) to \
                 it, and build again",
                image.source
            )
        })
    }

    fn load(&self, image: &'static Image) -> Result<Arc<CudaModule>, DriverError> {
        let embedded = || image.fatbin.map(<[u8]>::to_vec);
        let fatbin = built_just_now(image).or_else(embedded);
        let fatbin = fatbin.ok_or(DriverError(CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU))?;
        self.context.load_module(Ptx::from_binary(fatbin))
    }

    fn find(
        &self,
        module: &Arc<CudaModule>,
        _: &'static Image,
        name: &'static str,
    ) -> Result<LoadedKernel, DriverError> {
        let function = module.load_function(name)?;
        let of_all = function.get_attribute(Attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?;
        let shared_bytes = SHARED_WITHOUT_ASKING.saturating_sub(of_all.max(0) as u32);
        Ok(LoadedKernel { function, shared_bytes })
    }

    /// Raises the limit of dynamic shared memory.
    fn prepare(kernel: &mut LoadedKernel, shape: &Shape) -> Result<(), DriverError> {
        if shape.shared_bytes > kernel.shared_bytes {
            let most = Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            kernel.function.set_attribute(most, shape.shared_bytes as i32)?;
            kernel.shared_bytes = shape.shared_bytes;
        }
        Ok(())
    }

    fn attributes(
        &self,
        LoadedKernel { function, .. }: &LoadedKernel,
        shape: &Shape,
    ) -> Result<Attributes, DriverError> {
        let attribute = |which| Ok(function.get_attribute(which)?.max(0) as u32);
        let threads = shape.threads;
        let shared = shape.shared_bytes as usize;
        Ok(Attributes {
            registers: Some(attribute(Attribute::CU_FUNC_ATTRIBUTE_NUM_REGS)?),
            shared_bytes: attribute(Attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?,
            local_bytes: Some(attribute(Attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?),
            max_threads: attribute(Attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            resident_blocks: function
                .occupancy_max_active_blocks_per_multiprocessor(threads, shared, None)?,
        })
    }

    unsafe fn launch(
        &self,
        stream: &Arc<CudaStream>,
        kernel: &LoadedKernel,
        shape: &Shape,
        arguments: &mut [*mut c_void],
    ) -> Result<(), DriverError> {
        let function = kernel.function.cu_function();
        let blocks = shape.grid.into();
        let threads = shape.block.into();
        let shared = shape.shared_bytes;
        let stream = stream.cu_stream();
        // SAFETY: the caller promises arguments; the stream and the kernel are of this context.
        unsafe { result::launch_kernel(function, blocks, threads, shared, stream, arguments) }
    }

    fn follow(&self, stream: &Arc<CudaStream>, event: &CudaEvent) -> Result<(), DriverError> {
        stream.wait(event)
    }

    fn has_ended(&self, event: &CudaEvent) -> Result<bool, DriverError> {
        event.try_is_complete()
    }

    fn wait_for_event(&self, event: &CudaEvent) -> Result<(), DriverError> {
        event.synchronize()
    }

    unsafe fn copy_from_peer(
        &self,
        stream: &Arc<CudaStream>,
        peer: &Self,
        PeerCopy { to, from, bytes }: PeerCopy,
    ) -> Result<(), DriverError> {
        self.peers.enable(&self.context, &peer.context)?;
        let own = self.context.cu_ctx();
        let other = peer.context.cu_ctx();
        // SAFETY: the caller promises addresses and sizes; both contexts exist, and the stream is of
        // the first one.
        unsafe { result::memcpy_peer_async(own, to, other, from, bytes, stream.cu_stream()) }
    }

    unsafe fn wait_for_host(
        &self,
        stream: &Arc<CudaStream>,
        latch: *mut c_void,
    ) -> Result<(), DriverError> {
        // SAFETY: the stream is of this context, and calls `wait` once.
        unsafe { result::stream::launch_host_function(stream.cu_stream(), gate::wait, latch) }
    }

    fn synchronize(&self, stream: &Arc<CudaStream>) -> Result<(), DriverError> {
        stream.synchronize()
    }

    fn record(&self, event: &CudaEvent, stream: &Arc<CudaStream>) -> Result<(), DriverError> {
        event.record(stream)
    }

    fn milliseconds(&self, from: &CudaEvent, to: &CudaEvent) -> Result<f32, DriverError> {
        from.elapsed_ms(to)
    }

    fn native(stream: &Arc<CudaStream>) -> usize {
        stream.cu_stream().expose_provenance()
    }

    fn start_recording(&self, stream: &Arc<CudaStream>) -> Option<Result<(), DriverError>> {
        Some(stream.begin_capture(RECORDING_MODE))
    }

    fn end_recording(
        &self,
        stream: &Arc<CudaStream>,
        device: String,
    ) -> Option<Result<Box<dyn Recording>, DriverError>> {
        let invalid = DriverError(CUresult::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
        let graph = stream.end_capture(CUgraphInstantiate_flags(0));
        let graph = graph.and_then(|graph| graph.ok_or(invalid));
        Some(graph.map(|graph| Box::new(CudaRecording { graph, device }) as Box<dyn Recording>))
    }
}

/// Returns the image in the folder of replacements, if there is one.
fn built_just_now(image: &Image) -> Option<Vec<u8>> {
    let folder = image::built_just_now()?;
    std::fs::read(folder.join(format!("{}.fatbin", image.source))).ok()
}

/// Work that was captured from the stream, as a graph.
struct CudaRecording {
    graph: CudaGraph,
    device: String,
}

// SAFETY: any thread may use a graph, one at a time: it is not `Sync`, and the thread's context is
// set before each call.
unsafe impl Send for CudaRecording {}

impl Recording for CudaRecording {
    fn replay(&self) -> Result<(), DeviceError> {
        self.graph.launch().map_err(|error| DeviceError::Failed {
            device: self.device.clone(),
            what: "starting recorded work",
            problem: error.to_string(),
        })
    }
}
