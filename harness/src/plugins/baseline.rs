//! The variants of NVIDIA's libraries: a plugin beside the executable.

use std::path::PathBuf;

use algorithms::device::gpu::cuda;
use algorithms::plugin::{baseline, plugins};

use super::Baseline;

/// Loads it, if it is there, of use, and not loaded from elsewhere. What is wrong with
/// it is told where its variants are listed.
pub(super) fn load(wanted: Baseline) {
    let is_of_use = match wanted {
        Baseline::Listed => true,
        Baseline::Measured => cuda::devices().is_ok(),
    };
    let is_given = || plugins().iter().any(|plugin| plugin.file == baseline::FILE);
    if let Some(path) = path().filter(|_| is_of_use && !is_given())
        && let Err(failure) = super::load_one(&path)
    {
        baseline::set_problem(failure.to_string());
    }
}

fn path() -> Option<PathBuf> {
    let executable = std::env::current_exe().ok()?;
    let path = executable.parent()?.join(baseline::FILE);
    path.exists().then_some(path)
}
