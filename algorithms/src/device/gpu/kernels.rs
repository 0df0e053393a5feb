//! Launchers of the kernels of the device layer, generated as [`crate::kernels`] is.

// Some declarations of kernel files are not used here.
#![allow(dead_code, reason = "made from the kernels' sources")]

mod prelude {
    pub(super) use crate::device::gpu::{
        Argument, Arguments, Image, Kernel, KernelArg, Ptr, image,
    };
}

include!(concat!(env!("OUT_DIR"), "/device_interfaces.rs"));
