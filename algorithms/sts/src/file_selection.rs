//! Files of timeslices, and selection of timeslices in them.

use std::path::Path;

use generators_common::DataError;
use generators_common::io::{FileName, Selection, is_standard_input};
use generators_sts::io::{files_of_input, is_raw_file};
use tasks::algorithm::{InputFiles, Reading, SourceFile};
use tasks::axis::{Axis, Flag, IndexRange, Params, axes};
use tasks::file_selection::SelectionFlags;

axes! {
    /// Options of files of timeslices.
    pub(crate) TIMESLICE_AXES {
        pub(crate) TIMESLICES: IndexRange = Flag::range("timeslices") =>
            "Read only the timeslices of raw data with an index from A to before B";
        pub(crate) SKIP: u64 = Flag::integer("skip") => "Leave out the first N timeslices of a file";
        pub(crate) TAKE: u64 = Flag::integer("take") => "Read at most N timeslices of a file";
    }
}

/// The timeslices that the options select.
pub(crate) fn timeslices(options: &Params) -> Result<Selection, DataError> {
    SelectionFlags { indices: TIMESLICES, skip: SKIP, take: TAKE }.selection(options)
}

/// The files of an input of digis or of raw data, which are read piece by piece.
pub(crate) fn source_files(files: &InputFiles) -> Result<Vec<SourceFile>, DataError> {
    let mut all = Vec::new();
    for input in files.paths() {
        for path in files_of_input(&input)? {
            // A pipe can't be examined without reading from it.
            let is_raw = path.is_file() && is_raw_file(&path)?;
            let reading = if is_raw { Reading::InPieces } else { Reading::Whole };
            all.push(SourceFile { path, reading });
        }
    }
    Ok(all)
}

/// Refuses options of raw data for a file of digis.
pub(crate) fn refuse_for_digis(
    path: &Path,
    options: &Params,
    of_raw_data: &[Axis],
) -> Result<(), DataError> {
    let given = of_raw_data.iter().find(|axis| options.get(axis.name).is_some());
    given.map_or(Ok(()), |axis| {
        let path = FileName(path);
        let name = axis.name;
        Err(DataError::Shape(format!(
            "{path} has digis; leave out --{name}, which is for raw data"
        )))
    })
}

/// Refuses standard input where a file next to the input is to be read.
pub(crate) fn check_companions(path: &Path) -> Result<(), DataError> {
    if is_standard_input(path) {
        let problem = "standard input has no setup next to it; specify --setup FILE";
        return Err(DataError::Shape(problem.to_owned()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_raw_data_are_refused_for_digis() {
        let path = Path::new("d.csv");
        let given: Params = [("take", "3")].into_iter().collect();
        let error = refuse_for_digis(path, &given, TIMESLICE_AXES).expect_err("for raw data");
        assert!(error.to_string().contains("leave out --take"), "{error}");
        assert!(refuse_for_digis(path, &Params::default(), TIMESLICE_AXES).is_ok());
    }
}
