//! Which pages are decoded together, and what their headers promise: how large buffers
//! have to be, and how many blocks a launch may need. The host reads the headers, in each run,
//! as the published decoder's does; the device finds out by itself what holds.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use generators::tpc::page::PAGE_BYTES;

use super::division::Division;
use crate::parallel::{Grain, collect};
use crate::tpc_decode::charge_map::{MapShape, TILE};
use crate::tpc_decode::fragments::{Fragments, time_bins_of};
use crate::tpc_decode::header::OpenPage;
use crate::tpc_decode::input::{Output, TimeFrame};

/// Pages that are decoded together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// Their numbers among all pages.
    pub(super) pages: Range<usize>,
    /// Their sectors, as numbers among those of all pages.
    pub(super) sectors: Range<usize>,
    /// What they promise.
    pub(super) load: Load,
    /// Fragments in order of time, those without pages of this part included; digits have
    /// a single one, which is all time.
    pub(super) fragments: Vec<PromisedFragment>,
    /// The maps of its sectors.
    pub(super) shape: MapShape,
}

/// A run of time bins that is decoded at once, and the pages that touch it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PromisedFragment {
    /// Its time bins, from the beginning of the time frame.
    pub(super) time_bins: Range<u32>,
    /// What its pages have.
    pub(super) load: Load,
}

/// What some pages promise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Load {
    /// Pages with samples.
    pub(super) pages: usize,
    /// The used bytes of all pages.
    pub(super) bytes: u64,
    /// Their samples.
    pub(super) samples: u64,
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

impl Part {
    /// Entries of the map of a sector.
    pub(super) fn entries(&self) -> usize {
        self.shape.tiles() * TILE
    }

    /// Where its pages lie among the bytes of all pages.
    pub(super) fn bytes(&self) -> Range<usize> {
        self.pages.start * PAGE_BYTES..self.pages.end * PAGE_BYTES
    }

    /// Samples in all fragments: those of a page count in each that it touches.
    pub(super) fn samples(&self) -> u64 {
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
pub(super) fn of(frame: &TimeFrame, division: Division) -> Vec<Part> {
    let pages = 0..frame.pages.pages().len();
    let opened: Vec<Option<OpenPage>> = collect(pages.len(), Grain::Adaptive, |pages| {
        pages.map(|page| frame.open(page).ok().flatten())
    });
    let sectors = frame.sectors();
    let parts = match division {
        Division::Whole => vec![(pages, 0..sectors.len())],
        Division::Sectors => {
            (0..).zip(sectors).map(|(number, pages)| (pages, number..number + 1)).collect()
        }
    };
    let shape = frame.map_shape(opened.iter().flatten());
    let numbers = frame.fragments(opened.iter().flatten());
    let part = |(pages, sectors): (Range<usize>, Range<usize>)| {
        let opened = opened[pages.clone()].iter().flatten();
        Part {
            sectors,
            load: opened.clone().collect(),
            fragments: match frame.settings.output {
                Output::Digits => vec![all_time(opened)],
                Output::ChargeMap => fragments(frame, &numbers, opened),
            },
            shape,
            pages,
        }
    };
    parts.into_iter().map(part).collect()
}

fn all_time<'a>(pages: impl Iterator<Item = &'a OpenPage>) -> PromisedFragment {
    PromisedFragment { time_bins: 0..u32::MAX, load: pages.collect() }
}

/// The fragments of these numbers.
fn fragments<'a>(
    frame: &TimeFrame,
    numbers: &BTreeSet<u32>,
    pages: impl Iterator<Item = &'a OpenPage>,
) -> Vec<PromisedFragment> {
    let all = Fragments::new(frame.settings.fragment);
    let mut loads: BTreeMap<u32, Load> = numbers.iter().map(|&n| (n, Load::default())).collect();
    for page in pages {
        for number in all.of(time_bins_of(page)) {
            loads.entry(number).or_default().add(page);
        }
    }
    let fragment = |(number, load)| PromisedFragment { time_bins: all.time_bins(number), load };
    loads.into_iter().map(fragment).collect()
}
