//! Kernels by name.

use std::collections::HashMap;
use std::ffi::{CString, c_int};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::code_objects::CodeObjects;
use super::library::{Handle, Hip, HipError, INVALID_IMAGE, NO_BINARY_FOR_GPU, NOT_FOUND};
use super::probe::HipGpu;
use crate::device::gpu::{Attributes, Image, Shape};

/// Numbers of attributes of kernels.
const MOST_THREADS: c_int = 0;
const STATIC_SHARED_BYTES: c_int = 1;
const LOCAL_BYTES: c_int = 3;
const REGISTERS: c_int = 4;

/// What was loaded so far.
pub(super) struct Modules {
    objects: CodeObjects,
    architecture: String,
    modules: Mutex<HashMap<&'static str, Handle>>,
    kernels: Mutex<HashMap<&'static str, Loaded>>,
}

/// A kernel, with the shared memory that a block of it has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Loaded {
    pub(super) kernel: Handle,
    /// Without asking.
    pub(super) static_bytes: u32,
    /// As its source says; `None` if it says nothing.
    pub(super) declared_bytes: Option<u32>,
}

/// Why a kernel is not there.
pub(super) enum NotLoaded {
    Refused(HipError),
    Missing(String),
}

impl From<HipError> for NotLoaded {
    fn from(error: HipError) -> Self {
        NotLoaded::Refused(error)
    }
}

// SAFETY of all calls into the runtime below: it is given places for what it writes, handles that
// it gave, and texts that end.
impl Modules {
    pub(super) fn new(gpu: &HipGpu, objects: CodeObjects) -> Self {
        Modules {
            objects,
            architecture: gpu.architecture.clone(),
            modules: Mutex::default(),
            kernels: Mutex::default(),
        }
    }

    /// The kernel of that name.
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
        // SAFETY: see above.
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

    /// What a kernel takes, and how many blocks of a shape run at once.
    pub(super) fn attributes(
        &self,
        hip: &Hip,
        image: &'static Image,
        name: &'static str,
        shape: &Shape,
    ) -> Result<Attributes, NotLoaded> {
        let loaded = self.kernel(hip, image, name)?;
        let mut resident_blocks = 0;
        // SAFETY: see above.
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
            most_threads: attribute(hip, loaded.kernel, MOST_THREADS)?,
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
        // SAFETY: see above; the runtime copies what it needs of the object.
        let loaded = unsafe { hip.hipModuleLoadData(&raw mut module, object.as_ptr().cast()) };
        loaded.map_err(|error| self.not_loaded(image, error))?;
        modules.insert(image.source, module);
        Ok(module)
    }

    fn not_loaded(&self, image: &Image, error: HipError) -> NotLoaded {
        let (source, architecture) = (image.source, &self.architecture);
        match error.code {
            NO_BINARY_FOR_GPU | INVALID_IMAGE => NotLoaded::Missing(format!(
                "{source}.hsaco has no machine code for {architecture} ({error}); build it with \
                 `HIP_ARCHITECTURES={architecture} scripts/build-hip.sh`"
            )),
            _ => error.into(),
        }
    }

    /// Gives all back that was loaded.
    pub(super) fn unload(&self, hip: &Hip) {
        lock(&self.kernels).clear();
        for (_, module) in lock(&self.modules).drain() {
            // SAFETY: see above; nothing of it is used any more.
            let _ = unsafe { hip.hipModuleUnload(module) };
        }
    }
}

fn attribute(hip: &Hip, kernel: Handle, which: c_int) -> Result<u32, HipError> {
    let mut value = 0;
    // SAFETY: as above.
    unsafe { hip.hipFuncGetAttribute(&raw mut value, which, kernel) }?;
    Ok(value.max(0) as u32)
}

/// What `KERNEL_SHARED` says of a kernel: a variable on the device, as large as the compiler for
/// so many lanes has found it to be.
fn declared_bytes(hip: &Hip, module: Handle, kernel: &str) -> Result<Option<u32>, NotLoaded> {
    let name = text(&format!("{kernel}_shared_bytes"))?;
    let (mut address, mut bytes) = (std::ptr::null_mut(), 0);
    // SAFETY: as above.
    let found =
        unsafe { hip.hipModuleGetGlobal(&raw mut address, &raw mut bytes, module, name.as_ptr()) };
    match found {
        Err(error) if error.code == NOT_FOUND => return Ok(None),
        found => found?,
    }
    let mut declared = 0_u32;
    let place = (&raw mut declared).cast();
    // SAFETY: as above; there is room for so many bytes.
    unsafe { hip.hipMemcpyDtoH(place, address, bytes.min(size_of::<u32>())) }?;
    Ok(Some(declared))
}

fn text(name: &str) -> Result<CString, NotLoaded> {
    CString::new(name).map_err(|error| NotLoaded::Missing(error.to_string()))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
