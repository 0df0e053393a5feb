//! What the headers of all pages promise: how large buffers have to be, and how many
//! blocks a launch may need. The device finds out by itself what holds.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::tpc_decode::fragments::{Fragments, time_bins_of};
use crate::tpc_decode::header::OpenPage;
use crate::tpc_decode::input::{Output, TimeFrame};

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
    /// Their used bytes.
    pub(super) bytes: u64,
    /// Their samples.
    pub(super) samples: u64,
}

/// What all pages promise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Promised {
    /// All pages with data.
    pub(super) all: Load,
    /// Fragments in order of time; digits have a single one, which is all time.
    pub(super) fragments: Vec<PromisedFragment>,
    /// The time bin behind the last one that is announced.
    pub(super) end: u32,
}

impl Load {
    fn add(&mut self, page: &OpenPage) {
        self.pages += usize::from(page.samples > 0);
        self.bytes += u64::from(page.used);
        self.samples += u64::from(page.samples);
    }
}

impl Promised {
    /// Of the pages whose headers are sound.
    pub(super) fn of(frame: &TimeFrame) -> Self {
        let pages = 0..frame.pages.pages().len();
        let pages: Vec<OpenPage> = pages
            .filter_map(|page| frame.open(page).ok().flatten())
            .collect();
        let mut all = Load::default();
        pages.iter().for_each(|page| all.add(page));
        let fragments = match frame.settings.output {
            Output::Digits => vec![PromisedFragment {
                time_bins: 0..u32::MAX,
                load: all,
            }],
            Output::ChargeMap => fragments_of(&pages, Fragments::new(frame.settings.fragment)),
        };
        let end = pages.iter().map(|page| time_bins_of(page).end).max();
        Promised {
            all,
            fragments,
            end: end.unwrap_or(0),
        }
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

fn fragments_of(pages: &[OpenPage], fragments: Fragments) -> Vec<PromisedFragment> {
    let mut loads = BTreeMap::<u32, Load>::new();
    for page in pages {
        for number in fragments.of(time_bins_of(page)) {
            loads.entry(number).or_default().add(page);
        }
    }
    let fragment = |(number, load)| PromisedFragment {
        time_bins: fragments.time_bins(number),
        load,
    };
    loads.into_iter().map(fragment).collect()
}
