//! Compiles CUDA kernels for [`cuda-emulator`](../cuda_emulator/index.html). In a build script:
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! cuda_emulator_build::Kernels::in_folders(["kernels"]).compile()
//! # }
//! ```
//!
//! and in the program:
//!
//! ```ignore
//! include!(concat!(env!("OUT_DIR"), "/kernels.rs"));
//! let emulator = cuda_emulator::Emulator::new(&KERNELS, Config::default())?;
//! ```
//!
//! Each kernel file is compiled four times by the host's C++ compiler: for 32 and 64 lanes, without
//! and with calls of the checker at each memory access. Without a compiler the table is empty and
//! contains the reason.
//!
//! | module | content |
//! |---|---|
//! | `sources` | the kernels |
//! | `compile` | the compiler, which leaves out objects that are up to date |
//! | `table` | the table of kernels, as Rust |

#![allow(clippy::disallowed_methods, reason = "what a build script prints is for cargo")]

mod compile;
mod sources;
mod table;

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

pub use compile::missing_compiler;

/// The kernel files of a crate, `*.cu` with lines `KERNEL_EXPORT(name)`.
pub struct Kernels {
    root: PathBuf,
    folders: Vec<PathBuf>,
    headers: Vec<PathBuf>,
    feature: Option<&'static str>,
}

impl Kernels {
    /// Selects the kernels in folders of the current crate, and below.
    pub fn in_folders<'a>(folders: impl IntoIterator<Item = &'a str>) -> Self {
        let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").unwrap_or_default());
        Kernels {
            folders: folders.into_iter().map(|folder| root.join(folder)).collect(),
            headers: Vec::new(),
            feature: None,
            root,
        }
    }

    /// Kernels find headers in this folder of the crate.
    #[must_use]
    pub fn with_headers(mut self, folder: impl AsRef<Path>) -> Self {
        self.headers.push(self.root.join(folder));
        self
    }

    /// Nothing is compiled unless the crate is built with this feature.
    #[must_use]
    pub fn with_feature(mut self, feature: &'static str) -> Self {
        self.feature = Some(feature);
        self
    }

    /// The files, in the order of their names.
    ///
    /// # Errors
    /// If a folder can't be read.
    pub fn files(&self) -> Result<Vec<PathBuf>, Box<dyn Error>> {
        sources::files(&self.folders)
    }

    /// Compiles them, links them to the crate, and writes `kernels.rs` into `OUT_DIR`: it has
    /// a table of them, `KERNELS`.
    ///
    /// # Errors
    /// If a kernel does not compile, or two have the same name.
    pub fn compile(&self) -> Result<(), Box<dyn Error>> {
        let out = PathBuf::from(env::var("OUT_DIR")?);
        for input in self.folders.iter().chain(&self.headers) {
            println!("cargo:rerun-if-changed={}", input.display());
        }
        println!("cargo:rerun-if-changed={}", include_folder().display());
        let text = match self.unavailable() {
            Some(reason) => table::empty(&reason),
            None => self.table(&out)?,
        };
        Ok(fs::write(out.join("kernels.rs"), text)?)
    }

    fn table(&self, out: &Path) -> Result<String, Box<dyn Error>> {
        let units = sources::units(&self.files()?)?;
        let compiler = compile::Compiler::new(&self.root, &self.headers, out);
        let objects = compiler.compile(&units, &self.folders)?;
        table::source(&units, &objects)
    }

    /// Why kernels can't be compiled.
    fn unavailable(&self) -> Option<String> {
        if let Some(feature) = self.feature
            && env::var_os(format!("CARGO_FEATURE_{}", feature.to_uppercase())).is_none()
        {
            return Some(format!("built without it: build again with `--features {feature}`"));
        }
        let target = |part: &str| env::var(format!("CARGO_CFG_TARGET_{part}")).unwrap_or_default();
        if target("OS") != "linux" || !["x86_64", "aarch64"].contains(&target("ARCH").as_str()) {
            return Some("the emulator needs Linux on x86-64 or arm64".to_owned());
        }
        compile::missing_compiler()
    }
}

/// Folder of the headers that replace CUDA's: `portable.h` is for kernels to include, with nvcc
/// too.
pub fn include_folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/include"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_its_feature_nothing_is_compiled_and_the_reason_names_the_fix() {
        let kernels = Kernels::in_folders(["src"]).with_feature("no-such-feature");
        let reason = kernels.unavailable().expect("no build script sets that");
        assert_eq!(reason, "built without it: build again with `--features no-such-feature`");
    }
}
