//! Selection of timeslices or time frames of a file.

use std::path::Path;

use generators_common::DataError;
use generators_common::io::{FileName, Selection, is_standard_input};

use crate::axis::{Axis, Flag, IndexRange, Params, axes};

axes! {
    /// Options of files of timeslices.
    pub(crate) TIMESLICE_AXES {
        pub(crate) TIMESLICES: IndexRange = Flag::range("timeslices") =>
            "Read only the timeslices of raw data with an index from A to before B";
        pub(crate) SKIP: u64 = Flag::integer("skip") =>
            "Leave out the first N timeslices or time frames of a file";
        pub(crate) TAKE: u64 = Flag::integer("take") =>
            "Read at most N timeslices or time frames of a file";
    }
}
axes! {
    /// Options of files of time frames.
    pub(crate) TIMEFRAME_AXES {
        TIMEFRAMES: IndexRange = Flag::range("timeframes") =>
            "Read only the time frames of the file from A to before B; the first one is 0";
        SKIP;
        TAKE;
    }
}

/// The timeslices that the options select.
pub(crate) fn timeslices(options: &Params) -> Result<Selection, DataError> {
    selection(options, &TIMESLICES)
}

/// The time frames that the options select.
pub(crate) fn timeframes(options: &Params) -> Result<Selection, DataError> {
    selection(options, &TIMEFRAMES)
}

fn selection(options: &Params, indices: &Flag<IndexRange>) -> Result<Selection, DataError> {
    Ok(Selection {
        indices: indices.given(options)?.map(|IndexRange(range)| range),
        skip: SKIP.given(options)?.unwrap_or(0),
        take: TAKE.given(options)?,
    })
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
    fn everything_is_selected_without_options() {
        let all = timeslices(&Params::default()).expect("no options");
        assert_eq!(all, Selection::ALL);
        let some = [("timeslices", "2..4"), ("skip", "1"), ("take", "3")];
        let some: Params = some.into_iter().collect();
        let expected = Selection { indices: Some(2..4), skip: 1, take: Some(3) };
        assert_eq!(timeslices(&some).expect("valid"), expected);
        let frames = timeframes(&some).expect("valid");
        assert_eq!(frames, Selection { indices: None, ..expected });
    }

    #[test]
    fn options_of_raw_data_are_refused_for_digis() {
        let path = Path::new("d.csv");
        let given: Params = [("take", "3")].into_iter().collect();
        let error = refuse_for_digis(path, &given, TIMESLICE_AXES).expect_err("for raw data");
        assert!(error.to_string().contains("leave out --take"), "{error}");
        assert!(refuse_for_digis(path, &Params::default(), TIMESLICE_AXES).is_ok());
    }
}
