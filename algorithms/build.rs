//! Compiles the CUDA kernels for the emulator, where there is a C++ compiler.
//!
//! Each kernel file is compiled four times: for 32 and 64 lanes, plain and with each
//! access to memory shown to the checker. A table in `OUT_DIR` says what there is.
//! Without a compiler, or with `RECOBENCH_EMULATOR=off`, the table is empty and says why.
//!
//! What launchers know of kernels is made from their sources: see `build/interface`.

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

#[path = "build/compile.rs"]
mod compile;
#[path = "build/interface/mod.rs"]
mod interface;
#[path = "build/sources.rs"]
mod sources;
#[path = "build/stamp.rs"]
mod stamp;
#[path = "build/table.rs"]
mod table;

/// Set to `off`, nothing is compiled.
const SWITCH: &str = "RECOBENCH_EMULATOR";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-env-changed={SWITCH}");
    for input in ["build", "src", "kernels", "emulator"] {
        println!("cargo:rerun-if-changed={input}");
    }
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let text = match unavailable() {
        Some(reason) => table::empty(&reason),
        None => build(&out)?,
    };
    fs::write(out.join("kernels.rs"), text)?;
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let kernels = sources::kernel_files(&root, &["src"])?;
    Ok(fs::write(
        out.join("interfaces.rs"),
        interface::generate(&root, &kernels)?,
    )?)
}

fn build(out: &Path) -> Result<String, Box<dyn Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let units = sources::units(&root)?;
    let objects = compile::all(&root, out, &units)?;
    table::of(&units, &objects)
}

/// Why kernels can't be compiled for the emulator.
fn unavailable() -> Option<String> {
    let target = |part: &str| env::var(format!("CARGO_CFG_TARGET_{part}")).unwrap_or_default();
    if env::var(SWITCH).is_ok_and(|value| value == "off") {
        return Some(format!("built with {SWITCH}=off: build again without it"));
    }
    if target("OS") != "linux" || !["x86_64", "aarch64"].contains(&target("ARCH").as_str()) {
        return Some("the emulator needs Linux on x86-64 or arm64".to_owned());
    }
    compile::missing_compiler()
}
