//! Selection of timeslices of raw data in files.

use std::ops::Range;
use std::str::FromStr;

use generators::DataError;
use generators::io::Selection;

use crate::axis::{Flag, Params};

pub(crate) const TIMESLICES: Flag<IndexRange> = Flag::range(
    "timeslices",
    "Read only the timeslices of raw data with an index from A to before B",
);
pub(crate) const SKIP: Flag<u64> =
    Flag::integer("skip", "Leave out the first N timeslices of raw data");
pub(crate) const TAKE: Flag<u64> = Flag::integer("take", "Read at most N timeslices of raw data");

/// The selection that the options describe.
///
/// # Errors
/// If one of them is invalid.
pub(crate) fn selection(options: &Params) -> Result<Selection, DataError> {
    Ok(Selection {
        indices: TIMESLICES.given(options)?.map(|IndexRange(range)| range),
        skip: SKIP.given(options)?.unwrap_or(0),
        take: TAKE.given(options)?,
    })
}

/// A half-open range of indices: `3..7`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IndexRange(pub(crate) Range<u64>);

impl FromStr for IndexRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let problem = || "use A..B, with A below B, such as 0..10".to_owned();
        let (first, end) = text.split_once("..").ok_or_else(problem)?;
        let first: u64 = first.parse().map_err(|_| problem())?;
        let end: u64 = end.parse().map_err(|_| problem())?;
        if first < end { Ok(IndexRange(first..end)) } else { Err(problem()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_half_open_and_not_empty() {
        assert_eq!("3..7".parse(), Ok(IndexRange(3..7)));
        for text in ["3", "3..", "..7", "7..7", "8..7", "a..b", "-1..3", "3...7"] {
            assert!(text.parse::<IndexRange>().is_err(), "{text}");
        }
    }

    #[test]
    fn all_timeslices_are_selected_without_options() {
        let all = selection(&Params::default()).expect("no options");
        assert_eq!(all, Selection::default());
        let some = [("timeslices", "2..4"), ("skip", "1"), ("take", "3")];
        let some = selection(&some.into_iter().collect()).expect("valid");
        assert_eq!(some, Selection { indices: Some(2..4), skip: 1, take: Some(3) });
    }
}
