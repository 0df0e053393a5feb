//! Division of the work of decoding.

/// Pages that are decoded together. Sectors that are decoded separately have separate positions, so
/// a variant with such a division may order them freely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Division {
    /// All pages: they are copied, then decoded, then the output is copied back.
    Whole,
    /// The pages of this number of sectors, while those of others are copied.
    Sectors(usize),
}

/// Method of writing maps of charges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Maps {
    /// One by one, into cleared maps.
    Filled,
    /// In complete tiles, from charges that are listed parallel to their positions.
    Tiled,
}

/// Index of the blocks of pages, written by the validation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Index {
    /// The decoder walks through a page from its start.
    Unused,
    /// The decoder starts at any block.
    Written,
}
