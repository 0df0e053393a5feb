//! The plugin with the variants of NVIDIA's libraries, which `bench` knows by name.
//!
//! It can't come with `bench`: it is built from NVIDIA's headers, for GPUs only. Its
//! variants are listed all the same, with the way to get them.

use std::sync::OnceLock;

/// The library's file name. It is looked for beside the executable.
pub const FILE: &str = "libcub_baseline.so";

const NOT_THERE: &str =
    "libcub_baseline.so is not beside bench; scripts/build-kernels.sh --cub builds it";

static PROBLEM: OnceLock<String> = OnceLock::new();

/// Notes why the library that is there can't be used.
pub fn set_problem(problem: String) {
    let _ = PROBLEM.set(problem);
}

/// Why its variants are not here, and what to do.
pub(crate) fn why_absent() -> &'static str {
    PROBLEM.get().map_or(NOT_THERE, String::as_str)
}
