//! Sectors, rows, regions and endpoints of the TPC's read-out.
//!
//! A sector has 152 pad rows in ten regions. A region is read by one common
//! read-out unit (CRU) with two endpoints, each of which sends a stream of
//! pages. Two neighbouring regions, a partition, share their front-end cards
//! (FECs): 80 of a card's 160 channels belong to either.

use std::ops::Range;

/// Sectors: 18 on the A side, then 18 on the C side.
pub const SECTORS: usize = 36;
/// Pad rows in a sector.
pub const ROWS: usize = 152;
/// Regions in a sector, each with a CRU.
pub const REGIONS: usize = 10;
/// Endpoints in a region.
pub const HALVES: usize = 2;
/// Endpoints, and so streams of pages, in a sector.
pub const ENDPOINTS: usize = REGIONS * HALVES;
/// CRUs in the whole detector.
pub const CRUS: usize = SECTORS * REGIONS;
/// Pads in a sector.
pub const PADS_IN_SECTOR: usize = 14_560;
/// Front-end cards in a sector.
pub const FECS_IN_SECTOR: usize = 91;
/// Channels of a front-end card that one region reads: a link.
pub const CHANNELS_IN_LINK: usize = 80;
/// Pads in the longest row.
pub const MAX_PADS_IN_ROW: usize = 138;
/// Rows in the longest half of a region.
pub const MAX_ROWS_IN_HALF: usize = 9;
/// Front-end cards of the largest partition.
pub const MAX_FECS: usize = 20;

const PADS_IN_ROW: [u8; ROWS] = [
    // Inner chamber: regions 0 to 3.
    66, 66, 66, 68, 68, 68, 70, 70, 70, 72, 72, 72, 74, 74, 74, 74, 76, //
    76, 76, 76, 78, 78, 78, 80, 80, 80, 82, 82, 82, 84, 84, 84, //
    86, 86, 86, 88, 88, 88, 90, 90, 90, 90, 92, 92, 92, 94, 94, 94, //
    92, 92, 92, 94, 94, 94, 96, 96, 96, 98, 98, 98, 100, 100, 100, //
    // Outer chamber: regions 4 to 9.
    76, 76, 76, 76, 78, 78, 78, 80, 80, 80, 80, 82, 82, 82, 84, 84, 84, 84, //
    86, 86, 86, 88, 88, 88, 90, 90, 90, 90, 92, 92, 92, 94, 94, 94, //
    94, 96, 96, 96, 98, 98, 98, 100, 100, 102, 102, 102, 104, 104, 104, 106, //
    110, 110, 112, 112, 112, 114, 114, 114, 116, 116, 116, 118, 118, 118, //
    118, 118, 120, 120, 122, 122, 124, 124, 124, 126, 126, 128, 128, //
    128, 130, 130, 132, 132, 132, 134, 134, 136, 136, 138, 138,
];

/// Index of the first pad of each row, then the number of all pads.
const FIRST_PAD: [usize; ROWS + 1] = first_pads();

const fn first_pads() -> [usize; ROWS + 1] {
    let mut first = [0; ROWS + 1];
    let mut row = 0;
    while row < ROWS {
        first[row + 1] = first[row] + PADS_IN_ROW[row] as usize;
        row += 1;
    }
    first
}

/// Number of pads in a row.
///
/// # Panics
/// If the row is out of range.
#[inline]
pub const fn pads_in_row(row: usize) -> usize {
    PADS_IN_ROW[row] as usize
}

/// The number in the sector of a row's first pad; for row 152, of all pads.
///
/// # Panics
/// If the row is above 152.
#[inline]
pub const fn first_pad_of_row(row: usize) -> usize {
    FIRST_PAD[row]
}

/// An endpoint of a sector, 0 to 19: a half of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Endpoint(u8);

impl Endpoint {
    /// The endpoint with this number, if it is below 20.
    #[inline]
    pub const fn new(number: usize) -> Option<Self> {
        if number < ENDPOINTS { Some(Endpoint(number as u8)) } else { None }
    }

    /// A half (0 or 1) of a region.
    const fn new_half(region: Region, half: u8) -> Self {
        Endpoint(region.number() as u8 * HALVES as u8 + half)
    }

    /// All endpoints of a sector.
    pub fn all() -> impl Iterator<Item = Endpoint> {
        (0..ENDPOINTS as u8).map(Endpoint)
    }

    /// The number.
    #[inline]
    pub const fn number(self) -> usize {
        self.0 as usize
    }

    /// The region.
    #[inline]
    pub const fn region(self) -> Region {
        Region::from_number(self.0 / HALVES as u8)
    }

    /// 0 or 1.
    #[inline]
    pub const fn half(self) -> usize {
        self.0 as usize % HALVES
    }

    /// The half in the row formats: its rows, numbered in the sector. An odd row belongs to half 1.
    #[inline]
    pub const fn rows(self) -> Range<usize> {
        let rows = self.region().rows();
        let middle = rows.start + (rows.end - rows.start) / 2;
        match self.half() {
            0 => rows.start..middle,
            _ => middle..rows.end,
        }
    }

    /// The half in the link formats: its front-end cards, numbered in the partition. An odd card
    /// belongs to half 0.
    #[inline]
    pub const fn fecs(self) -> Range<usize> {
        let fecs = self.region().fecs();
        let count = fecs.end - fecs.start;
        let middle = count.div_ceil(2);
        match self.half() {
            0 => 0..middle,
            _ => middle..count,
        }
    }
}

/// A common read-out unit: a region of a sector, 0 to 359.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cru(u16);

impl Cru {
    /// The unit with this number, if it is below 360.
    #[inline]
    pub const fn new(number: usize) -> Option<Self> {
        if number < CRUS { Some(Cru(number as u16)) } else { None }
    }

    /// The unit of a region, if the sector is below 36.
    #[inline]
    pub const fn for_region(sector: usize, region: Region) -> Option<Self> {
        if sector < SECTORS { Some(Cru((sector * REGIONS + region.number()) as u16)) } else { None }
    }

    /// The number.
    #[inline]
    pub const fn number(self) -> u16 {
        self.0
    }

    /// The sector.
    #[inline]
    pub const fn sector(self) -> usize {
        self.0 as usize / REGIONS
    }

    /// The region.
    #[inline]
    pub const fn region(self) -> Region {
        Region::from_number((self.0 as usize % REGIONS) as u8)
    }
}

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
    const fn from_number(number: u8) -> Self {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn region(number: usize) -> Region {
        Region::new(number).expect("below 10")
    }

    #[test]
    fn rows_and_pads_add_up() {
        assert_eq!(first_pad_of_row(ROWS), PADS_IN_SECTOR);
        assert_eq!(PADS_IN_ROW.iter().max(), Some(&(MAX_PADS_IN_ROW as u8)));
        let rows: usize = Region::all().map(|region| region.rows().len()).sum();
        assert_eq!(rows, ROWS);
        for row in 0..ROWS {
            let region = Region::for_row(row).expect("below 152");
            assert!(region.rows().contains(&row));
        }
        assert_eq!(Region::for_row(ROWS), None);
    }

    #[test]
    fn each_pad_of_a_region_has_a_channel() {
        for region in Region::all() {
            let channels = region.fecs().len() * CHANNELS_IN_LINK;
            assert_eq!(region.pads().len(), channels, "{region:?}");
        }
    }

    #[test]
    fn halves_share_rows_and_cards() {
        let [first, second] = region(1).endpoints();
        assert_eq!((first.rows(), second.rows()), (17..24, 24..32));
        assert_eq!((first.fecs(), second.fecs()), (0..8, 8..15));
        for endpoint in Endpoint::all() {
            assert!(endpoint.rows().len() <= MAX_ROWS_IN_HALF);
            assert!(endpoint.fecs().end <= MAX_FECS);
        }
    }

    #[test]
    fn units_have_consistent_indices() {
        let cru = Cru::for_region(35, region(5)).expect("a sector");
        assert_eq!((cru.number(), cru.sector()), (355, 35));
        assert_eq!(cru.region(), region(5));
        assert_eq!(Cru::new(CRUS), None);
        assert_eq!(Cru::for_region(SECTORS, region(0)), None);
        assert_eq!(Endpoint::new(ENDPOINTS), None);
    }
}
