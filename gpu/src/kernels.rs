//! The modules that [`portable-gpu-build`](../portable_gpu_build/index.html) makes of kernels, here of
//! those of this crate.

// Some declarations of kernel files are not used here.
#![allow(dead_code, reason = "made from the kernels' sources")]

/// Includes the modules that [`portable-gpu-build`](../portable_gpu_build/index.html) has made of
/// the kernels of a crate.
#[macro_export]
macro_rules! include_kernels {
    () => {
        include!(concat!(env!("OUT_DIR"), "/launchers.rs"));
    };
}

/// Names that these modules use.
pub mod launchers {
    pub use bytemuck;

    pub use crate::arguments::{Argument, Arguments, KernelArg};
    pub use crate::image::{Access, Image, Parameter, Shader};
    pub use crate::kernel::{Kernel, Ptr, Vector};
    pub use crate::shaders;
}

include_kernels!();
