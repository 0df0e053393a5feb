//! Output device of tables for people.

use crate::paint::Paint;

/// Output device of tables for people.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Screen {
    /// Use of colours.
    pub paint: Paint,
    /// The size of a terminal; files and pipes have none and no limits.
    pub size: Option<Size>,
}

impl Screen {
    /// The screen without colours.
    #[must_use]
    pub fn plain(self) -> Self {
        Screen { paint: Paint::Plain, ..self }
    }
}

/// The size of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Characters per line.
    pub columns: usize,
    /// Lines.
    pub rows: usize,
}

impl From<Paint> for Screen {
    fn from(paint: Paint) -> Self {
        Screen { paint, size: None }
    }
}
