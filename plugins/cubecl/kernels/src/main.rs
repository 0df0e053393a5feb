//! Writes the code that CubeCL generates for all kernels into a folder, for nvcc and for the
//! plugin:
//!
//! ```sh
//! cubecl-kernels FOLDER
//! ```
//!
//! `NAME.cu` for each kernel, and `kernels.rs`, which has their names, threads and shared memory.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use cubecl_kernels::CudaKernel;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).ok_or("name the folder to write kernels to")?;
    let folder = PathBuf::from(folder);
    let kernels = cubecl_kernels::kernels()?;
    fs::create_dir_all(&folder)?;
    for kernel in &kernels {
        fs::write(folder.join(kernel.name).with_extension("cu"), &kernel.source)?;
    }
    write_table(&kernels, &folder.join("kernels.rs"))
}

/// Table of kernels for the plugin, as Rust.
fn write_table(kernels: &[CudaKernel], file: &Path) -> Result<(), Box<dyn Error>> {
    let kernel = |kernel: &CudaKernel| {
        let CudaKernel { name, threads, shared_bytes, info_bytes, .. } = kernel;
        format!(
            "pub(crate) static {}: Kernel = Kernel {{\n    name: c\"{name}\",\n    threads: \
             {threads},\n    shared_bytes: {shared_bytes},\n    info_bytes: {info_bytes},\n    \
             image: include_bytes!(\"{name}.fatbin\"),\n}};\n",
            name.to_uppercase()
        )
    };
    let table: Vec<String> = kernels.iter().map(kernel).collect();
    Ok(fs::write(file, table.join("\n"))?)
}
