//! Small time frames that are hard in some way.

use std::collections::BTreeMap;
use std::sync::Arc;

use generators::tpc::encode::SectorEncoder;
use generators::tpc::geometry::{ROWS, pads_in_row};
use generators::tpc::page::Page;
use generators::tpc::pages::{Framing, RawPages, SectorPages};
use generators::tpc::time::time_bins_of;
use generators::tpc::{Digit, PadId, PadMapping, ZsFormat};

use super::charge_map::Gains;
use super::input::{Output, Settings, Sharing, Tables, TimeFrame};
use super::mutate::Mutator;

const ORBITS: u32 = 3;
/// The orbit counter wraps within the time frame.
const FIRST_ORBIT: u32 = u32::MAX;
const SECTORS: [u8; 2] = [4, 35];
/// So short that the time frame has three.
const FRAGMENT: u32 = 500;
const DIGITS: Settings = Settings {
    output: Output::Digits,
    sharing: Sharing::Sectors,
    fragment: FRAGMENT,
};
const CHARGES: Settings = Settings {
    output: Output::ChargeMap,
    sharing: Sharing::Sectors,
    fragment: FRAGMENT,
};
/// One page in so many is damaged.
const DAMAGED: usize = 3;

/// Time frames with their names.
pub(super) fn all(seed: u64) -> Vec<(String, TimeFrame)> {
    let mut maker = Maker::new(seed);
    let mut inputs = Vec::new();
    for format in ZsFormat::ALL {
        let whole = maker.frame(format, Framing::Simulated);
        let recorded = maker.frame(format, Framing::Recorded);
        let damaged = maker.damaged(&whole);
        let pool = Settings {
            sharing: Sharing::Pages,
            ..CHARGES
        };
        let named = [
            ("all kinds of time bins", whole.clone()),
            (
                "recorded, one pool",
                with(
                    &recorded,
                    Settings {
                        sharing: Sharing::Pages,
                        ..DIGITS
                    },
                ),
            ),
            ("every other page is lost", every_other(&whole)),
            ("damaged pages", damaged.clone()),
            ("fragments", with(&recorded, pool)),
            ("fragments, damaged pages", with(&damaged, CHARGES)),
        ];
        inputs.extend(named.map(|(name, frame)| (format!("{format}: {name}"), frame)));
    }
    inputs.push(("no pages".into(), maker.without_pages()));
    inputs
}

/// The same pages for other settings.
fn with(frame: &TimeFrame, settings: Settings) -> TimeFrame {
    let mut frame = frame.clone();
    frame.settings = settings;
    frame
}

/// Streams without every other page: most continuations are lost.
fn every_other(frame: &TimeFrame) -> TimeFrame {
    let kept = |pages: &[Page]| pages.iter().step_by(2).copied().collect::<Vec<_>>();
    let streams: Vec<_> = frame
        .pages
        .streams()
        .map(|stream| (stream.id, kept(stream.pages)))
        .collect();
    let lengths: Vec<_> = streams
        .iter()
        .map(|(id, pages)| (*id, pages.len()))
        .collect();
    let pages = streams.into_iter().flat_map(|(_, pages)| pages).collect();
    frame.with_pages(RawPages::new(FIRST_ORBIT, pages, &lengths))
}

struct Maker {
    random: Mutator,
    tables: Arc<Tables>,
}

impl Maker {
    fn new(seed: u64) -> Self {
        let tables = Tables::new(PadMapping::regular(), Gains::spread(seed));
        Maker {
            random: Mutator::new(seed),
            tables: Arc::new(tables),
        }
    }

    fn frame(&mut self, format: ZsFormat, framing: Framing) -> TimeFrame {
        let sectors: Vec<_> = SECTORS
            .map(|sector| self.sector(format, framing, sector))
            .into();
        let pages = RawPages::of_sectors(FIRST_ORBIT, sectors);
        TimeFrame::new(pages, format, ORBITS, Arc::clone(&self.tables), DIGITS)
    }

    fn sector(&mut self, format: ZsFormat, framing: Framing, sector: u8) -> SectorPages {
        let mapping = PadMapping::regular();
        let encoder = SectorEncoder {
            format,
            mapping: &mapping,
            first_orbit: FIRST_ORBIT,
            orbits: ORBITS,
            framing,
        };
        let digits = self.digits(format, sector);
        match encoder.encode(sector.into(), &digits) {
            Ok(pages) => pages,
            Err(error) => unreachable!("digits of the sector: {error}"),
        }
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
            let (first_row, pads) = (self.random.below(ROWS), 1 + self.random.below(9));
            self.add_cluster(&mut adcs, time_bin, first_row, pads);
        }
        for _ in 0..2 {
            let time_bin = self.random.below(end as usize) as u32;
            (0..ROWS).for_each(|row| self.add_cluster(&mut adcs, time_bin, row, usize::MAX));
        }
        let digit = |((time_bin, pad), adc)| {
            let adc = std::cmp::min(adc, format.max_adc());
            Digit::new(sector, pad, time_bin, adc)
        };
        adcs.into_iter().map(digit).collect()
    }

    /// Neighbouring pads of a row, or all of it; small ADC values, or any.
    fn add_cluster(
        &mut self,
        adcs: &mut BTreeMap<(u32, PadId), u16>,
        time_bin: u32,
        row: usize,
        pads: usize,
    ) {
        let in_row = pads_in_row(row);
        let first = if pads > in_row {
            0
        } else {
            self.random.below(in_row)
        };
        let limit = if self.random.below(2) == 0 {
            1024
        } else {
            4096
        };
        for pad in (first..in_row).take(pads) {
            let place = (time_bin, PadId::new(row as u8, pad as u8));
            adcs.insert(place, self.random.below(limit) as u16);
        }
    }

    fn damaged(&mut self, frame: &TimeFrame) -> TimeFrame {
        let mut pages = frame.pages.clone();
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
