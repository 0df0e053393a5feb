//! Remarks about files.

/// Remarks about the files that an input was read from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileRemarks {
    /// Remarks for readers of results.
    pub notes: Vec<String>,
    /// Parts that are missing or damaged, and are left out.
    pub defects: Vec<String>,
}
