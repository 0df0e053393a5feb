//! Selection of time frames of a file.

use generators_common::DataError;
use generators_common::io::Selection;
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
