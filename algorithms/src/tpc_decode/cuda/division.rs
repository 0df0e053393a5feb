//! What is decoded together, and how.

use generators::tpc::Layout;

/// What is decoded together. Sectors that are decoded apart have their positions apart, so a
/// variant that does so may order them as it likes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Division {
    /// All pages: they are copied, then decoded, then what comes out is copied back.
    Whole,
    /// Those of so many sectors, while those of others are copied.
    Sectors(usize),
}

/// How charges get into maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Maps {
    /// One by one, into maps that were cleared.
    Filled,
    /// By whole tiles, of charges that are listed beside their positions.
    Tiled,
}

/// What is judged of pages before they are decoded, and whether it is written down where their
/// blocks are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Validation {
    /// All of them; the decoder goes through a page from its beginning.
    Whole,
    /// All of them; the decoder begins at any block.
    Indexed,
    /// Their headers; the decoder judges what is behind them.
    Headers,
}

/// The same for pages of all layouts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Validations {
    pub(super) rows: Validation,
    pub(super) links: Validation,
}

impl Validations {
    pub(super) fn of(self, layout: Layout) -> Validation {
        match layout {
            Layout::Row => self.rows,
            Layout::Link | Layout::DenseLink => self.links,
        }
    }
}
