//! The HIP runtime, loaded while the program runs.
//!
//! What is called here is the same in all versions from HIP 5.2 on, with the same numbers for
//! attributes and errors: HIP 6 renamed some attributes, and moved none. The one exception is
//! `hipGetDeviceProperties`, whose struct has another layout in HIP 6, under another name.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use libloading::Library;

use crate::device::gpu::driver_library;

/// Streams, events, modules and kernels, as the runtime knows them; null if there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(super) struct Handle(pub(super) *mut c_void);

// SAFETY: any thread may give handles to the runtime.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

impl Handle {
    pub(super) const NONE: Self = Handle(std::ptr::null_mut());
}

/// What a call has failed with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name} ({code})")]
pub(super) struct HipError {
    pub(super) code: c_int,
    name: String,
}

pub(super) const OUT_OF_MEMORY: c_int = 2;
pub(super) const NO_DEVICE: c_int = 100;
/// What HIP 5 says where there is no driver.
pub(super) const INVALID_DEVICE: c_int = 101;
pub(super) const INVALID_IMAGE: c_int = 200;
pub(super) const NO_BINARY_FOR_GPU: c_int = 209;
pub(super) const NOT_FOUND: c_int = 500;

/// HIP 5.2, as the runtime has versions.
const OLDEST: c_int = 50_200_000;

/// By what names the runtime is sought: with development files, without them, and where AMD's
/// packages put it.
const NAMES: [&str; 5] = [
    "libamdhip64.so",
    "libamdhip64.so.7",
    "libamdhip64.so.6",
    "libamdhip64.so.5",
    "/opt/rocm/lib/libamdhip64.so",
];

/// What `hipGetDeviceProperties` fills, and where in it the architecture is: in HIP 6 and newer,
/// and in HIP 5. Both have less than [`PROPERTIES_BYTES`].
const NEW_PROPERTIES: (&CStr, usize) = (c"hipGetDevicePropertiesR0600", 1160);
const OLD_PROPERTIES: (&CStr, usize) = (c"hipGetDeviceProperties", 396);
const PROPERTIES_BYTES: usize = 8192;
const ARCHITECTURE_BYTES: usize = 256;

/// What a stream calls on the host: with itself, with what went wrong before, and with what it was
/// given for that.
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
            fn of(library: &Library) -> Result<Self, String> {
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
                /// As the runtime's documentation says of what it is given.
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
    hipMemsetD8Async(to: *mut c_void, byte: u8, count: usize, stream: Handle);
    hipStreamCreateWithFlags(stream: *mut Handle, flags: c_uint);
    hipStreamDestroy(stream: Handle);
    hipStreamSynchronize(stream: Handle);
    hipStreamWaitEvent(stream: Handle, event: Handle, flags: c_uint);
    hipStreamAddCallback(stream: Handle, function: Callback, with: *mut c_void, flags: c_uint);
    hipEventCreateWithFlags(event: *mut Handle, flags: c_uint);
    hipEventDestroy(event: Handle);
    hipEventRecord(event: Handle, stream: Handle);
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
    properties: (PropertiesFunction, usize),
    version: c_int,
}

impl Hip {
    /// The runtime of this machine, for as long as the process lives.
    ///
    /// # Errors
    /// If there is none that can be used, in words.
    pub(super) fn load() -> Result<Self, String> {
        match driver_library::first_of(&NAMES) {
            Ok(library) => Self::of(library),
            Err(Some(problem)) => Err(format!("the HIP runtime can't be loaded: {problem}")),
            Err(None) => Err("there is no HIP runtime (libamdhip64.so was not found); it comes \
                              with AMD's ROCm"
                .to_owned()),
        }
    }

    /// The runtime in a file.
    #[cfg(test)]
    pub(super) fn open(path: &std::path::Path) -> Result<Self, String> {
        // SAFETY: a test has just made it.
        Self::of(unsafe { Library::new(path) }.map_err(|error| error.to_string())?)
    }

    fn of(library: Library) -> Result<Self, String> {
        let functions = Functions::of(&library)?;
        // SAFETY: functions of these names have this type.
        let properties = unsafe {
            let of = |(name, at): (&CStr, usize)| {
                library.get::<PropertiesFunction>(name.to_bytes_with_nul()).map(|it| (*it, at))
            };
            of(NEW_PROPERTIES).or_else(|_| of(OLD_PROPERTIES))
        };
        let properties = properties.map_err(|_| missing("hipGetDeviceProperties"))?;
        // It has threads of its own, which would end in nothing.
        std::mem::forget(library);
        let mut hip = Hip { functions, properties, version: 0 };
        let mut version = 0;
        // SAFETY: the runtime writes a number to the place that it is given.
        unsafe { hip.hipRuntimeGetVersion(&raw mut version) }
            .map_err(|error| format!("the HIP runtime does not work: {error}"))?;
        hip.version = version;
        if version < OLDEST {
            return Err(format!("the runtime is {}; HIP 5.2 or newer is needed", hip.name()));
        }
        Ok(hip)
    }

    /// `HIP 6.2`
    pub(super) fn name(&self) -> String {
        format!("HIP {}.{}", self.version / 10_000_000, self.version / 100_000 % 100)
    }

    /// The architecture that a GPU's kernels are compiled for, without what may be switched on
    /// and off: `gfx90a`.
    pub(super) fn architecture(&self, device: c_int) -> Result<String, HipError> {
        let mut properties = vec![0_u64; PROPERTIES_BYTES / size_of::<u64>()];
        let (function, at) = self.properties;
        // SAFETY: there is more room than the runtime fills.
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
        // SAFETY: the runtime's texts stay; it may not know this one.
        let name = unsafe {
            let name = (self.functions.hipGetErrorName)(code);
            if name.is_null() { c"unknown error" } else { CStr::from_ptr(name) }
        };
        Err(HipError { code, name: name.to_string_lossy().into_owned() })
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
