//! The HIP runtime, loaded while the program runs.
//!
//! All functions that are called here are the same in all versions from HIP 5.2 on, with the same
//! numbers of attributes and errors: HIP 6 renamed some attributes, and renumbered none. The
//! exception is `hipGetDeviceProperties`, whose struct has another layout in HIP 6, under another
//! name.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use libloading::Library;

use crate::driver_library;

/// Streams, events, modules and kernels of the runtime; null if there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(super) struct Handle(pub(super) *mut c_void);

// SAFETY: any thread may pass handles to the runtime.
unsafe impl Send for Handle {}
// SAFETY: any thread may pass handles to the runtime.
unsafe impl Sync for Handle {}

impl Handle {
    pub(super) const NONE: Self = Handle(std::ptr::null_mut());
}

/// Error of a call, or of a kernel that is not there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum HipError {
    #[error("{name} ({code})")]
    Call { code: c_int, name: String },
    #[error("{0}")]
    Missing(String),
}

impl HipError {
    /// Number of the runtime's error; 0 if no call failed.
    pub(super) fn code(&self) -> c_int {
        match self {
            HipError::Call { code, .. } => *code,
            HipError::Missing(_) => 0,
        }
    }
}

pub(super) const OUT_OF_MEMORY: c_int = 2;
pub(super) const NO_DEVICE: c_int = 100;
/// Error of HIP 5 if there is no driver.
pub(super) const INVALID_DEVICE: c_int = 101;
pub(super) const INVALID_IMAGE: c_int = 200;
pub(super) const NO_BINARY_FOR_GPU: c_int = 209;
pub(super) const NOT_FOUND: c_int = 500;
pub(super) const NOT_READY: c_int = 600;
pub(super) const PEER_ACCESS_ALREADY_ENABLED: c_int = 704;

/// HIP 5.2, in the runtime's numbering.
const OLDEST: c_int = 50_200_000;

/// File names of the runtime: with development files, without them, and where AMD's packages
/// install it.
const NAMES: [&str; 5] = [
    "libamdhip64.so",
    "libamdhip64.so.7",
    "libamdhip64.so.6",
    "libamdhip64.so.5",
    "/opt/rocm/lib/libamdhip64.so",
];

/// Function that fills the device properties.
struct PropertiesQuery<F> {
    function: F,
    /// Byte offset of the architecture in the properties.
    architecture_offset: usize,
}

/// Properties of HIP 6 and newer, and of HIP 5: both are smaller than [`PROPERTIES_BYTES`].
const NEW_PROPERTIES: PropertiesQuery<&CStr> =
    PropertiesQuery { function: c"hipGetDevicePropertiesR0600", architecture_offset: 1160 };
const OLD_PROPERTIES: PropertiesQuery<&CStr> =
    PropertiesQuery { function: c"hipGetDeviceProperties", architecture_offset: 396 };
const PROPERTIES_BYTES: usize = 8192;
const ARCHITECTURE_BYTES: usize = 256;

/// Host function of a stream. Its arguments are the stream, the error of earlier work, and a user
/// pointer.
pub(super) type Callback = unsafe extern "C" fn(Handle, c_int, *mut c_void);
type PropertiesFunction = unsafe extern "C" fn(*mut c_void, c_int) -> c_int;

/// Declares functions of the runtime: how they are loaded and called.
macro_rules! functions {
    ($($name:ident($($argument:ident: $kind:ty),*);)+) => {
        #[allow(non_snake_case, reason = "as the runtime names them")]
        struct Functions {
            $($name: unsafe extern "C" fn($($kind),*) -> c_int,)+
            hipGetErrorName: unsafe extern "C" fn(c_int) -> *const c_char,
        }

        impl Functions {
            fn load(library: &Library) -> Result<Self, String> {
                // SAFETY: functions of these names have these types.
                unsafe {
                    Ok(Functions {
                        $($name: symbol(library, concat!(stringify!($name), "\0"))?,)+
                        hipGetErrorName: symbol(library, "hipGetErrorName\0")?,
                    })
                }
            }
        }

        #[allow(non_snake_case, clippy::too_many_arguments, reason = "as the runtime has them")]
        impl Hip {
            $(
                /// # Safety
                /// The arguments must satisfy the requirements in the runtime's documentation.
                pub(super) unsafe fn $name(&self, $($argument: $kind),*) -> Result<(), HipError> {
                    // SAFETY: as the caller promises.
                    self.checked(unsafe { (self.functions.$name)($($argument),*) })
                }
            )+
        }
    };
}

functions! {
    hipInit(flags: c_uint);
    hipRuntimeGetVersion(version: *mut c_int);
    hipGetDeviceCount(count: *mut c_int);
    hipSetDevice(device: c_int);
    hipDeviceGetName(name: *mut c_char, length: c_int, device: c_int);
    hipDeviceGetPCIBusId(name: *mut c_char, length: c_int, device: c_int);
    hipDeviceTotalMem(bytes: *mut usize, device: c_int);
    hipDeviceGetAttribute(value: *mut c_int, attribute: c_int, device: c_int);
    hipMemGetInfo(free: *mut usize, total: *mut usize);
    hipMalloc(address: *mut *mut c_void, bytes: usize);
    hipFree(address: *mut c_void);
    hipHostMalloc(start: *mut *mut c_void, bytes: usize, flags: c_uint);
    hipHostFree(start: *mut c_void);
    hipHostGetDevicePointer(address: *mut *mut c_void, start: *mut c_void, flags: c_uint);
    hipMallocManaged(start: *mut *mut c_void, bytes: usize, flags: c_uint);
    hipMemPrefetchAsync(start: *const c_void, bytes: usize, device: c_int, stream: Handle);
    hipMemcpyHtoDAsync(to: *mut c_void, from: *const c_void, bytes: usize, stream: Handle);
    hipMemcpyDtoHAsync(to: *mut c_void, from: *const c_void, bytes: usize, stream: Handle);
    hipMemcpyDtoDAsync(to: *mut c_void, from: *const c_void, bytes: usize, stream: Handle);
    hipMemcpyDtoH(to: *mut c_void, from: *const c_void, bytes: usize);
    hipMemcpyPeerAsync(
        to: *mut c_void, device: c_int, from: *const c_void, peer: c_int, bytes: usize,
        stream: Handle);
    hipDeviceCanAccessPeer(can: *mut c_int, device: c_int, peer: c_int);
    hipDeviceEnablePeerAccess(peer: c_int, flags: c_uint);
    hipMemsetD8Async(to: *mut c_void, byte: u8, count: usize, stream: Handle);
    hipStreamCreateWithFlags(stream: *mut Handle, flags: c_uint);
    hipStreamDestroy(stream: Handle);
    hipStreamSynchronize(stream: Handle);
    hipStreamWaitEvent(stream: Handle, event: Handle, flags: c_uint);
    hipStreamAddCallback(stream: Handle, function: Callback, with: *mut c_void, flags: c_uint);
    hipEventCreateWithFlags(event: *mut Handle, flags: c_uint);
    hipEventDestroy(event: Handle);
    hipEventRecord(event: Handle, stream: Handle);
    hipEventQuery(event: Handle);
    hipEventSynchronize(event: Handle);
    hipEventElapsedTime(milliseconds: *mut f32, from: Handle, to: Handle);
    hipModuleLoadData(module: *mut Handle, image: *const c_void);
    hipModuleUnload(module: Handle);
    hipModuleGetFunction(kernel: *mut Handle, module: Handle, name: *const c_char);
    hipModuleGetGlobal(address: *mut *mut c_void, bytes: *mut usize, module: Handle, name: *const c_char);
    hipFuncGetAttribute(value: *mut c_int, attribute: c_int, kernel: Handle);
    hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks: *mut c_int, kernel: Handle, threads: c_int, shared_bytes: usize);
    hipModuleLaunchKernel(
        kernel: Handle, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint,
        block_y: c_uint, block_z: c_uint, shared_bytes: c_uint, stream: Handle,
        arguments: *mut *mut c_void, extra: *mut *mut c_void);
}

/// The runtime.
pub(super) struct Hip {
    functions: Functions,
    properties: PropertiesQuery<PropertiesFunction>,
    version: c_int,
}

impl Hip {
    /// Loads the runtime of this machine, for as long as the process lives.
    pub(super) fn load() -> Result<Self, String> {
        match driver_library::first_of(&NAMES) {
            Ok(library) => Self::from_library(library),
            Err(Some(problem)) => Err(format!("the HIP runtime can't be loaded: {problem}")),
            Err(None) => Err("there is no HIP runtime (libamdhip64.so was not found); it comes \
                              with AMD's ROCm"
                .to_owned()),
        }
    }

    /// Loads the runtime from a file.
    #[cfg(test)]
    pub(super) fn open(path: &std::path::Path) -> Result<Self, String> {
        // SAFETY: a test has just built this library.
        Self::from_library(unsafe { Library::new(path) }.map_err(|error| error.to_string())?)
    }

    fn from_library(library: Library) -> Result<Self, String> {
        let functions = Functions::load(&library)?;
        // SAFETY: functions of these names have this type.
        let properties = unsafe {
            let of = |PropertiesQuery { function, architecture_offset }: PropertiesQuery<&CStr>| {
                let function = library.get::<PropertiesFunction>(function.to_bytes_with_nul());
                function.map(|it| PropertiesQuery { function: *it, architecture_offset })
            };
            of(NEW_PROPERTIES).or_else(|_| of(OLD_PROPERTIES))
        };
        let properties = properties.map_err(|_| missing("hipGetDeviceProperties"))?;
        // Leaked, because it has threads of its own, whose code must not be unloaded.
        std::mem::forget(library);
        let mut hip = Hip { functions, properties, version: 0 };
        let mut version = 0;
        // SAFETY: the runtime writes an integer to this variable.
        unsafe { hip.hipRuntimeGetVersion(&raw mut version) }
            .map_err(|error| format!("the HIP runtime does not work: {error}"))?;
        hip.version = version;
        if version < OLDEST {
            return Err(format!("the runtime is {}; HIP 5.2 or newer is needed", hip.name()));
        }
        Ok(hip)
    }

    /// Name of the version: `HIP 6.2`.
    pub(super) fn name(&self) -> String {
        format!("HIP {}.{}", self.version / 10_000_000, self.version / 100_000 % 100)
    }

    /// Architecture that a GPU's kernels are compiled for, without optional features: `gfx90a`.
    pub(super) fn architecture(&self, device: c_int) -> Result<String, HipError> {
        let mut properties = vec![0_u64; PROPERTIES_BYTES / size_of::<u64>()];
        let PropertiesQuery { function, architecture_offset: at } = self.properties;
        // SAFETY: the buffer is larger than the struct that the runtime fills.
        self.checked(unsafe { function(properties.as_mut_ptr().cast(), device) })?;
        let bytes: &[u8] = bytemuck::cast_slice(&properties);
        let name = CStr::from_bytes_until_nul(&bytes[at..at + ARCHITECTURE_BYTES]);
        let name = name.unwrap_or_default().to_string_lossy();
        let name = name.split(':').next().filter(|name| name.starts_with("gfx"));
        Ok(name.unwrap_or("unknown").to_owned())
    }

    fn checked(&self, code: c_int) -> Result<(), HipError> {
        if code == 0 {
            return Ok(());
        }
        // SAFETY: the runtime's texts are static, and null for unknown errors.
        let name = unsafe {
            let name = (self.functions.hipGetErrorName)(code);
            if name.is_null() { c"unknown error" } else { CStr::from_ptr(name) }
        };
        Err(HipError::Call { code, name: name.to_string_lossy().into_owned() })
    }
}

/// # Safety
/// It must be a function of that type.
unsafe fn symbol<T: Copy>(library: &Library, name: &'static str) -> Result<T, String> {
    // SAFETY: as the caller promises.
    let symbol = unsafe { library.get::<T>(name.as_bytes()) };
    symbol.map(|symbol| *symbol).map_err(|_| missing(name.trim_end_matches('\0')))
}

fn missing(name: &str) -> String {
    format!("the HIP runtime has no {name}; HIP 5.2 or newer is needed")
}
