//! Compiles the kernels of this example.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    cuda_emulator_build::Kernels::in_folders(["kernels"]).compile()
}
