//! Where results go, and as what.

use std::path::PathBuf;

/// Where results go, and as what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outputs<F> {
    /// What goes to standard output.
    pub stdout: F,
    /// What goes to files.
    pub files: Vec<(F, PathBuf)>,
}

impl<F> Outputs<F> {
    /// Standard output only.
    pub fn only(stdout: F) -> Self {
        Outputs {
            stdout,
            files: Vec::new(),
        }
    }
}
