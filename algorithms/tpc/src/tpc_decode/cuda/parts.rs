//! Pages that are decoded together, and the sizes that their headers announce: for buffers and for
//! the number of blocks of a launch. The host reads the headers in each run, like the published
//! decoder's host; the device validates them independently.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use generators_tpc::page::PAGE_BYTES;
use parallel::{Grain, collect};

use super::division::Division;
use crate::tpc_decode::charge_map::{MapShape, TILE};
use crate::tpc_decode::fragments::{Fragments, time_bins_of};
use crate::tpc_decode::header::OpenPage;
use crate::tpc_decode::input::{Output, TimeFrame};

/// Pages that are decoded together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// Range of its pages among all pages.
    pub(crate) pages: Range<usize>,
    /// Range of its sectors among those of all pages.
    pub(crate) sectors: Range<usize>,
    /// Sizes that the headers announce.
    pub(crate) load: Load,
    /// Fragments in order of time, those without pages of this part included; for digits, a single
    /// one with all time bins.
    pub(crate) fragments: Vec<PromisedFragment>,
    /// Shape of the maps of its sectors.
    pub(super) shape: MapShape,
}

/// Time bins that are decoded at once, and the pages that touch them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PromisedFragment {
    /// Its time bins, from the start of the time frame.
    pub(crate) time_bins: Range<u32>,
    /// Sizes of its pages.
    pub(crate) load: Load,
    /// Maximum number of samples of a sector.
    pub(crate) max_of_sector: u64,
}

/// Sizes that headers of some pages announce.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Load {
    /// Pages with samples.
    pub(crate) pages: usize,
    /// The used bytes of all pages.
    pub(super) bytes: u64,
    /// Their samples.
    pub(crate) samples: u64,
}

impl Load {
    fn add(&mut self, page: &OpenPage) {
        self.pages += usize::from(page.samples > 0);
        self.bytes += u64::from(page.used);
        self.samples += u64::from(page.samples);
    }
}

impl<'a> FromIterator<&'a OpenPage> for Load {
    fn from_iter<I: IntoIterator<Item = &'a OpenPage>>(pages: I) -> Self {
        let mut load = Load::default();
        pages.into_iter().for_each(|page| load.add(page));
        load
    }
}

impl PromisedFragment {
    fn without_pages(time_bins: Range<u32>) -> Self {
        PromisedFragment { time_bins, load: Load::default(), max_of_sector: 0 }
    }

    fn add_sector(&mut self, own: Load) {
        self.load.pages += own.pages;
        self.load.bytes += own.bytes;
        self.load.samples += own.samples;
        self.max_of_sector = self.max_of_sector.max(own.samples);
    }
}

impl Part {
    /// Entries of the map of a sector.
    pub(crate) fn entries(&self) -> usize {
        self.shape.tiles() * TILE
    }

    /// Number of time bins of its maps.
    pub(crate) fn time_bins(&self) -> u32 {
        self.shape.time_bins
    }

    /// True if pages touch the first fragment of the time frame.
    pub(crate) fn has_first_fragment(&self) -> bool {
        self.fragments.first().is_some_and(|fragment| fragment.time_bins.start == 0)
    }

    /// Range of its pages among the bytes of all pages.
    pub(crate) fn bytes(&self) -> Range<usize> {
        self.pages.start * PAGE_BYTES..self.pages.end * PAGE_BYTES
    }

    /// Samples in all fragments: those of a page count in each fragment that it touches.
    pub(crate) fn samples(&self) -> u64 {
        let fragments = self.fragments.iter();
        fragments.map(|fragment| fragment.load.samples).sum()
    }

    /// Pages in all fragments.
    pub(super) fn jobs(&self) -> usize {
        let fragments = self.fragments.iter();
        fragments.map(|fragment| fragment.load.pages).sum()
    }
}

/// The parts of a time frame, by the headers of all its pages.
pub(crate) fn parts_of(frame: &TimeFrame, output: Output, division: Division) -> Vec<Part> {
    let pages = 0..frame.pages.pages().len();
    let opened: Vec<Option<OpenPage>> = collect(pages.len(), Grain::Adaptive, |pages| {
        pages.map(|page| frame.open(page).ok().flatten())
    });
    let frame_sectors = frame.sectors();
    let parts = match division {
        Division::Whole => vec![(pages, 0..frame_sectors.len())],
        Division::Sectors(together) => some_sectors(&frame_sectors, together),
    };
    let shape = frame.map_shape(opened.iter().flatten());
    let numbers = frame.fragments(opened.iter().flatten());
    let part = |(pages, sectors): (Range<usize>, Range<usize>)| {
        let of_sectors = frame_sectors[sectors.clone()].iter().map(|pages| &opened[pages.clone()]);
        Part {
            sectors,
            load: opened[pages.clone()].iter().flatten().collect(),
            fragments: match output {
                Output::Digits => vec![all_time(of_sectors)],
                Output::ChargeMap => fragments(frame, &numbers, of_sectors),
            },
            shape,
            pages,
        }
    };
    parts.into_iter().map(part).collect()
}

/// Groups of `together` sectors, with the pages of each.
fn some_sectors(sectors: &[Range<usize>], together: usize) -> Vec<(Range<usize>, Range<usize>)> {
    let firsts = (0..sectors.len()).step_by(together);
    let part = |first: usize| {
        let end = (first + together).min(sectors.len());
        (sectors[first].start..sectors[end - 1].end, first..end)
    };
    firsts.map(part).collect()
}

/// The pages of a sector; `None` for those without valid headers.
type OfSector<'a> = &'a [Option<OpenPage>];

fn all_time<'a>(sectors: impl Iterator<Item = OfSector<'a>>) -> PromisedFragment {
    let mut fragment = PromisedFragment::without_pages(0..u32::MAX);
    for pages in sectors {
        let own: Load = pages.iter().flatten().collect();
        fragment.add_sector(own);
    }
    fragment
}

/// The fragments with these indices.
fn fragments<'a>(
    frame: &TimeFrame,
    numbers: &BTreeSet<u32>,
    sectors: impl Iterator<Item = OfSector<'a>>,
) -> Vec<PromisedFragment> {
    let all = Fragments::new(frame.settings.fragment);
    let empty = |&number| (number, PromisedFragment::without_pages(all.time_bins(number)));
    let mut fragments: BTreeMap<u32, PromisedFragment> = numbers.iter().map(empty).collect();
    for pages in sectors {
        let mut loads: BTreeMap<u32, Load> = BTreeMap::new();
        for page in pages.iter().flatten() {
            all.touching(time_bins_of(page))
                .for_each(|number| loads.entry(number).or_default().add(page));
        }
        for (number, fragment) in &mut fragments {
            fragment.add_sector(loads.get(number).copied().unwrap_or_default());
        }
    }
    fragments.into_values().collect()
}
