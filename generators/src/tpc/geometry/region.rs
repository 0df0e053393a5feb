//! Regions: rows, pads and cards that one CRU reads.

use std::ops::Range;

use super::{Endpoint, FECS_IN_SECTOR, FIRST_PAD, HALVES, REGIONS, ROWS};

/// First row of each region, then the end of the last one.
const FIRST_ROW: [usize; REGIONS + 1] = [0, 17, 32, 48, 63, 81, 97, 113, 127, 140, ROWS];
/// First card of each partition, then the end of the last one.
const FIRST_FEC: [usize; REGIONS / 2 + 1] = [0, 15, 33, 51, 71, FECS_IN_SECTOR];

/// A region of a sector, 0 to 9 from the beam outwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Region(u8);

impl Region {
    /// The region with this number, if it is below 10.
    #[inline]
    pub const fn new(number: usize) -> Option<Self> {
        if number < REGIONS { Some(Region(number as u8)) } else { None }
    }

    /// The region with this number, which must be below 10.
    pub(super) const fn from_number(number: u8) -> Self {
        Region(number)
    }

    /// All regions, from the beam outwards.
    pub fn all() -> impl Iterator<Item = Region> {
        (0..REGIONS as u8).map(Region)
    }

    /// The region that a row belongs to, if it is below 152.
    pub fn for_row(row: usize) -> Option<Self> {
        let region = Region::all().find(|region| region.rows().contains(&row));
        region.filter(|_| row < ROWS)
    }

    /// The number.
    #[inline]
    pub const fn number(self) -> usize {
        self.0 as usize
    }

    /// The rows, as numbers in the sector.
    #[inline]
    pub const fn rows(self) -> Range<usize> {
        FIRST_ROW[self.number()]..FIRST_ROW[self.number() + 1]
    }

    /// The front-end cards, as numbers in the sector: those of the partition.
    #[inline]
    pub const fn fecs(self) -> Range<usize> {
        let partition = self.number() / 2;
        FIRST_FEC[partition]..FIRST_FEC[partition + 1]
    }

    /// The pads, as numbers in the sector.
    #[inline]
    pub const fn pads(self) -> Range<usize> {
        let rows = self.rows();
        FIRST_PAD[rows.start]..FIRST_PAD[rows.end]
    }

    /// The region's two endpoints.
    pub fn endpoints(self) -> [Endpoint; HALVES] {
        [0, 1].map(|half| Endpoint::new_half(self, half))
    }
}
