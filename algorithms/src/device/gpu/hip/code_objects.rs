//! Files of compiled kernels, in a folder next to the binary. The binary contains none, because
//! they depend on the GPU and on the compiler.

use std::path::{Path, PathBuf};

use text::Untrusted;

use crate::device::gpu::Image;
use crate::device::gpu::image::built_just_now;

/// Folder next to the executable.
const FOLDER: &str = "hip-kernels";
/// File name extension.
const EXTENSION: &str = "hsaco";
/// Hint how to build them.
const BUILD_HINT: &str = "`scripts/build-hip.sh` builds them where there is hipcc";

/// Folders with compiled kernels, `sts_sort-block_merge.hsaco`; the first folder that has a file is
/// used.
#[derive(Clone, Debug)]
pub(super) struct CodeObjects(Vec<PathBuf>);

impl CodeObjects {
    /// The folder that `RECOBENCH_KERNELS` specifies, and the one next to the executable.
    pub(super) fn for_this_program() -> Self {
        let next_to_program = std::env::current_exe().map(|program| program.with_file_name(FOLDER));
        CodeObjects(built_just_now().into_iter().chain(next_to_program.ok()).collect())
    }

    #[cfg(test)]
    pub(super) fn in_folder(folder: &Path) -> Self {
        CodeObjects(vec![folder.to_owned()])
    }

    /// Returns the reason if no compiled kernels exist.
    pub(super) fn problem(&self) -> Option<String> {
        let holds_some = |folder: &PathBuf| {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            entries.map(|entry| entry.path()).any(|path| has_code(&path))
        };
        if self.0.iter().any(holds_some) {
            return None;
        }
        Some(format!("there are no kernels for GPUs by AMD in {}; {BUILD_HINT}", self.folders()))
    }

    /// Reads the code object of a kernel file.
    ///
    /// # Errors
    /// If there is none, with the reason as text.
    pub(super) fn read(&self, image: &Image) -> Result<Vec<u8>, String> {
        let file = format!("{}.{EXTENSION}", image.source);
        let path = self.0.iter().map(|folder| folder.join(&file)).find(|path| path.exists());
        let Some(path) = path else {
            return Err(format!("there is no {file} in {}; {BUILD_HINT}", self.folders()));
        };
        let bytes = std::fs::read(&path);
        bytes.map_err(|error| format!("{} can't be read: {error}", path.quoted()))
    }

    fn folders(&self) -> String {
        let named = |folder: &PathBuf| folder.quoted().to_string();
        self.0.iter().map(named).collect::<Vec<_>>().join(" or ")
    }
}

fn has_code(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == EXTENSION)
}
