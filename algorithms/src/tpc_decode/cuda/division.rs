//! What is decoded together, and how.

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

/// Whether validation writes down where the blocks of pages are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Index {
    /// The decoder goes through a page from its beginning.
    Unused,
    /// The decoder begins anywhere.
    Written,
}
