//! Compiles the CUDA kernels for the emulator and `std::sort` for the variants that use it, if
//! there is a C++ compiler, and generates the interfaces of kernels: see `build/interface`.

#![allow(clippy::disallowed_methods, reason = "what a build script prints is for cargo")]

use std::env;
use std::error::Error;
use std::fs;
use std::path::PathBuf;

#[path = "build/interface/mod.rs"]
mod interface;
#[path = "build/std_sort.rs"]
mod std_sort;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=build");
    std_sort::compile();
    let kernels = cuda_emulator_build::Kernels::in_folders(["src"])
        .with_headers("kernels")
        .with_feature("emulator");
    kernels.compile()?;
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let generated = interface::generate(&root, &kernels.files()?)?;
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("interfaces.rs"), generated.interfaces)?;
    fs::write(out.join("device_interfaces.rs"), generated.device_interfaces)?;
    Ok(fs::write(out.join("shaders.rs"), generated.shaders)?)
}
