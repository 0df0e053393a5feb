//! Senders of pages: endpoints and CRUs.

use std::ops::Range;

use super::{CRUS, ENDPOINTS, HALVES, REGIONS, Region, SECTORS};

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
    pub(super) const fn new_half(region: Region, half: u8) -> Self {
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
