//! Pages of a time frame, as they are sent, stored and decoded, and their assembly from those of
//! heartbeat frames: pages without data, counters.

use std::ops::Range;

use generators_common::Array;
use generators_common::partition::Partition;

use super::ZsFormat;
use super::geometry::{Cru, ENDPOINTS, Endpoint};
use super::page::rdh::{RDH_BYTES, TPC_SOURCE_ID, link_id, orbit_of, set_counters};
use super::page::{FeeId, PAGE_BYTES, Page, Rdh};

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
    pages: Array<Page>,
    streams: Vec<StreamId>,
    partition: Partition,
}

impl RawPages {
    /// Builds raw data from pages in the order of their streams, with the number of pages of each.
    ///
    /// # Panics
    /// If the streams together have another number of pages.
    pub fn new(first_orbit: u32, pages: Vec<Page>, streams: &[(StreamId, usize)]) -> Self {
        RawPages::from_shared(first_orbit, pages.into(), streams)
    }

    /// Builds raw data from pages that may be in memory which processes share.
    ///
    /// # Panics
    /// If the streams together have another number of pages.
    pub fn from_shared(
        first_orbit: u32,
        pages: Array<Page>,
        streams: &[(StreamId, usize)],
    ) -> Self {
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
    pub fn from_sectors(first_orbit: u32, sectors: impl IntoIterator<Item = SectorPages>) -> Self {
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
        self.pages.to_mut()
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

/// Header-only pages of a stream in addition to those with data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// As in the experiment's simulation: a page with nothing but a header represents a stream
    /// without data, and the start of the time frame where data arrive in a later heartbeat frame
    /// only. Counters continue from one endpoint to the next.
    Simulated,
    /// As recorded: each heartbeat frame of each endpoint starts and ends with a header-only page,
    /// the latter with the stop bit. Each stream has its own counters.
    Recorded,
}

/// The pages of a sector's heartbeat frames, before anything is known of the order
/// in which they are sent.
#[derive(Clone, Debug)]
pub struct SectorFrames {
    /// The format.
    pub format: ZsFormat,
    /// The sector.
    pub sector: usize,
    /// The orbit of the first heartbeat frame.
    pub first_orbit: u32,
    /// For each heartbeat frame, and in it for each endpoint, pages with data.
    pub frames: Vec<Vec<Vec<Page>>>,
}

impl SectorFrames {
    /// Puts the streams together.
    pub fn assemble(self, framing: Framing) -> SectorPages {
        match framing {
            Framing::Simulated => self.simulated(),
            Framing::Recorded => self.recorded(),
        }
    }

    fn simulated(mut self) -> SectorPages {
        // Each stream may have a page more.
        let mut sector = SectorPages::new(self.sector, self.pages() + ENDPOINTS);
        let mut counters = Counters::default();
        let mut idle = Vec::new();
        for endpoint in Endpoint::all() {
            let start = sector.pages.len();
            match self.first_frame_with_data(endpoint) {
                None => {
                    idle.push(start);
                    sector.pages.push(self.lone_rdh(endpoint, 0, |_| ()));
                }
                Some(frame) => {
                    if frame > 0 || self.is_late_orbit() {
                        let page = self.lone_rdh(endpoint, 0, |_| ());
                        sector.push(page, counters.next_in(frame));
                    }
                    self.push_data(endpoint, &mut sector, &mut counters);
                }
            }
            sector.end_stream(start);
        }
        // Streams without data are closed when all others are.
        for page in idle {
            sector.number(page, counters.next());
        }
        sector
    }

    fn recorded(mut self) -> SectorPages {
        let framing = 2 * self.frames.len() * ENDPOINTS;
        let mut sector = SectorPages::new(self.sector, self.pages() + framing);
        for endpoint in Endpoint::all() {
            let start = sector.pages.len();
            let mut counters = Counters::default();
            for frame in 0..self.frames.len() {
                let opening = self.lone_rdh(endpoint, frame, as_recorded);
                let closing = self.lone_rdh(endpoint, frame, |rdh| {
                    as_recorded(rdh);
                    rdh.stop_bit = 1;
                });
                sector.push(opening, counters.next_in(frame));
                for mut page in self.take(endpoint, frame) {
                    rewrite(&mut page, as_recorded);
                    sector.push(page, counters.next_in(frame));
                }
                sector.push(closing, counters.next_in(frame));
            }
            sector.end_stream(start);
        }
        sector
    }

    fn push_data(&mut self, endpoint: Endpoint, sector: &mut SectorPages, counters: &mut Counters) {
        for frame in 0..self.frames.len() {
            let first = sector.pages.len();
            sector.pages.append(&mut self.take(endpoint, frame));
            for page in first..sector.pages.len() {
                sector.number(page, counters.next_in(frame));
            }
        }
    }

    /// Number of pages with data.
    fn pages(&self) -> usize {
        self.frames.iter().flatten().map(Vec::len).sum()
    }

    /// Moves the pages out, so that their memory is freed with them.
    fn take(&mut self, endpoint: Endpoint, frame: usize) -> Vec<Page> {
        std::mem::take(&mut self.frames[frame][endpoint.number()])
    }

    fn first_frame_with_data(&self, endpoint: Endpoint) -> Option<usize> {
        let has_data = |pages: &Vec<Vec<Page>>| !pages[endpoint.number()].is_empty();
        self.frames.iter().position(has_data)
    }

    /// True for orbits from which on the experiment's encoder takes the first heartbeat frame for a
    /// later one, because it compares orbits as signed numbers of different width.
    fn is_late_orbit(&self) -> bool {
        i32::try_from(self.first_orbit).is_err()
    }

    /// A page with nothing but a header.
    fn lone_rdh(&self, endpoint: Endpoint, frame: usize, change: impl Fn(&mut Rdh)) -> Page {
        let cru = Cru::for_region(self.sector, endpoint.region());
        let link = link_id(self.format);
        let mut rdh = Rdh {
            fee_id: cru.map_or(FeeId::default(), |cru| FeeId::new(cru, endpoint.half(), link)),
            link_id: link,
            orbit: self.first_orbit.wrapping_add(frame as u32),
            ..Rdh::default()
        };
        change(&mut rdh);
        let mut page = [0; PAGE_BYTES];
        page[..RDH_BYTES].copy_from_slice(&rdh.to_bytes());
        page
    }
}

/// Fields that recorded pages have and simulated ones leave out.
fn as_recorded(rdh: &mut Rdh) {
    rdh.source_id = TPC_SOURCE_ID;
    rdh.offset_to_next = PAGE_BYTES as u16;
    rdh.cru = rdh.fee_id.cru();
    rdh.endpoint = rdh.fee_id.half() as u8;
}

fn rewrite(page: &mut Page, change: impl Fn(&mut Rdh)) {
    let mut bytes = [0; RDH_BYTES];
    bytes.copy_from_slice(&page[..RDH_BYTES]);
    let mut rdh = Rdh::from_bytes(&bytes);
    change(&mut rdh);
    page[..RDH_BYTES].copy_from_slice(&rdh.to_bytes());
}

struct PageCounters {
    packet: u8,
    in_frame: u16,
}

/// The counters of the next page.
#[derive(Default)]
struct Counters {
    packet: u8,
    page: u16,
    frame: Option<usize>,
}

impl Counters {
    /// Counters of the next page of a heartbeat frame; a new frame starts at 0.
    fn next_in(&mut self, frame: usize) -> PageCounters {
        if self.frame != Some(frame) {
            self.frame = Some(frame);
            self.page = 0;
        }
        self.next()
    }

    fn next(&mut self) -> PageCounters {
        let counters = PageCounters { packet: self.packet, in_frame: self.page };
        self.packet = self.packet.wrapping_add(1);
        self.page = self.page.wrapping_add(1);
        counters
    }
}

/// The streams of a sector, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectorPages {
    sector: usize,
    pages: Vec<Page>,
    lengths: Vec<usize>,
}

impl SectorPages {
    /// Creates an empty sector with capacity for `pages` pages.
    fn new(sector: usize, pages: usize) -> Self {
        SectorPages { sector, pages: Vec::with_capacity(pages), lengths: Vec::new() }
    }

    fn push(&mut self, page: Page, counters: PageCounters) {
        self.pages.push(page);
        self.number(self.pages.len() - 1, counters);
    }

    fn number(&mut self, page: usize, counters: PageCounters) {
        set_counters(&mut self.pages[page], counters.packet, counters.in_frame);
    }

    fn end_stream(&mut self, start: usize) {
        self.lengths.push(self.pages.len() - start);
    }

    /// All pages, endpoint after endpoint.
    pub fn pages(&self) -> &[Page] {
        &self.pages
    }

    /// All pages, endpoint after endpoint.
    pub fn into_pages(self) -> Vec<Page> {
        self.pages
    }

    /// Each stream with the number of its pages.
    pub fn stream_lengths(&self) -> impl Iterator<Item = (StreamId, usize)> {
        let sector = self.sector as u8;
        Endpoint::all()
            .map(move |endpoint| StreamId { sector, endpoint })
            .zip(self.lengths.iter().copied())
    }
}
