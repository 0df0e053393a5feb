//! Selection of timeslices or time frames.

use std::ops::Range;
use std::path::Path;

use text::counted;

use super::FileName;
use crate::DataError;

/// Selection of timeslices or time frames of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Only those with an index in this range; all if none.
    pub indices: Option<Range<u64>>,
    /// Number of them to leave out.
    pub skip: u64,
    /// Maximum number after these.
    pub take: Option<u64>,
}

impl Selection {
    /// All of them.
    pub const ALL: Selection = Selection { indices: None, skip: 0, take: None };

    /// True if everything is selected.
    pub fn is_all(&self) -> bool {
        *self == Selection::ALL
    }

    /// True if an index is in the range.
    pub fn has_index(&self, index: u64) -> bool {
        self.indices.as_ref().is_none_or(|range| range.contains(&index))
    }

    /// The selected time frames of a file that has `count`.
    pub fn time_frames(&self, path: &Path, count: u64) -> Result<Range<u64>, DataError> {
        let Range { start, end } = self.consecutive();
        let end = end.min(count);
        if self.indices.as_ref().is_some_and(|range| range.end > count) || start >= end {
            let path = FileName(path);
            let frames = counted(count, "time frame");
            let problem = format!("{path}: it has {frames}; select within 0..{count}");
            return Err(DataError::shape(problem));
        }
        Ok(start..end)
    }

    /// The selected indices of a file whose indices are consecutive from 0 on.
    pub fn consecutive(&self) -> Range<u64> {
        let Range { start, end } = self.indices.clone().unwrap_or(0..u64::MAX);
        let start = start.saturating_add(self.skip);
        let taken = self.take.map_or(u64::MAX, |take| start.saturating_add(take));
        start..end.min(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skipped_indices_are_those_of_the_range() {
        let selected = |indices, skip, take| Selection { indices, skip, take }.consecutive();
        assert_eq!(selected(None, 0, None), 0..u64::MAX);
        assert_eq!(selected(None, 2, Some(3)), 2..5);
        assert_eq!(selected(Some(4..9), 1, Some(2)), 5..7);
        assert_eq!(selected(Some(4..6), 1, Some(2)), 5..6);
        assert!(selected(Some(4..6), 2, None).is_empty());
        assert!(selected(None, 0, Some(0)).is_empty());
    }

    #[test]
    fn selections_beyond_the_end_name_the_number_of_time_frames() {
        let selected = |indices, skip, take| {
            let selection = Selection { indices, skip, take };
            selection.time_frames(Path::new("d.raw"), 3).map_err(|error| error.to_string())
        };
        assert_eq!(selected(None, 1, Some(9)), Ok(1..3));
        assert_eq!(selected(Some(0..3), 2, None), Ok(2..3));
        for (indices, skip) in [(Some(2..4), 0), (Some(3..4), 0), (None, 3), (Some(0..2), 2)] {
            let error = selected(indices, skip, None).expect_err("beyond the end");
            assert!(error.contains("3 time frames; select within 0..3"), "{error}");
        }
    }
}
