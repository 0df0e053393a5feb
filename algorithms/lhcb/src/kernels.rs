//! Launchers of kernels, made by the build from the kernels' sources: see `portable_gpu_build`.

// Some declarations of kernel files are not used here.
#![allow(dead_code, reason = "made from the kernels' sources")]

portable_gpu::include_kernels!();
