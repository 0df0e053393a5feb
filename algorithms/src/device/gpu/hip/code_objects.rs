//! Where compiled kernels are: in files beside the binary, which carries none, as they depend on
//! the GPU and on the compiler that there is.

use std::path::{Path, PathBuf};

use text::Foreign;

use crate::device::gpu::Image;
use crate::device::gpu::image::built_just_now;

/// The folder beside the executable.
const FOLDER: &str = "hip-kernels";
/// What a file's name ends with.
const EXTENSION: &str = "hsaco";
/// What makes them.
const HOW: &str = "`scripts/build-hip.sh` builds them where there is hipcc";

/// Folders with compiled kernels, `sts_sort-block_merge.hsaco`: what is in the first one is used
/// in the place of what is in others.
#[derive(Clone, Debug)]
pub(super) struct CodeObjects(Vec<PathBuf>);

impl CodeObjects {
    /// The folder that `RECOBENCH_KERNELS` names, and that beside the executable.
    pub(super) fn of_this_program() -> Self {
        let beside = std::env::current_exe().map(|program| program.with_file_name(FOLDER));
        CodeObjects(built_just_now().into_iter().chain(beside.ok()).collect())
    }

    #[cfg(test)]
    pub(super) fn of(folder: &Path) -> Self {
        CodeObjects(vec![folder.to_owned()])
    }

    /// Why there is none; `None` if there are some.
    pub(super) fn problem(&self) -> Option<String> {
        let holds_some = |folder: &PathBuf| {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            entries.map(|entry| entry.path()).any(|path| has_code(&path))
        };
        if self.0.iter().any(holds_some) {
            return None;
        }
        Some(format!("there are no kernels for GPUs by AMD in {}; {HOW}", self.folders()))
    }

    /// The code object of a kernel file.
    ///
    /// # Errors
    /// If there is none, in words.
    pub(super) fn read(&self, image: &Image) -> Result<Vec<u8>, String> {
        let file = format!("{}.{EXTENSION}", image.source);
        let path = self.0.iter().map(|folder| folder.join(&file)).find(|path| path.exists());
        let Some(path) = path else {
            return Err(format!("there is no {file} in {}; {HOW}", self.folders()));
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
