//! Ranges of indices.

use std::ops::Range;
use std::str::FromStr;

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
}
