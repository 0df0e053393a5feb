//! Compiles the kernels of the examples.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    portable_gpu_build::Kernels::in_folders(["kernels"]).compile()
}
