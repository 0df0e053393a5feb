//! Errors in data, and in requests for data.

use std::io;
use std::path::{Path, PathBuf};

use crate::io::content_limit::ContentTooLarge;
use text::{SENTENCE, Untrusted};

use crate::io::FileName;

/// A data set that can't be generated, read or written.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// A description that no data can follow.
    #[error("{0}")]
    Shape(String),
    /// The operating system refused.
    #[error("{}: {source}", FileName(path))]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A file whose content does not follow its format.
    #[error("{}, {location}: {problem}", FileName(path))]
    Format {
        /// The file.
        path: PathBuf,
        /// Location in the file: a line or an offset.
        location: String,
        /// The problem, and what was expected.
        problem: String,
    },
    /// A file that lacks parts, which the caller does not accept.
    #[error("{}: {problem}", FileName(path))]
    Incomplete {
        /// The file.
        path: PathBuf,
        /// The parts that are missing, and how to accept it.
        problem: String,
    },
    /// A file with more content than there is memory for.
    #[error("{}: more than {max_bytes} bytes of content", FileName(path))]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit that the caller set.
        max_bytes: u64,
    },
    /// A file to be written that holds other data.
    #[error("{}: it holds {holds} of other data; choose another name for the new ones", path.escaped())]
    Taken {
        /// The file.
        path: PathBuf,
        /// The data it holds.
        holds: &'static str,
    },
    /// A file name whose ending is of no known format.
    #[error("{}: unknown file type; use .csv, .bin, .csv.gz or .bin.gz, \
        for tables .parquet, too", FileName(.0))]
    UnknownFileType(PathBuf),
}

impl DataError {
    /// Error for a value with an unknown name.
    pub fn unknown(what: &str, name: &str, known: &[&str]) -> Self {
        let known = known.join(", ");
        DataError::Shape(format!("unknown {what} {}; there are {known}", name.quoted()))
    }

    /// A description that no data can follow.
    pub fn shape(problem: impl Into<String>) -> Self {
        DataError::Shape(problem.into())
    }

    /// Error for a file that can't be read or written.
    pub fn io(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        let inner = source.get_ref().and_then(|inner| inner.downcast_ref::<ContentTooLarge>());
        if let Some(&ContentTooLarge { max_bytes }) = inner {
            return DataError::TooLarge { path, max_bytes };
        }
        DataError::Io { path, source }
    }

    /// Error for a file that lacks parts.
    pub fn incomplete(path: &Path, problem: impl Into<String>) -> Self {
        let problem = problem.into().escaped().at_most(SENTENCE).to_string();
        DataError::Incomplete { path: path.to_owned(), problem }
    }

    /// Error for invalid content of a file, at a location that its reader can find.
    pub fn format(path: &Path, location: impl Into<String>, problem: impl Into<String>) -> Self {
        // The parsers' messages quote their input.
        let shown = |text: String| text.escaped().at_most(SENTENCE).to_string();
        DataError::Format {
            path: path.to_owned(),
            location: shown(location.into()),
            problem: shown(problem.into()),
        }
    }
}
