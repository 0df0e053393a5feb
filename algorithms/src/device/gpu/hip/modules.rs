//! Kernels by name.

use std::collections::HashMap;
use std::ffi::{CString, c_int};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::code_objects::CodeObjects;
use super::library::{Handle, Hip, HipError, INVALID_IMAGE, NO_BINARY_FOR_GPU, NOT_FOUND};
use super::probe::HipGpu;
use crate::device::gpu::{Attributes, Image, Shape};

/// Attribute numbers of kernels.
const MAX_THREADS: c_int = 0;
const STATIC_SHARED_BYTES: c_int = 1;
const LOCAL_BYTES: c_int = 3;
const REGISTERS: c_int = 4;

/// Modules and kernels that are loaded.
pub(super) struct Modules {
    objects: CodeObjects,
    architecture: String,
    modules: Mutex<HashMap<&'static str, Handle>>,
    kernels: Mutex<HashMap<&'static str, Loaded>>,
}

/// A kernel, with the shared memory of its blocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Loaded {
    pub(super) kernel: Handle,
    /// Static shared memory.
    pub(super) static_bytes: u32,
    /// Dynamic shared memory that its source declares, if it does.
    pub(super) declared_bytes: Option<u32>,
}

/// Reason why a kernel is not loaded.
pub(super) enum NotLoaded {
    Refused(HipError),
    Missing(String),
}

impl From<HipError> for NotLoaded {
    fn from(error: HipError) -> Self {
        NotLoaded::Refused(error)
    }
}

// SAFETY of all calls into the runtime below: the pointers are to local variables of the right
// types, the handles came from the runtime, and the texts end with a null byte.
impl Modules {
    pub(super) fn new(gpu: &HipGpu, objects: CodeObjects) -> Self {
        Modules {
            objects,
            architecture: gpu.architecture.clone(),
            modules: Mutex::default(),
            kernels: Mutex::default(),
        }
    }

    /// Returns a kernel by its name.
    pub(super) fn kernel(
        &self,
        hip: &Hip,
        image: &'static Image,
        name: &'static str,
    ) -> Result<Loaded, NotLoaded> {
        let mut kernels = lock(&self.kernels);
        if let Some(&known) = kernels.get(name) {
            return Ok(known);
        }
        let module = self.module(hip, image)?;
        let mut kernel = Handle::NONE;
        let text = text(name)?;
        // SAFETY: pointers and texts are valid during the call, and handles came from the runtime.
        unsafe { hip.hipModuleGetFunction(&raw mut kernel, module, text.as_ptr()) }.map_err(
            |error| match error.code {
                NOT_FOUND => NotLoaded::Missing(format!(
                    "{} was compiled without it; run `scripts/build-hip.sh` again",
                    image.source
                )),
                _ => error.into(),
            },
        )?;
        let loaded = Loaded {
            kernel,
            static_bytes: attribute(hip, kernel, STATIC_SHARED_BYTES)?,
            declared_bytes: declared_bytes(hip, module, name)?,
        };
        kernels.insert(name, loaded);
        Ok(loaded)
    }

    /// Returns the resources of a kernel and its resident blocks in a launch configuration.
    pub(super) fn attributes(
        &self,
        hip: &Hip,
        image: &'static Image,
        name: &'static str,
        shape: &Shape,
    ) -> Result<Attributes, NotLoaded> {
        let loaded = self.kernel(hip, image, name)?;
        let mut resident_blocks = 0;
        // SAFETY: pointers and texts are valid during the call, and handles came from the runtime.
        unsafe {
            hip.hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
                &raw mut resident_blocks,
                loaded.kernel,
                shape.threads as c_int,
                shape.shared_bytes as usize,
            )
        }?;
        Ok(Attributes {
            registers: Some(attribute(hip, loaded.kernel, REGISTERS)?),
            shared_bytes: loaded.static_bytes,
            local_bytes: Some(attribute(hip, loaded.kernel, LOCAL_BYTES)?),
            max_threads: attribute(hip, loaded.kernel, MAX_THREADS)?,
            resident_blocks: resident_blocks.max(0) as u32,
        })
    }

    fn module(&self, hip: &Hip, image: &'static Image) -> Result<Handle, NotLoaded> {
        let mut modules = lock(&self.modules);
        if let Some(&module) = modules.get(image.source) {
            return Ok(module);
        }
        let object = self.objects.read(image).map_err(NotLoaded::Missing)?;
        let mut module = Handle::NONE;
        // SAFETY: the pointers are valid during the call, and the runtime copies what it needs of
        // the object.
        let loaded = unsafe { hip.hipModuleLoadData(&raw mut module, object.as_ptr().cast()) };
        loaded.map_err(|error| self.not_loaded(image, error))?;
        modules.insert(image.source, module);
        Ok(module)
    }

    fn not_loaded(&self, image: &Image, error: HipError) -> NotLoaded {
        let source = image.source;
        let architecture = &self.architecture;
        match error.code {
            NO_BINARY_FOR_GPU | INVALID_IMAGE => NotLoaded::Missing(format!(
                "{source}.hsaco has no machine code for {architecture} ({error}); build it with \
                 `HIP_ARCHITECTURES={architecture} scripts/build-hip.sh`"
            )),
            _ => error.into(),
        }
    }

    /// Unloads all modules.
    pub(super) fn unload(&self, hip: &Hip) {
        lock(&self.kernels).clear();
        for (_, module) in lock(&self.modules).drain() {
            // SAFETY: the module came from the runtime, and none of its kernels is used any more.
            let _ = unsafe { hip.hipModuleUnload(module) };
        }
    }
}

fn attribute(hip: &Hip, kernel: Handle, which: c_int) -> Result<u32, HipError> {
    let mut value = 0;
    // SAFETY: the pointer is to a local integer, and the kernel came from the runtime.
    unsafe { hip.hipFuncGetAttribute(&raw mut value, which, kernel) }?;
    Ok(value.max(0) as u32)
}

/// Reads the dynamic shared memory that `KERNEL_SHARED` declares for a kernel: a variable on the
/// device, whose value the compiler has computed for this number of lanes.
fn declared_bytes(hip: &Hip, module: Handle, kernel: &str) -> Result<Option<u32>, NotLoaded> {
    let name = text(&format!("{kernel}_shared_bytes"))?;
    let mut address = std::ptr::null_mut();
    let mut bytes = 0;
    // SAFETY: the pointers are to local variables, the module came from the runtime, and the text
    // ends with a null byte.
    let found =
        unsafe { hip.hipModuleGetGlobal(&raw mut address, &raw mut bytes, module, name.as_ptr()) };
    match found {
        Err(error) if error.code == NOT_FOUND => return Ok(None),
        found => found?,
    }
    let mut declared = 0_u32;
    let target = (&raw mut declared).cast();
    // SAFETY: the copied bytes fit into `declared`.
    unsafe { hip.hipMemcpyDtoH(target, address, bytes.min(size_of::<u32>())) }?;
    Ok(Some(declared))
}

fn text(name: &str) -> Result<CString, NotLoaded> {
    CString::new(name).map_err(|error| NotLoaded::Missing(error.to_string()))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
