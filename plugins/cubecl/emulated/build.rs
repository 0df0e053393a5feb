//! Compiles the code that CubeCL generates for its kernels for the emulator.

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use cubecl_kernels::CudaKernel;

/// CubeCL leaves the removal of unused values to the compiler, and assumes votes with words of 32
/// bits. For the emulator with 64 lanes these kernels are compiled like all others, but not run.
const QUIET: [&str; 3] = ["-Wunused-variable", "-Wunused-parameter", "-Wnarrowing"];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(env::var("OUT_DIR")?).join("cubecl");
    fs::create_dir_all(&folder)?;
    for kernel in cubecl_kernels::kernels()? {
        write_if_changed(&folder.join(kernel.name).with_extension("cu"), &for_emulator(&kernel))?;
    }
    let folder = folder.to_str().ok_or("the path of OUT_DIR is not in UTF-8")?;
    cuda_emulator_build::Kernels::in_folders([folder]).with_headers("include").compile()
}

/// The source with a replacement for dynamic shared memory, which C++ itself does not have.
fn for_emulator(kernel: &CudaKernel) -> String {
    let shared = |line: &str| {
        if line.starts_with("extern __shared__") && line.ends_with(" dynamic_shared_mem[];") {
            "SMEM_DYN(uint8, dynamic_shared_mem);\n".to_owned()
        } else {
            format!("{line}\n")
        }
    };
    let source: String = kernel.source.lines().map(shared).collect();
    let quiet = QUIET.map(|warning| format!("#pragma GCC diagnostic ignored \"{warning}\"\n"));
    let quiet = quiet.concat();
    format!("{quiet}{source}\nKERNEL_EXPORT({})\n", kernel.name)
}

/// Keeps the modification time of an unchanged file, so that cargo does not rebuild.
fn write_if_changed(file: &Path, text: &str) -> std::io::Result<()> {
    if fs::read_to_string(file).is_ok_and(|there| there == text) {
        return Ok(());
    }
    fs::write(file, text)
}
