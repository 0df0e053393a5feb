//! The plugin with the variants of NVIDIA's libraries, which is listed by name.
//!
//! It is not part of this binary, because it is built from NVIDIA's headers, for GPUs only. Its
//! variants are listed even without it, with instructions how to get them.

use std::sync::OnceLock;

/// File name of the library, which is searched next to the executable.
pub const FILE: &str = "libcub_baseline.so";

const NOT_THERE: &str =
    "libcub_baseline.so is not next to bench; scripts/build-kernels.sh --cub builds it";

static PROBLEM: OnceLock<String> = OnceLock::new();

/// Stores the reason why the library can't be used.
pub fn set_problem(problem: String) {
    let _ = PROBLEM.set(problem);
}

/// Returns the reason why its variants are missing, and what to do.
pub(crate) fn why_absent() -> &'static str {
    PROBLEM.get().map_or(NOT_THERE, String::as_str)
}
