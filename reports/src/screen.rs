//! What tables for people are shown on.

use crate::paint::Paint;

/// What tables for people are shown on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Screen {
    /// Whether words are coloured.
    pub paint: Paint,
    /// The size of a terminal; files and pipes take lines of any length, and any number of them.
    pub size: Option<Size>,
}

/// The size of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Characters in a line.
    pub columns: usize,
    /// Lines.
    pub rows: usize,
}

impl From<Paint> for Screen {
    fn from(paint: Paint) -> Self {
        Screen { paint, size: None }
    }
}
