//! Reports the fix if kernels are missing.

use std::env;
use std::path::Path;

/// The folder with kernels and their table, which `scripts/build-cubecl.sh` makes.
const FOLDER: &str = "CUBECL_KERNELS";

fn main() -> Result<(), String> {
    println!("cargo:rerun-if-env-changed={FOLDER}");
    let folder = env::var(FOLDER).map_err(|_| {
        format!("{FOLDER} names no folder with kernels: build by scripts/build-cubecl.sh")
    })?;
    let table = Path::new(&folder).join("kernels.rs");
    println!("cargo:rerun-if-changed={}", table.to_string_lossy());
    if table.is_file() {
        return Ok(());
    }
    Err(format!(
        "{FOLDER}: {} is missing: build with scripts/build-cubecl.sh",
        table.to_string_lossy()
    ))
}
