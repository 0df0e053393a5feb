//! Compiles CUDA kernels for [`portable-gpu`](../portable_gpu/index.html). In a build script:
//!
//! ```no_run
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     portable_gpu_build::Kernels::in_folders(["kernels"]).compile()
//! }
//! ```
//!
//! and in the program:
//!
//! ```ignore
//! mod kernels {
//!     portable_gpu::include_kernels!();
//! }
//! ```
//!
//! Each kernel file, and each header that one includes, becomes a Rust module with its constants
//! and structs, so that a launcher that does not fit does not compile. Each exported kernel has a
//! struct of its arguments there, and a `Kernel` to launch it, with its compiled image, its shader
//! if there is one, and its code for the emulator.
//!
//! | code | for | source |
//! |---|---|---|
//! | image | CUDA | `kernels/prebuilt/NAME.fatbin` of the crate, which then has one for each kernel file; otherwise `nvcc` compiles it: `$NVCC`, that of `$CUDA_HOME`, or the one on the path. Without a compiler there is none: a launch on a GPU with CUDA is then an error that says so |
//! | shader | wgpu | `FILE.wgsl` beside the kernel file, or in a folder `wgpu` beside that of the kernel file |
//! | code for the host | emulator | the host's C++ compiler |
//! | code object | HIP | none here: `hipcc` compiles it to a file that is loaded at run time |
//!
//! An image must agree with the declarations, or the build fails.
//!
//! | module | content |
//! |---|---|
//! | `parse`, `evaluate`, `layout` | declarations of kernel files, values of constants, layouts of structs |
//! | `images`, `nvcc` | images of kernel files, and their compiler |
//! | `shaders` | shaders of kernels |
//! | `emit` | the Rust modules |

#![allow(clippy::disallowed_methods, reason = "what a build script prints is for cargo")]

mod emit;
mod evaluate;
mod images;
mod layout;
mod nvcc;
mod parse;
mod shaders;

use std::collections::BTreeMap;
use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

pub use cuda_emulator_build::missing_compiler;
use evaluate::KnownConstants;
use images::ImageFile;
pub use nvcc::Nvcc;
use parse::Declarations;

/// The kernel files of a crate: `*.cu` with lines `KERNEL_EXPORT(name)`.
pub struct Kernels {
    emulated: cuda_emulator_build::Kernels,
    headers: Vec<PathBuf>,
}

/// A file with its declarations.
struct File {
    /// Path from the folder of the crate.
    path: PathBuf,
    /// Included files, as paths from that folder.
    includes: Vec<PathBuf>,
    declared: Declarations,
    /// Constants that it can use: those of its headers, and its own.
    known: KnownConstants,
    /// Image of a kernel file; `None` if there is none.
    image: Option<ImageFile>,
}

impl Kernels {
    /// Selects the kernels in folders of the current crate, and below.
    pub fn in_folders<'a>(folders: impl IntoIterator<Item = &'a str>) -> Self {
        let emulated = cuda_emulator_build::Kernels::in_folders(folders);
        let kernels = Kernels { emulated, headers: Vec::new() };
        kernels.with_headers(include_folder())
    }

    /// Kernels and shaders find headers in this folder of the crate, and in that of this crate.
    #[must_use]
    pub fn with_headers(mut self, folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        self.emulated = self.emulated.with_headers(&folder);
        self.headers.push(folder);
        self
    }

    /// Nothing is compiled for the emulator unless the crate is built with this feature.
    #[must_use]
    pub fn with_feature(mut self, feature: &'static str) -> Self {
        self.emulated = self.emulated.with_feature(feature);
        self
    }

    /// Compiles them for the emulator, and writes into `OUT_DIR` what `include_kernels!` includes.
    ///
    /// # Errors
    /// If a kernel does not compile, or differs from its image or from its shader.
    pub fn compile(&self) -> Result<(), Box<dyn Error>> {
        self.emulated.compile()?;
        let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
        let out = PathBuf::from(env::var("OUT_DIR")?);
        let nvcc = if images::are_prebuilt(&root) { None } else { Nvcc::find(&out)? };
        let kernels = self.emulated.files()?;
        let launchers = generate(&root, &self.headers, &kernels, nvcc.as_ref())?;
        Ok(fs::write(out.join("launchers.rs"), launchers)?)
    }
}

/// Folder of the headers and shaders that come with this crate: scans, merges, sorts of a block.
pub fn include_folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/include"))
}

/// Generates the Rust code for kernel files of the crate in `root`, whose headers are beside them or
/// in one of the folders, and whose images this compiler makes if the crate brings none.
///
/// # Errors
/// If a kernel differs from its image or from its shader, or a file can't be read.
pub fn generate(
    root: &Path,
    headers: &[PathBuf],
    kernels: &[PathBuf],
    nvcc: Option<&Nvcc>,
) -> Result<String, Box<dyn Error>> {
    let mut reader = Reader { root, headers, files: BTreeMap::new() };
    for kernel in kernels {
        reader.read(kernel.strip_prefix(root)?)?;
    }
    images::find(&mut reader, nvcc)?;
    emit::modules(&reader)
}

/// Reads kernel files and the headers that they include.
struct Reader<'a> {
    root: &'a Path,
    headers: &'a [PathBuf],
    files: BTreeMap<PathBuf, File>,
}

impl Reader<'_> {
    /// Reads a file after all files that it includes.
    fn read(&mut self, path: &Path) -> Result<(), Box<dyn Error>> {
        if self.files.contains_key(path) {
            return Ok(());
        }
        let in_file = |problem: String| format!("{}: {problem}", path.display());
        let text = fs::read_to_string(self.root.join(path));
        let text = text.map_err(|error| in_file(error.to_string()))?;
        let declared = parse::parse(&text).map_err(in_file)?;
        let mut known = KnownConstants::default();
        let mut includes = Vec::new();
        // `portable.h` belongs to the emulator, and has no declarations for launchers.
        let own_includes = declared.includes.iter().filter(|path| !path.ends_with("portable.h"));
        for include in own_includes {
            let missing = || in_file(format!("there is no {}", include.display()));
            let found = self.found(path, include).ok_or_else(missing)?;
            self.read(&found)?;
            known.extend(&self.files[&found].known);
            includes.push(found);
        }
        known.learn(&declared);
        let path = path.to_owned();
        self.files.insert(path.clone(), File { path, includes, declared, known, image: None });
        Ok(())
    }

    /// Finds an included file: in the folder of the including one, or among the shared headers.
    fn found(&self, path: &Path, include: &Path) -> Option<PathBuf> {
        let local = path.with_file_name("").join(include);
        let shared = self.headers.iter().map(|folder| folder.join(include));
        let mut all = std::iter::once(local).chain(shared);
        let found = all.find(|path| self.root.join(path).exists())?;
        Some(without_dots(&found))
    }
}

/// Simplifies `a/../b` to `b`.
fn without_dots(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path {
        if part == ".." {
            clean.pop();
        } else {
            clean.push(part);
        }
    }
    clean
}
