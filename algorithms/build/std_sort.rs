//! Compiles `src/std_sort/std_sort.cpp` if there is a C++ compiler.

/// Sets `cfg(std_sort)` if it was compiled, and otherwise an environment variable with the reason.
pub fn compile() {
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
