//! Files of time frames, and selection of time frames in them.

use std::path::PathBuf;

use generators_common::DataError;
use generators_common::io::Selection;
use generators_tpc::io::{index_of, is_tpc_file};
use tasks::algorithm::{InputFiles, Reading, SourceFile};
use tasks::axis::{Flag, IndexRange, Params, axes};
use tasks::file_selection::SelectionFlags;

axes! {
    /// Options of files of time frames.
    pub(crate) TIMEFRAME_AXES {
        TIMEFRAMES: IndexRange = Flag::range("timeframes") =>
            "Read only the time frames of the file from A to before B; the first one is 0";
        SKIP: u64 = Flag::integer("skip") => "Leave out the first N time frames of a file";
        TAKE: u64 = Flag::integer("take") => "Read at most N time frames of a file";
    }
}

/// The time frames that the options select.
pub(crate) fn timeframes(options: &Params) -> Result<Selection, DataError> {
    SelectionFlags { indices: TIMEFRAMES, skip: SKIP, take: TAKE }.selection(options)
}

/// The files of an input of pages. Those with an index are read as a whole, those of ALICE's piece
/// by piece.
pub(crate) fn source_files(files: &InputFiles) -> Result<Vec<SourceFile>, DataError> {
    let source = |path: PathBuf| {
        // A pipe can't be examined without reading from it.
        let in_pieces = index_of(&path).is_err() && path.is_file() && is_tpc_file(&path)?;
        let reading = if in_pieces { Reading::InPieces } else { Reading::Whole };
        Ok(SourceFile { path, reading })
    };
    files.paths().into_iter().map(source).collect()
}
