//! Compiles the CUDA kernels for the emulator, with interfaces for their launchers.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    portable_gpu_build::Kernels::in_folders(["src"]).with_feature("emulator").compile()
}
