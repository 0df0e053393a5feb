//! Kernels by name, from files of compiled kernels in a folder next to the binary. The binary
//! contains none, because they depend on the GPU and on the compiler.

use std::ffi::{CString, c_int};
use std::path::{Path, PathBuf};

use text::Untrusted;

use super::library::{Handle, Hip, HipError, INVALID_IMAGE, NO_BINARY_FOR_GPU, NOT_FOUND};
use crate::image::built_just_now;
use crate::{Attributes, Image, Shape};

/// Attribute numbers of kernels.
const MAX_THREADS: c_int = 0;
const STATIC_SHARED_BYTES: c_int = 1;
const LOCAL_BYTES: c_int = 3;
const REGISTERS: c_int = 4;

/// Folder next to the executable.
const FOLDER: &str = "hip-kernels";
/// File name extension.
const EXTENSION: &str = "hsaco";
/// Hint how to build them.
const BUILD_HINT: &str = "`scripts/build-hip.sh` builds them where there is hipcc";

/// A kernel, with the shared memory of its blocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Loaded {
    pub(super) kernel: Handle,
    /// Static shared memory.
    pub(super) static_bytes: u32,
    /// Dynamic shared memory that its source declares, if it does.
    pub(super) declared_bytes: Option<u32>,
}

// SAFETY of all calls into the runtime below: the pointers are to local variables of the right
// types, the handles came from the runtime, and the texts end with a null byte.
impl Loaded {
    /// Finds a kernel of a module.
    pub(super) fn find(
        hip: &Hip,
        module: Handle,
        image: &Image,
        name: &str,
    ) -> Result<Self, HipError> {
        let mut kernel = Handle::NONE;
        let text = text(name)?;
        // SAFETY: pointers and texts are valid during the call, and handles came from the runtime.
        let found = unsafe { hip.hipModuleGetFunction(&raw mut kernel, module, text.as_ptr()) };
        found.map_err(|error| match error.code() {
            NOT_FOUND => HipError::Missing(format!(
                "{} was compiled without it; run `scripts/build-hip.sh` again",
                image.source
            )),
            _ => error,
        })?;
        Ok(Loaded {
            kernel,
            static_bytes: attribute(hip, kernel, STATIC_SHARED_BYTES)?,
            declared_bytes: declared_bytes(hip, module, name)?,
        })
    }

    /// Returns the resources of a kernel and its resident blocks in a launch configuration.
    pub(super) fn attributes(&self, hip: &Hip, shape: &Shape) -> Result<Attributes, HipError> {
        let mut resident_blocks = 0;
        // SAFETY: pointers and texts are valid during the call, and handles came from the runtime.
        unsafe {
            hip.hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
                &raw mut resident_blocks,
                self.kernel,
                shape.threads as c_int,
                shape.shared_bytes as usize,
            )
        }?;
        Ok(Attributes {
            registers: Some(attribute(hip, self.kernel, REGISTERS)?),
            shared_bytes: self.static_bytes,
            local_bytes: Some(attribute(hip, self.kernel, LOCAL_BYTES)?),
            max_threads: attribute(hip, self.kernel, MAX_THREADS)?,
            resident_blocks: resident_blocks.max(0) as u32,
        })
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
fn declared_bytes(hip: &Hip, module: Handle, kernel: &str) -> Result<Option<u32>, HipError> {
    let name = text(&format!("{kernel}_shared_bytes"))?;
    let mut address = std::ptr::null_mut();
    let mut bytes = 0;
    // SAFETY: the pointers are to local variables, the module came from the runtime, and the text
    // ends with a null byte.
    let found =
        unsafe { hip.hipModuleGetGlobal(&raw mut address, &raw mut bytes, module, name.as_ptr()) };
    match found {
        Err(error) if error.code() == NOT_FOUND => return Ok(None),
        found => found?,
    }
    let mut declared = 0_u32;
    let target = (&raw mut declared).cast();
    // SAFETY: the copied bytes fit into `declared`.
    unsafe { hip.hipMemcpyDtoH(target, address, bytes.min(size_of::<u32>())) }?;
    Ok(Some(declared))
}

fn text(name: &str) -> Result<CString, HipError> {
    CString::new(name).map_err(|error| HipError::Missing(error.to_string()))
}

/// Folders with compiled kernels, `sts_sort-block_merge.hsaco`; the first folder that has a file is
/// used.
#[derive(Clone, Debug)]
pub(super) struct CodeObjects(Vec<PathBuf>);

impl CodeObjects {
    /// The folder that `RECOBENCH_KERNELS` specifies, and the one next to the executable.
    pub(super) fn for_this_program() -> Self {
        let next_to_program = std::env::current_exe().map(|program| program.with_file_name(FOLDER));
        CodeObjects(built_just_now().into_iter().chain(next_to_program.ok()).collect())
    }

    #[cfg(test)]
    pub(super) fn in_folder(folder: &Path) -> Self {
        CodeObjects(vec![folder.to_owned()])
    }

    /// Returns the reason if no compiled kernels exist.
    pub(super) fn problem(&self) -> Option<String> {
        let holds_some = |folder: &PathBuf| {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            entries.map(|entry| entry.path()).any(|path| has_code(&path))
        };
        if self.0.iter().any(holds_some) {
            return None;
        }
        Some(format!("there are no kernels for GPUs by AMD in {}; {BUILD_HINT}", self.folders()))
    }

    /// Loads the code object of a kernel file into a GPU of an architecture.
    pub(super) fn load(
        &self,
        hip: &Hip,
        image: &Image,
        architecture: &str,
    ) -> Result<Handle, HipError> {
        let object = self.read(image).map_err(HipError::Missing)?;
        let mut module = Handle::NONE;
        // SAFETY: the pointers are valid during the call, and the runtime copies what it needs of
        // the object.
        let loaded = unsafe { hip.hipModuleLoadData(&raw mut module, object.as_ptr().cast()) };
        loaded.map_err(|error| match error.code() {
            NO_BINARY_FOR_GPU | INVALID_IMAGE => HipError::Missing(format!(
                "{}.hsaco has no machine code for {architecture} ({error}); build it with \
                 `HIP_ARCHITECTURES={architecture} scripts/build-hip.sh`",
                image.source
            )),
            _ => error,
        })?;
        Ok(module)
    }

    /// Reads the code object of a kernel file.
    fn read(&self, image: &Image) -> Result<Vec<u8>, String> {
        let file = format!("{}.{EXTENSION}", image.source);
        let path = self.0.iter().map(|folder| folder.join(&file)).find(|path| path.exists());
        let Some(path) = path else {
            return Err(format!("there is no {file} in {}; {BUILD_HINT}", self.folders()));
        };
        let bytes = std::fs::read(&path);
        bytes.map_err(|error| format!("{} can't be read: {error}", path.quoted()))
    }

    fn folders(&self) -> String {
        let named = |folder: &PathBuf| folder.quoted().to_string();
        self.0.iter().map(named).collect::<Vec<_>>().join(" or ")
    }
}

fn has_code(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == EXTENSION)
}
