//! Launchers of kernels, generated from their sources by the build: for each kernel file its
//! constants, the structs that it shares with its launcher, and for each kernel its arguments and
//! its launch handle. See `build/interface`.

// Some declarations of kernel files are not used here.
#![allow(dead_code, reason = "made from the kernels' sources")]

mod prelude {
    pub(super) use crate::device::gpu::{
        Argument, Arguments, Image, Kernel, KernelArg, Ptr, Vector, image,
    };
}

include!(concat!(env!("OUT_DIR"), "/interfaces.rs"));
