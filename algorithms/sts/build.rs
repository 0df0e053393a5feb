//! Compiles the CUDA kernels for the emulator and `std::sort` for the variants that use it, if
//! there is a C++ compiler, with interfaces for their launchers.

#![allow(clippy::disallowed_methods, reason = "what a build script prints is for cargo")]

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    compile_std_sort();
    portable_gpu_build::Kernels::in_folders(["src"])
        .with_headers("kernels")
        .with_feature("emulator")
        .compile()
}

/// Compiles `std::sort`: sets `cfg(std_sort)` if there is a C++ compiler, and otherwise an environment variable with the reason.
fn compile_std_sort() {
    const SOURCE: &str = "src/std_sort/std_sort.cpp";
    println!("cargo:rerun-if-changed={SOURCE}");
    println!("cargo:rustc-check-cfg=cfg(std_sort)");
    if let Some(reason) = portable_gpu_build::missing_compiler() {
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
