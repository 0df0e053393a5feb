//! Selection of parts of a file, such as timeslices.

use generators_common::DataError;
use generators_common::io::Selection;

use crate::axis::{Flag, IndexRange, Params};

/// The options of a task that select parts of a file.
#[derive(Debug)]
pub struct SelectionFlags {
    /// Range of indices.
    pub indices: Flag<IndexRange>,
    /// Number of parts to leave out at the start.
    pub skip: Flag<u64>,
    /// Maximum number of parts to read.
    pub take: Flag<u64>,
}

impl SelectionFlags {
    /// The parts that the options select.
    ///
    /// # Errors
    /// If a value is not of its type.
    pub fn selection(&self, options: &Params) -> Result<Selection, DataError> {
        Ok(Selection {
            indices: self.indices.given(options)?.map(|IndexRange(range)| range),
            skip: self.skip.given(options)?.unwrap_or(0),
            take: self.take.given(options)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_selected_without_options() {
        const FLAGS: SelectionFlags = SelectionFlags {
            indices: Flag::range("events"),
            skip: Flag::integer("skip"),
            take: Flag::integer("take"),
        };
        let all = FLAGS.selection(&Params::default()).expect("no options");
        assert_eq!(all, Selection::ALL);
        let some = [("events", "2..4"), ("skip", "1"), ("take", "3")];
        let some: Params = some.into_iter().collect();
        let expected = Selection { indices: Some(2..4), skip: 1, take: Some(3) };
        assert_eq!(FLAGS.selection(&some).expect("valid"), expected);
    }
}
