//! Request of `bench process`, and of the flags of tasks that write outputs.

use std::path::PathBuf;

use super::MeasureRequest;

/// Request to run variants on one input and to write what they find; nothing is measured.
pub struct ProcessRequest {
    /// Task, input, variants, devices and threads.
    pub measuring: MeasureRequest,
    /// Files to write.
    pub outputs: OutputRequest,
}

/// Files to write, and the variants that find their content.
pub struct OutputRequest {
    /// Files, at least one.
    pub files: Vec<OutputPath>,
    /// Variants to run.
    pub choice: VariantChoice,
    /// The flags that ask for files, as messages name them.
    pub flags: String,
}

/// A file to write.
#[derive(Clone, Debug)]
pub struct OutputPath {
    /// Its index among the files of the task.
    pub file: usize,
    /// Its path.
    pub path: PathBuf,
}

/// Variants that run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariantChoice {
    /// One; without `--variant`, the default of the task.
    One,
    /// All that are named, or all there are, because they have to agree.
    All,
}
