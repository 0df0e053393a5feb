//! The kernels of the GPU layer itself.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    portable_gpu_build::Kernels::in_folders(["src"]).with_feature("emulator").compile()
}
