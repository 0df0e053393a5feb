//! A kernel on a GPU, by the driver of CUDA: in the context that bench works in, on its stream.

use std::ffi::{CStr, c_void};

use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys::{self, CUfunction_attribute, CUresult};

use crate::recobench::{Host, Problem};

/// A kernel, compiled.
#[derive(Debug)]
pub(crate) struct Kernel {
    /// Its name.
    pub(crate) name: &'static CStr,
    /// Threads of a block.
    pub(crate) threads: u32,
    /// Bytes of dynamic shared memory of a block.
    pub(crate) shared_bytes: u32,
    /// Bytes of its last argument: 32-bit numbers, then lengths of arrays, which it does not read.
    pub(crate) info_bytes: usize,
    /// Machine code of several GPUs, and PTX, in the driver's format.
    pub(crate) image: &'static [u8],
}

/// Kernels that this library carries.
pub(crate) mod kernels {
    use super::Kernel;

    include!(concat!(env!("CUBECL_KERNELS"), "/kernels.rs"));
}

/// The primary context of a GPU, retained until this is dropped.
#[derive(Debug)]
struct Context {
    device: sys::CUdevice,
    context: sys::CUcontext,
}

/// A kernel, loaded on a GPU.
#[derive(Debug)]
pub(crate) struct Loaded {
    kernel: &'static Kernel,
    function: sys::CUfunction,
    module: sys::CUmodule,
    context: Context,
}

/// Memory of a GPU with words that no run changes.
#[derive(Debug)]
pub(crate) struct Table {
    pointer: sys::CUdeviceptr,
    bytes: usize,
}

impl Context {
    fn retain(device: i32) -> Result<Self, Problem> {
        // SAFETY: it only looks for the library.
        if !unsafe { sys::is_culib_present() } {
            return Err(Problem::Unavailable("there is no CUDA driver".to_owned()));
        }
        result::init()?;
        let device = result::device::get(device)?;
        // SAFETY: the device exists; dropping releases the context.
        let context = unsafe { result::primary_ctx::retain(device) }?;
        Ok(Context { device, context })
    }

    /// Makes it that of the thread: it is the one that bench works in.
    fn enter(&self) -> Result<(), DriverError> {
        // SAFETY: the context is retained by `self`.
        unsafe { result::ctx::set_current(self.context) }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // An error here has occurred before, and was reported then. SAFETY: it was retained once.
        let _ = unsafe { result::primary_ctx::release(self.device) };
    }
}

impl Loaded {
    /// Loads a kernel on the GPU that bench selected.
    pub(crate) fn new(host: &Host, kernel: &'static Kernel) -> Result<Self, Problem> {
        let context = Context::retain(host.device)?;
        context.enter()?;
        // SAFETY: the image is nvcc's output, whose header has its size.
        let module = unsafe { result::module::load_data(kernel.image.as_ptr().cast()) };
        let module = module.map_err(not_for_this_gpu)?;
        // SAFETY: the module has just been loaded.
        let function = unsafe { result::module::get_function(module, kernel.name.to_owned()) };
        let loaded = Loaded { kernel, function: function?, module, context };
        loaded.allow_shared_memory()?;
        Ok(loaded)
    }

    /// More than 48 KiB must be requested.
    fn allow_shared_memory(&self) -> Result<(), DriverError> {
        let max_shared = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        // SAFETY: the function is loaded.
        unsafe {
            result::function::set_function_attribute(
                self.function,
                max_shared,
                self.kernel.shared_bytes as i32,
            )
        }
    }

    /// A copy of words on this GPU.
    pub(crate) fn table(&self, words: &[u32]) -> Result<Table, Problem> {
        self.context.enter()?;
        let bytes = size_of_val(words).max(size_of::<u32>());
        // SAFETY: dropping frees it.
        let pointer = unsafe { result::malloc_sync(bytes) }?;
        let table = Table { pointer, bytes };
        // SAFETY: the allocation has the size of `words`.
        unsafe { result::memcpy_htod_sync(table.pointer, words) }?;
        // Memory of the host that is not page-locked may still be in transfer, and bench's stream
        // does not wait for another one.
        result::ctx::synchronize()?;
        Ok(table)
    }

    /// Enqueues `blocks` blocks to bench's stream.
    ///
    /// # Safety
    /// The arrays are those of the kernel, in order, and as large as it assumes.
    pub(crate) unsafe fn launch(
        &self,
        host: &Host,
        blocks: u32,
        arrays: &[*const c_void],
        numbers: &[u32],
    ) -> Result<(), Problem> {
        self.context.enter()?;
        let mut info = vec![0_u64; self.kernel.info_bytes.div_ceil(size_of::<u64>())];
        for (word, pair) in info.iter_mut().zip(numbers.chunks(2)) {
            let high = pair.get(1).copied().unwrap_or(0);
            *word = u64::from(high) << 32 | u64::from(pair[0]);
        }
        let arrays = arrays.iter().map(|array| std::ptr::from_ref(array).cast_mut().cast());
        let mut arguments: Vec<*mut c_void> = arrays.chain([info.as_mut_ptr().cast()]).collect();
        let grid = (blocks, 1, 1);
        let block = (self.kernel.threads, 1, 1);
        // SAFETY: the caller promises that the arrays fit the kernel; the last argument has the
        // size that the kernel declares.
        unsafe {
            result::launch_kernel(
                self.function,
                grid,
                block,
                self.kernel.shared_bytes,
                host.stream.cast(),
                &mut arguments,
            )
        }?;
        Ok(())
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        if self.context.enter().is_ok() {
            // SAFETY: bench has waited for all kernels before it releases a variant.
            let _ = unsafe { result::module::unload(self.module) };
        }
    }
}

impl Table {
    /// Its address.
    pub(crate) fn pointer(&self) -> *const c_void {
        std::ptr::with_exposed_provenance(self.pointer as usize)
    }

    /// Its size in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes as u64
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        // SAFETY: it was allocated by this type, and the kernel next to it retains the context of
        // its GPU.
        let _ = unsafe { result::free_sync(self.pointer) };
    }
}

/// Images are for GPUs from Turing on, and drivers that support CUDA 13.
fn not_for_this_gpu(error: DriverError) -> Problem {
    let is_unavailable = matches!(
        error.0,
        CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU
            | CUresult::CUDA_ERROR_INVALID_IMAGE
            | CUresult::CUDA_ERROR_INVALID_PTX
            | CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION
    );
    if is_unavailable {
        Problem::Unavailable(format!(
            "its kernels are for GPUs from Turing on with driver 580 or newer: {}",
            Problem::from(error)
        ))
    } else {
        error.into()
    }
}
