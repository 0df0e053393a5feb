//! The regions of sectors, with the pages of each.
//!
//! Both endpoints of a region read pads of the same rows, in some formats even of the same tiles.
//! So the task that makes these tiles has the pages of both.

use std::ops::Range;

use generators::tpc::geometry::Region;

use crate::tpc_decode::input::TimeFrame;

/// A region of a sector.
pub(super) struct RegionPages {
    pub(super) region: Region,
    pub(super) sector: u8,
    /// The number of the sector's map.
    pub(super) map: usize,
    /// The pages of each stream, as numbers among all pages.
    pub(super) streams: Vec<Range<usize>>,
}

/// All regions of the sectors that have pages, those without pages too: they have tiles.
pub(super) fn with_pages(frame: &TimeFrame) -> Vec<RegionPages> {
    let sectors = frame.sectors();
    let indices = frame.sector_numbers();
    let mut regions: Vec<RegionPages> = (0..sectors.len())
        .flat_map(|map| {
            let sector = indices[map];
            Region::all().map(move |region| RegionPages {
                region,
                sector,
                map,
                streams: Vec::new(),
            })
        })
        .collect();
    for stream in frame.pages.streams().filter(|stream| !stream.pages.is_empty()) {
        let map = sectors.partition_point(|pages| pages.end <= stream.first_page);
        let region = stream.id.endpoint.region().number();
        let pages = stream.first_page..stream.first_page + stream.pages.len();
        regions[map * Region::all().count() + region].streams.push(pages);
    }
    regions
}
