//! Files of an input.

use std::fmt;
use std::path::{Path, PathBuf};

use generators_common::DataError;
use generators_common::io::FileName;

/// Files that an input is read from: at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputFiles {
    first: PathBuf,
    others: Vec<PathBuf>,
}

impl InputFiles {
    /// Several files; `None` if there is none.
    pub fn new(paths: impl IntoIterator<Item = PathBuf>) -> Option<Self> {
        let mut paths = paths.into_iter();
        let first = paths.next()?;
        Some(InputFiles { first, others: paths.collect() })
    }

    /// The first file, whose companions belong to all of them.
    pub fn first(&self) -> &Path {
        &self.first
    }

    /// The files after the first.
    pub fn others(&self) -> &[PathBuf] {
        &self.others
    }

    /// All files.
    pub fn paths(&self) -> Vec<PathBuf> {
        let all = std::iter::once(&self.first).chain(&self.others);
        all.cloned().collect()
    }

    /// All files, each of them read as a whole.
    pub fn whole(&self) -> Vec<SourceFile> {
        let whole = |path| SourceFile { path, reading: Reading::Whole };
        self.paths().into_iter().map(whole).collect()
    }

    /// The file, for tasks whose inputs are of one.
    ///
    /// # Errors
    /// If there are several.
    pub fn only(&self) -> Result<&Path, DataError> {
        match self.others.len() {
            0 => Ok(&self.first),
            others => Err(DataError::Shape(format!(
                "{} files: the input of this task is one file; give --input once",
                others + 1
            ))),
        }
    }
}

/// A file of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Its path.
    pub path: PathBuf,
    /// Unit of reading.
    pub reading: Reading,
}

/// Unit in which a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// As a whole: its size says how much memory its data need.
    Whole,
    /// Piece by piece, and not all of it may be needed.
    InPieces,
}

impl From<PathBuf> for InputFiles {
    fn from(path: PathBuf) -> Self {
        InputFiles { first: path, others: Vec::new() }
    }
}

impl From<&Path> for InputFiles {
    fn from(path: &Path) -> Self {
        path.to_owned().into()
    }
}

impl fmt::Display for InputFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        FileName(&self.first).fmt(f)?;
        self.others.iter().try_for_each(|path| write!(f, ", {}", FileName(path)))
    }
}
