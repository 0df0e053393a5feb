//! Input of decoding, its settings, and the pads of links.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use generators_common::named;
use generators_tpc::geometry::{CHANNELS_IN_LINK, MAX_FECS, REGIONS, Region};
use generators_tpc::io::PageRemarks;
use generators_tpc::pages::RawPages;
use generators_tpc::{Endpoint, PadId, PadMapping, ZsFormat};

use super::charge_map::{Gains, MapShape, scale_of};
use super::damage::{Damage, DamagedPage};
use super::fragments::{Fragments, time_bins_of};
use super::header::{FrameBounds, OpenPage, open_in_stream};

/// A time frame of pages with all data that is needed to decode it.
#[derive(Clone)]
pub struct TimeFrame {
    pub(super) pages: Arc<RawPages>,
    pub(super) bounds: FrameBounds,
    pub(super) tables: Arc<Tables>,
    pub(super) settings: Settings,
    /// The stream index of each page.
    streams: Vec<u32>,
    remarks: PageRemarks,
}

/// Tables that are the same for all time frames.
pub struct Tables {
    pub(super) mapping: PadMapping,
    pub(super) links: LinkPads,
    pub(super) gains: Gains,
}

/// Output of the decoding, and the distribution of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Output of the decoding.
    pub output: Output,
    /// Distribution of the work.
    pub sharing: WorkDistribution,
    /// Time bins of a fragment, for charge maps.
    pub fragment: u32,
}

/// Output of the decoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// A list of digits.
    Digits,
    /// The input of the cluster finder: a map of charges and a list of positions.
    ChargeMap,
}

/// Distribution of the work among threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkDistribution {
    /// A sector is the work of one thread, or of several if there are more threads than sectors in
    /// the TPC.
    Sectors,
    /// Pages are one pool, regardless of their sector.
    Pages,
}

named! { "output", Output { Digits = "digits", ChargeMap = "charge-map" } }

named! { "distribution of work", WorkDistribution { Sectors = "sectors", Pages = "pages" } }

impl Tables {
    /// Tables for a mapping.
    pub fn new(mapping: PadMapping, gains: Gains) -> Self {
        Tables { links: LinkPads::new(&mapping), mapping, gains }
    }
}

impl Tables {
    /// Pads of the channels.
    pub(crate) fn mapping(&self) -> &PadMapping {
        &self.mapping
    }
}

impl TimeFrame {
    /// A time frame of pages of a format. Pages of other formats are damaged, as are those of
    /// orbits outside of the first `orbits`.
    pub fn new(
        pages: impl Into<Arc<RawPages>>,
        format: ZsFormat,
        orbits: u32,
        tables: Arc<Tables>,
        settings: Settings,
    ) -> Self {
        let pages = pages.into();
        let numbered = pages.streams().zip(0_u32..);
        let streams = numbered
            .flat_map(|(stream, number)| std::iter::repeat_n(number, stream.pages.len()))
            .collect();
        let bounds = FrameBounds {
            format,
            first_orbit: pages.first_orbit(),
            orbits: orbits.min(FrameBounds::MAX_ORBITS),
        };
        TimeFrame { pages, bounds, tables, settings, streams, remarks: PageRemarks::default() }
    }

    /// This time frame with remarks about its file.
    pub(super) fn with_remarks(self, remarks: PageRemarks) -> Self {
        TimeFrame { remarks, ..self }
    }

    /// Remarks about the file that it was read from.
    pub fn remarks(&self) -> &PageRemarks {
        &self.remarks
    }

    /// The pages.
    pub fn pages(&self) -> &RawPages {
        &self.pages
    }

    /// The format of the pages.
    pub fn format(&self) -> ZsFormat {
        self.bounds.format
    }

    /// This time frame in fragments of `length` time bins.
    pub(crate) fn in_fragments(mut self, length: u32) -> Self {
        self.settings.fragment = length;
        self
    }

    /// Number of orbits of valid pages.
    pub(crate) fn orbits(&self) -> u32 {
        self.bounds.orbits
    }

    /// Output of the decoding.
    pub(crate) fn output(&self) -> Output {
        self.settings.output
    }

    /// Gains of all pads.
    pub(crate) fn gains(&self) -> &Gains {
        &self.tables.gains
    }

    /// Tables that are the same for all time frames.
    pub(crate) fn tables(&self) -> &Tables {
        &self.tables
    }

    /// All pages, one after the other.
    pub(crate) fn page_bytes(&self) -> &[u8] {
        self.pages.bytes()
    }

    /// The charge, in a map's sixteenths, of one ADC value.
    pub(crate) fn charge_of_adc(&self) -> f32 {
        scale_of(self.format())
    }

    /// This time frame with other pages.
    pub(super) fn with_pages(&self, pages: RawPages) -> Self {
        let FrameBounds { format, orbits, .. } = self.bounds;
        let tables = Arc::clone(&self.tables);
        TimeFrame::new(pages, format, orbits, tables, self.settings)
    }

    /// Reads the headers of a page, by its index among all pages.
    pub(super) fn open(&self, page: usize) -> Result<Option<OpenPage>, Damage> {
        let stream = self.pages.stream(self.streams[page] as usize);
        let number = page - stream.first_page;
        open_in_stream(stream.pages, number, stream.id, &self.bounds)
    }

    /// A page that was rejected.
    pub(super) fn damaged(&self, page: usize, damage: Damage) -> DamagedPage {
        let id = self.pages.stream(self.streams[page] as usize).id;
        DamagedPage { page, sector: id.sector, endpoint: id.endpoint.number() as u8, damage }
    }

    /// The fragments that any of these pages touches, in order of time.
    pub(super) fn fragments<'a>(&self, pages: impl Iterator<Item = &'a OpenPage>) -> BTreeSet<u32> {
        Fragments::new(self.settings.fragment).touched(pages)
    }

    /// Shape of the maps of sectors with these pages: the largest number of time bins of any
    /// fragment.
    pub(super) fn map_shape<'a>(&self, pages: impl Iterator<Item = &'a OpenPage>) -> MapShape {
        let end = pages.map(|page| time_bins_of(page).end).max();
        MapShape { time_bins: end.unwrap_or(0).min(self.settings.fragment) }
    }

    /// The ids of the sectors that have pages, in the order of the pages.
    pub fn sector_numbers(&self) -> Vec<u8> {
        let first_pages = self.sectors().into_iter().map(|pages| pages.start);
        let streams = first_pages.map(|page| self.pages.stream(self.streams[page] as usize));
        streams.map(|stream| stream.id.sector).collect()
    }

    /// The pages of each sector.
    pub(crate) fn sectors(&self) -> Vec<Range<usize>> {
        let mut sectors: Vec<(u8, Range<usize>)> = Vec::new();
        for stream in self.pages.streams() {
            let end = stream.first_page + stream.pages.len();
            match sectors.last_mut() {
                Some((sector, pages)) if *sector == stream.id.sector => pages.end = end,
                _ if stream.pages.is_empty() => {}
                _ => sectors.push((stream.id.sector, stream.first_page..end)),
            }
        }
        sectors.into_iter().map(|(_, pages)| pages).collect()
    }
}

/// The format of most pages, according to their headers; `None` if no header has one.
pub fn format_of(pages: &RawPages) -> Option<ZsFormat> {
    let bounds = |format| FrameBounds {
        format,
        first_orbit: pages.first_orbit(),
        orbits: FrameBounds::MAX_ORBITS,
    };
    let sound = |format: &ZsFormat| {
        let bounds = bounds(*format);
        let of_stream = |stream: generators_tpc::pages::StreamPages<'_>| {
            let pages = stream.pages.iter();
            let opened =
                pages.filter_map(|page| super::header::open(page, stream.id, &bounds).ok());
            opened.flatten().count()
        };
        pages.streams().map(of_stream).sum::<usize>()
    };
    let counts = ZsFormat::ALL.map(|format| (sound(&format), format));
    let most = counts.into_iter().rev().max_by_key(|(count, _)| *count);
    most.filter(|(count, _)| *count > 0).map(|(_, format)| format)
}

/// Entries for the pads of a front-end card by raw channel, with padding so that whole vectors can
/// be read.
pub(super) const LINK_STRIDE: usize = 96;

/// The pads of all links.
pub struct LinkPads {
    /// For each region and each card that a partition can have.
    pads: Vec<[PadId; LINK_STRIDE]>,
}

impl LinkPads {
    /// The pads of a mapping.
    pub fn new(mapping: &PadMapping) -> Self {
        let mut pads = vec![[PadId::default(); LINK_STRIDE]; REGIONS * MAX_FECS];
        for region in Region::all() {
            let links = mapping.pads(region).chunks(CHANNELS_IN_LINK);
            for (link, of_link) in pads[region.number() * MAX_FECS..].iter_mut().zip(links) {
                link[..CHANNELS_IN_LINK].copy_from_slice(of_link);
            }
        }
        LinkPads { pads }
    }

    /// The pads of the links of an endpoint's region, by card in the partition.
    pub(super) fn of_endpoint(&self, endpoint: Endpoint) -> &[[PadId; LINK_STRIDE]; MAX_FECS] {
        let first = endpoint.region().number() * MAX_FECS;
        match self.pads[first..].first_chunk() {
            Some(links) => links,
            None => unreachable!("there are links for each region"),
        }
    }
}
