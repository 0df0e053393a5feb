//! Small, difficult inputs, and smaller ones of those that a variant decodes wrongly.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use generators_tpc::encode::SectorEncoder;
use generators_tpc::geometry::{CHANNELS_IN_LINK, ROWS, pads_in_row};
use generators_tpc::page::Page;
use generators_tpc::pages::{Framing, RawPages, SectorPages};
use generators_tpc::time::time_bins_of;
use generators_tpc::{Digit, Endpoint, PadId, PadMapping, ZsFormat};

use super::charge_map::Gains;
use super::damage::Mutator;
use super::input::{Output, Settings, Tables, TimeFrame, WorkDistribution};
use tasks::algorithm::shrink::without_parts;

const ORBITS: u32 = 3;
/// The orbit counter wraps within the time frame.
const FIRST_ORBIT: u32 = u32::MAX;
const SECTORS: [u8; 2] = [4, 35];
/// A length that divides the time frame into three fragments.
const FRAGMENT: u32 = 500;
const DIGITS: Settings =
    Settings { output: Output::Digits, sharing: WorkDistribution::Sectors, fragment: FRAGMENT };
const CHARGES: Settings = Settings { output: Output::ChargeMap, ..DIGITS };
/// Time bins, all of one orbit, in which small time frames have a sample of each card of an
/// endpoint: heads of links then fill a page up, and a block continues in the next one.
const SPARSE_TIME_BINS: Range<u32> = 446..640;
const FEW_CLUSTERS: usize = 30;
/// Time bins of a fragment of small time frames, so that there are several.
const SHORT_FRAGMENT: u32 = 100;
/// Settings for checks that take long.
const SHORT: Settings = Settings { fragment: SHORT_FRAGMENT, ..CHARGES };
/// One page in this number is damaged.
const DAMAGED: usize = 3;

/// Time frames with their names.
pub(super) fn all(seed: u64) -> Vec<(String, TimeFrame)> {
    let mut maker = Maker::new(seed);
    let mut inputs = Vec::new();
    for format in ZsFormat::ALL {
        let whole = maker.frame(format, Framing::Simulated);
        let recorded = maker.frame(format, Framing::Recorded);
        let damaged = maker.damaged(&whole);
        let small = maker.small_frame(format);
        let small_damaged = maker.damaged(&small);
        let named = [
            ("all kinds of time bins", whole.clone()),
            ("recorded, one pool", with(&recorded, one_pool(DIGITS))),
            ("every other page is lost", every_other(&whole)),
            ("damaged pages", damaged.clone()),
            ("fragments", with(&recorded, one_pool(CHARGES))),
            ("fragments, damaged pages", with(&damaged, CHARGES)),
            ("fragments, pages back to front", with(&back_to_front(&whole), CHARGES)),
            ("few pages", small.clone()),
            ("few pages, fragments", with(&small, SHORT)),
            ("few pages, damaged", small_damaged.clone()),
            ("few pages, fragments, damaged", with(&small_damaged, SHORT)),
        ];
        inputs.extend(named.map(|(name, frame)| (format!("{format}: {name}"), frame)));
    }
    inputs.push(("no pages".into(), maker.without_pages()));
    inputs
}

fn one_pool(settings: Settings) -> Settings {
    let sharing = WorkDistribution::Pages;
    Settings { sharing, ..settings }
}

/// A copy of a frame with other settings.
fn with(frame: &TimeFrame, settings: Settings) -> TimeFrame {
    let mut frame = frame.clone();
    frame.settings = settings;
    frame
}

/// Streams without every other page: most continuations are missing.
fn every_other(frame: &TimeFrame) -> TimeFrame {
    let kept = |pages: &[Page]| pages.iter().step_by(2).copied().collect::<Vec<_>>();
    let streams: Vec<_> =
        frame.pages.streams().map(|stream| (stream.id, kept(stream.pages))).collect();
    let lengths: Vec<_> = streams.iter().map(|(id, pages)| (*id, pages.len())).collect();
    let pages = streams.into_iter().flat_map(|(_, pages)| pages).collect();
    frame.with_pages(RawPages::new(FIRST_ORBIT, pages, &lengths))
}

/// Streams whose last page comes first, which no readout produces.
fn back_to_front(frame: &TimeFrame) -> TimeFrame {
    let streams = frame.pages.streams();
    let lengths: Vec<_> = streams.map(|stream| (stream.id, stream.pages.len())).collect();
    let pages = frame.pages.streams().flat_map(|stream| stream.pages.iter().rev().copied());
    frame.with_pages(RawPages::new(FIRST_ORBIT, pages.collect(), &lengths))
}

fn encode(format: ZsFormat, framing: Framing, sector: u8, digits: &[Digit]) -> SectorPages {
    let mapping = PadMapping::regular();
    let encoder = SectorEncoder {
        format,
        mapping: &mapping,
        first_orbit: FIRST_ORBIT,
        orbits: ORBITS,
        framing,
    };
    match encoder.encode(sector.into(), digits) {
        Ok(pages) => pages,
        Err(error) => unreachable!("digits of the sector: {error}"),
    }
}

fn digits_of(adcs: Adcs, format: ZsFormat, sector: u8) -> Vec<Digit> {
    let digit = |((time_bin, pad), adc)| {
        let adc = std::cmp::min(adc, format.max_adc());
        Digit::new(sector, pad, time_bin, adc)
    };
    adcs.into_iter().map(digit).collect()
}

/// ADC values by time bin and pad.
type Adcs = BTreeMap<(u32, PadId), u16>;

struct Maker {
    random: Mutator,
    tables: Arc<Tables>,
}

impl Maker {
    fn new(seed: u64) -> Self {
        let tables = Tables::new(PadMapping::regular(), Gains::spread(seed));
        Maker { random: Mutator::new(seed), tables: Arc::new(tables) }
    }

    fn frame(&mut self, format: ZsFormat, framing: Framing) -> TimeFrame {
        let sectors = SECTORS.map(|sector| {
            let digits = self.digits(format, sector);
            encode(format, framing, sector, &digits)
        });
        self.of_sectors(format, sectors.into())
    }

    /// A time frame of one sector, for checks that take long.
    fn small_frame(&mut self, format: ZsFormat) -> TimeFrame {
        let digits = self.few_digits(format, SECTORS[0]);
        let sector = encode(format, Framing::Simulated, SECTORS[0], &digits);
        self.of_sectors(format, vec![sector])
    }

    fn of_sectors(&self, format: ZsFormat, sectors: Vec<SectorPages>) -> TimeFrame {
        let pages = RawPages::from_sectors(FIRST_ORBIT, sectors);
        TimeFrame::new(pages, format, ORBITS, Arc::clone(&self.tables), DIGITS)
    }

    /// Digits of time bins of all kinds: empty, with single pads, with clusters, with
    /// all pads of a region, at the ends of orbits and of fragments.
    fn digits(&mut self, format: ZsFormat, sector: u8) -> Vec<Digit> {
        let mut adcs = BTreeMap::new();
        let end = time_bins_of(ORBITS - 1).end;
        for time_bin in [0, 445, 446, end - 1, FRAGMENT - 9, FRAGMENT - 1, FRAGMENT] {
            self.add_cluster(&mut adcs, time_bin, 0, 1);
        }
        for _ in 0..300 {
            let time_bin = self.random.below(end as usize) as u32;
            let first_row = self.random.below(ROWS);
            let pads = 1 + self.random.below(9);
            self.add_cluster(&mut adcs, time_bin, first_row, pads);
        }
        for _ in 0..2 {
            let time_bin = self.random.below(end as usize) as u32;
            (0..ROWS).for_each(|row| self.add_cluster(&mut adcs, time_bin, row, usize::MAX));
        }
        digits_of(adcs, format, sector)
    }

    /// A page full of links with a single sample, and some clusters in its time bins.
    fn few_digits(&mut self, format: ZsFormat, sector: u8) -> Vec<Digit> {
        let mut adcs = BTreeMap::new();
        for time_bin in SPARSE_TIME_BINS {
            self.add_sample_of_each_card(&mut adcs, time_bin);
        }
        for _ in 0..FEW_CLUSTERS {
            let time_bin =
                SPARSE_TIME_BINS.start + self.random.below(SPARSE_TIME_BINS.len()) as u32;
            let first_row = self.random.below(ROWS);
            let pads = 1 + self.random.below(9);
            self.add_cluster(&mut adcs, time_bin, first_row, pads);
        }
        digits_of(adcs, format, sector)
    }

    /// Adds a sample of a random channel to each card of the last endpoint, which has the maximum
    /// number of cards.
    fn add_sample_of_each_card(&mut self, adcs: &mut Adcs, time_bin: u32) {
        let tables = Arc::clone(&self.tables);
        let cards = |endpoint: Endpoint| &tables.links.of_endpoint(endpoint)[endpoint.fecs()];
        for link in Endpoint::all().last().into_iter().flat_map(cards) {
            let channel = self.random.below(CHANNELS_IN_LINK);
            let adc = self.random.below(4096) as u16;
            adcs.insert((time_bin, link[channel]), adc);
        }
    }

    /// Adds neighbouring pads of a row, or all of it; with small ADC values, or any.
    fn add_cluster(&mut self, adcs: &mut Adcs, time_bin: u32, row: usize, pads: usize) {
        let in_row = pads_in_row(row);
        let first = if pads > in_row { 0 } else { self.random.below(in_row) };
        let limit = if self.random.below(2) == 0 { 1024 } else { 4096 };
        for pad in (first..in_row).take(pads) {
            let cell = (time_bin, PadId::new(row as u8, pad as u8));
            adcs.insert(cell, self.random.below(limit) as u16);
        }
    }

    fn damaged(&mut self, frame: &TimeFrame) -> TimeFrame {
        let mut pages = (*frame.pages).clone();
        for page in pages.pages_mut() {
            if self.random.below(DAMAGED) == 0 {
                self.random.damage(page);
            }
        }
        frame.with_pages(pages)
    }

    fn without_pages(&self) -> TimeFrame {
        let pages = RawPages::new(FIRST_ORBIT, Vec::new(), &[]);
        let tables = Arc::clone(&self.tables);
        TimeFrame::new(pages, ZsFormat::Link, ORBITS, tables, DIGITS)
    }
}

/// Pages of five formats in time bins of all kinds.
#[cfg(test)]
pub(super) fn whole_frames(seed: u64) -> impl Iterator<Item = TimeFrame> {
    let all = all(seed).into_iter();
    all.filter(|(name, _)| name.ends_with("time bins")).map(|(_, frame)| frame)
}

/// Copies of a time frame without a part of the pages.
pub(super) fn shrunk(frame: &TimeFrame) -> impl Iterator<Item = TimeFrame> + '_ {
    let pages = frame.pages.pages().len();
    without_parts(pages, |gone| Some(without(frame, gone)))
}

/// A time frame without some of its pages.
fn without(frame: &TimeFrame, gone: Range<usize>) -> TimeFrame {
    let mut pages = frame.pages.pages().to_vec();
    pages.drain(gone.clone());
    let left = |range: Range<usize>| range.filter(|page| !gone.contains(page)).count();
    let streams: Vec<_> = frame
        .pages
        .streams()
        .map(|stream| {
            let range = stream.first_page..stream.first_page + stream.pages.len();
            (stream.id, left(range))
        })
        .collect();
    frame.with_pages(RawPages::new(frame.bounds.first_orbit, pages, &streams))
}

#[cfg(test)]
mod tests {
    use generators_tpc::Layout;

    use super::*;
    use crate::tpc_decode::hard_inputs;

    #[test]
    fn small_time_frames_have_continued_blocks() {
        let small = all(1).into_iter().filter(|(name, _)| name.ends_with("few pages"));
        for (name, frame) in small {
            let opened = 0..frame.pages.pages().len();
            let opened: Vec<_> =
                opened.filter_map(|page| frame.open(page).expect("sound")).collect();
            let samples: u32 = opened.iter().map(|page| u32::from(page.samples)).sum();
            assert!((1500..3000).contains(&samples), "{name}: {samples}");
            let goes_on = opened.iter().any(|page| page.continuation.is_some());
            let dense = frame.format().layout() == Layout::DenseLink;
            assert_eq!(goes_on, dense, "{name}");
        }
    }

    #[test]
    fn parts_are_smaller_and_can_lack_any_page() {
        let (_, frame) = &hard_inputs::all(1)[0];
        let pages = frame.pages.pages().len();
        let parts: Vec<_> = shrunk(frame).map(|part| part.pages.pages().len()).collect();
        assert!(parts.iter().all(|left| *left < pages));
        assert!(parts.iter().filter(|left| **left == pages - 1).count() >= pages);
    }
}
