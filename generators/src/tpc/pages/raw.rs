//! Pages by stream.

use std::ops::Range;

use crate::partition::Partition;
use crate::tpc::geometry::Endpoint;
use crate::tpc::page::Page;
use crate::tpc::page::rdh::orbit_of;

/// Sender of a stream of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamId {
    /// The sector, 0 to 35.
    pub sector: u8,
    /// The endpoint in the sector.
    pub endpoint: Endpoint,
}

/// The pages of a time frame in one array, stream after stream, each in order of time. The content
/// of pages is not validated here: readers do that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawPages {
    first_orbit: u32,
    pages: Vec<Page>,
    streams: Vec<StreamId>,
    partition: Partition,
}

impl RawPages {
    /// Builds raw data from pages in the order of their streams, with the number of pages of each.
    ///
    /// # Panics
    /// If the streams together have another number of pages.
    pub fn new(first_orbit: u32, pages: Vec<Page>, streams: &[(StreamId, usize)]) -> Self {
        let partition = Partition::from_lengths(streams.iter().map(|(_, pages)| *pages));
        assert_eq!(pages.len(), partition.elements(), "pages outside streams");
        RawPages {
            first_orbit,
            pages,
            streams: streams.iter().map(|(id, _)| *id).collect(),
            partition,
        }
    }

    /// The pages of some sectors, one after the other.
    pub fn from_sectors(
        first_orbit: u32,
        sectors: impl IntoIterator<Item = super::SectorPages>,
    ) -> Self {
        let mut pages = Vec::new();
        let mut streams = Vec::new();
        for sector in sectors {
            streams.extend(sector.stream_lengths());
            pages.extend(sector.into_pages());
        }
        RawPages::new(first_orbit, pages, &streams)
    }

    /// Orbit of the start of the time frame: time bin 0.
    pub fn first_orbit(&self) -> u32 {
        self.first_orbit
    }

    /// All pages.
    pub fn pages(&self) -> &[Page] {
        &self.pages
    }

    /// All pages, for changes such as deliberate damage.
    pub fn pages_mut(&mut self) -> &mut [Page] {
        &mut self.pages
    }

    /// All bytes: those of a `.pages` file.
    pub fn bytes(&self) -> &[u8] {
        self.pages.as_flattened()
    }

    /// Each stream's sender and pages.
    pub fn streams(&self) -> impl ExactSizeIterator<Item = StreamPages<'_>> {
        (0..self.streams.len()).map(|index| self.stream(index))
    }

    /// The stream with this index.
    ///
    /// # Panics
    /// If the index is out of range.
    pub fn stream(&self, index: usize) -> StreamPages<'_> {
        let range = self.partition.range(index);
        StreamPages { id: self.streams[index], first_page: range.start, pages: &self.pages[range] }
    }

    /// Indices of a sector's streams, if they are contiguous.
    pub fn streams_of_sector(&self, sector: u8) -> Range<usize> {
        let of_sector = |id: &StreamId| id.sector == sector;
        let Some(start) = self.streams.iter().position(of_sector) else {
            return 0..0;
        };
        let count = self.streams[start..].iter().take_while(|id| of_sector(id));
        start..start + count.count()
    }
}

/// The pages of one stream.
#[derive(Clone, Copy, Debug)]
pub struct StreamPages<'a> {
    /// The sender.
    pub id: StreamId,
    /// Index of the first page among all pages.
    pub first_page: usize,
    /// The pages.
    pub pages: &'a [Page],
}

impl<'a> StreamPages<'a> {
    /// The pages of each heartbeat frame: those that follow each other with the
    /// same orbit.
    pub fn frames(&self) -> impl Iterator<Item = FramePages<'a>> + use<'a> {
        let mut first_page = self.first_page;
        self.pages.chunk_by(|a, b| orbit_of(a) == orbit_of(b)).map(move |pages| {
            let frame = FramePages { orbit: orbit_of(&pages[0]), first_page, pages };
            first_page += pages.len();
            frame
        })
    }
}

/// The pages of one heartbeat frame of a stream.
#[derive(Clone, Copy, Debug)]
pub struct FramePages<'a> {
    /// The orbit that the pages state.
    pub orbit: u32,
    /// Index of the first page among all pages.
    pub first_page: usize,
    /// The pages.
    pub pages: &'a [Page],
}
