//! The kernels that this library carries.

use std::ffi::CStr;

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

include!(concat!(env!("CUBECL_KERNELS"), "/kernels.rs"));
