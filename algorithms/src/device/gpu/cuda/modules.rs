//! Kernels by name.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::result::DriverError;
use cudarc::driver::sys::CUfunction_attribute_enum as Attribute;
use cudarc::driver::{CudaContext, CudaFunction, CudaModule};
use cudarc::nvrtc::Ptx;

use crate::device::gpu::image;
use crate::device::gpu::{Attributes, Image, Shape};

/// Dynamic shared memory up to which a kernel needs no attribute.
const SHARED_WITHOUT_ASKING: u32 = 48 << 10;

/// Modules and kernels that are loaded.
pub(super) struct Modules {
    context: Arc<CudaContext>,
    modules: Mutex<HashMap<&'static str, Arc<CudaModule>>>,
    kernels: Mutex<HashMap<&'static str, Loaded>>,
}

/// A kernel, with its limit of dynamic shared memory.
#[derive(Clone)]
struct Loaded {
    function: CudaFunction,
    shared_bytes: u32,
}

impl Modules {
    pub(super) fn new(context: Arc<CudaContext>) -> Self {
        Modules { context, modules: Mutex::default(), kernels: Mutex::default() }
    }

    /// Returns a kernel by its name, with its limit raised to `shared_bytes` bytes of dynamic
    /// shared memory.
    pub(super) fn kernel(
        &self,
        image: &'static Image,
        name: &'static str,
        shared_bytes: u32,
    ) -> Result<CudaFunction, DriverError> {
        let mut kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kernels.get(name).cloned();
        let mut kernel = match known {
            Some(kernel) => kernel,
            None => Loaded {
                function: self.module(image)?.load_function(name)?,
                shared_bytes: SHARED_WITHOUT_ASKING,
            },
        };
        if shared_bytes > kernel.shared_bytes {
            let most = Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            kernel.function.set_attribute(most, shared_bytes as i32)?;
            kernel.shared_bytes = shared_bytes;
        }
        let function = kernel.function.clone();
        kernels.insert(name, kernel);
        Ok(function)
    }

    /// Returns the resources of a kernel and its resident blocks in a launch configuration.
    pub(super) fn attributes(
        &self,
        image: &'static Image,
        name: &'static str,
        shape: &Shape,
    ) -> Result<Attributes, DriverError> {
        let kernel = self.kernel(image, name, shape.shared_bytes)?;
        let attribute = |which| Ok(kernel.get_attribute(which)?.max(0) as u32);
        let threads = shape.threads;
        let shared = shape.shared_bytes as usize;
        Ok(Attributes {
            registers: Some(attribute(Attribute::CU_FUNC_ATTRIBUTE_NUM_REGS)?),
            shared_bytes: attribute(Attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?,
            local_bytes: Some(attribute(Attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?),
            max_threads: attribute(Attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            resident_blocks: kernel
                .occupancy_max_active_blocks_per_multiprocessor(threads, shared, None)?,
        })
    }

    fn module(&self, image: &'static Image) -> Result<Arc<CudaModule>, DriverError> {
        let mut modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(module) = modules.get(image.source) {
            return Ok(Arc::clone(module));
        }
        let module = self.load(image)?;
        modules.insert(image.source, Arc::clone(&module));
        Ok(module)
    }

    fn load(&self, image: &'static Image) -> Result<Arc<CudaModule>, DriverError> {
        let fatbin = built_just_now(image).unwrap_or_else(|| image.fatbin.to_vec());
        self.context.load_module(Ptx::from_binary(fatbin))
    }
}

/// Returns the image in the folder of replacements, if there is one.
fn built_just_now(image: &Image) -> Option<Vec<u8>> {
    let folder = image::built_just_now()?;
    std::fs::read(folder.join(format!("{}.fatbin", image.source))).ok()
}
