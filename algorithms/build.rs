//! Compiles the CUDA kernels for the emulator and `std::sort` for the variants that use it, if
//! there is a C++ compiler, and generates the interfaces of kernels: see `build/interface`.

#![allow(clippy::disallowed_methods, reason = "what a build script prints is for cargo")]

use std::env;
use std::error::Error;
use std::fs;
use std::path::PathBuf;

#[path = "build/interface/mod.rs"]
mod interface;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=build");
    compile_std_sort();
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

/// Compiles `std::sort`: sets `cfg(std_sort)` if there is a C++ compiler, and otherwise an environment variable with the reason.
fn compile_std_sort() {
    const SOURCE: &str = "src/std_sort/std_sort.cpp";
    println!("cargo:rerun-if-changed={SOURCE}");
    println!("cargo:rustc-check-cfg=cfg(std_sort)");
    if let Some(reason) = cuda_emulator_build::missing_compiler() {
        println!("cargo:rustc-env=RECOBENCH_NO_STD_SORT={reason}");
        return;
    }
    let mut build = cc::Build::new();
    // Templates only: nothing of the library is linked.
    build.cpp(true).cpp_link_stdlib(None).std("c++17").opt_level(3).debug(false);
    build.flag("-fno-exceptions").flag("-fno-rtti").file(SOURCE);
    match build.try_compile("std_sort") {
        Ok(()) => println!("cargo:rustc-cfg=std_sort"),
        Err(error) => {
            let text = error.to_string();
            let line = text.lines().next().unwrap_or_default();
            println!("cargo:rustc-env=RECOBENCH_NO_STD_SORT=the C++ compiler failed: {line}");
        }
    }
}
