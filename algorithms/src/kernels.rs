//! Kernels as launchers see them, made from their sources by the build: for each kernel file
//! its constants, the structs that it shares with its launcher, and for each kernel its
//! arguments and what launches it. See `build/interface`.

// What is declared for kernels needn't all be used here.
#![allow(dead_code, reason = "made from the kernels' sources")]

mod prelude {
    pub(super) use crate::device::gpu::{
        Argument, Arguments, Image, Kernel, Passed, Ptr, Vector, image,
    };
}

include!(concat!(env!("OUT_DIR"), "/interfaces.rs"));
