//! What can be wrong with data or with the wish for data.

use std::io;
use std::path::{Path, PathBuf};

use text::{Foreign, SENTENCE};

/// A data set that can't be made, read or written.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// A description that no data can follow.
    #[error("{0}")]
    Shape(String),
    /// The operating system refused.
    #[error("{}: {source}", path.shown())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file whose content is not what its format says.
    #[error("{}, {place}: {problem}", path.shown())]
    Format {
        /// The file.
        path: PathBuf,
        /// Where in the file: a line or an offset.
        place: String,
        /// What is wrong there and what was expected.
        problem: String,
    },
    /// A file that would be written, but holds what belongs to other data.
    #[error("{}: it holds {holds} of other data; choose another name for the new ones", path.shown())]
    Taken {
        /// The file.
        path: PathBuf,
        /// What it holds.
        holds: &'static str,
    },
    /// A file name whose ending says nothing of the format.
    #[error("{}: unknown file type; use .csv, .bin, .csv.gz or .bin.gz", .0.shown())]
    UnknownFileType(PathBuf),
}

impl DataError {
    /// That a value has a name that there is not.
    pub fn unknown(what: &str, name: &str, known: &[&str]) -> Self {
        let known = known.join(", ");
        DataError::Shape(format!("unknown {what} {}; there are {known}", name.quoted()))
    }

    pub(crate) fn shape(problem: impl Into<String>) -> Self {
        DataError::Shape(problem.into())
    }

    /// That a file can't be read or written.
    pub fn io(path: &Path, source: io::Error) -> Self {
        DataError::Io { path: path.to_owned(), source }
    }

    /// That something in a file is wrong, at a place that its reader can find.
    pub fn format(path: &Path, place: impl Into<String>, problem: impl Into<String>) -> Self {
        // What parsers say repeats what they read.
        let shown = |text: String| text.shown().at_most(SENTENCE).to_string();
        DataError::Format {
            path: path.to_owned(),
            place: shown(place.into()),
            problem: shown(problem.into()),
        }
    }
}
