//! Compiles the CUDA kernels: for GPUs where there is `nvcc`, and for the emulator.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    portable_gpu_build::Kernels::in_folders(["src"]).with_feature("emulator").compile()
}
