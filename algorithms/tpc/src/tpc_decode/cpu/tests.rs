//! Damage of all kinds: no decoder panics, reads out of bounds, differs from the reference in its
//! digits, or accepts a page that the reference rejects.

use generators_tpc::page::Page;
use generators_tpc::pages::StreamId;
use generators_tpc::{Digit, Layout};
use parallel::map;

use super::kernel::PadList;
use super::walk::Job;
use super::{DecodePage, Level};
use crate::tpc_decode::damage::Mutator;
use crate::tpc_decode::hard_inputs::whole_frames;
use crate::tpc_decode::header::{OpenPage, Payload, open_in_stream};
use crate::tpc_decode::input::TimeFrame;
use crate::tpc_decode::reference;

/// Pages that one thread damages one after the other.
const BATCH: usize = 10_000;
/// Pages with more samples would take most of the time.
const MAX_SAMPLES: u16 = 400;

/// A page and the next one of its stream.
#[derive(Clone, Copy)]
struct Pair {
    stream: StreamId,
    pages: [Page; 2],
}

fn decoders() -> Vec<(Level, DecodePage)> {
    let known = Level::ALL.iter().copied();
    known.filter_map(|level| Some((level, level.decoder()?))).collect()
}

/// The pages of a time frame that have few samples, and those that continue in the next page.
fn pairs(frame: &TimeFrame) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for stream in frame.pages.streams() {
        for (index, page) in stream.pages.iter().enumerate() {
            let opened = open_in_stream(stream.pages, index, stream.id, &frame.bounds);
            let opened = opened.expect("undamaged");
            let small = |page: &OpenPage| {
                page.samples <= MAX_SAMPLES || page.continuation.is_some() && index % 4 == 0
            };
            if opened.is_some_and(|page| small(&page)) {
                let next = stream.pages.get(index + 1).unwrap_or(page);
                pairs.push(Pair { stream: stream.id, pages: [*page, *next] });
            }
        }
    }
    pairs
}

/// Common data of the pages that a thread damages.
struct Fuzz<'a> {
    frame: &'a TimeFrame,
    decoders: Vec<(Level, DecodePage)>,
    payload: Box<Payload>,
    pads: Box<PadList>,
    accepted: usize,
}

impl<'a> Fuzz<'a> {
    fn new(frame: &'a TimeFrame) -> Self {
        Fuzz {
            frame,
            decoders: decoders(),
            payload: Payload::new(),
            pads: PadList::new(),
            accepted: 0,
        }
    }

    /// Damages a batch of pages.
    fn batch(&mut self, pairs: &[Pair], seed: u64) {
        let mut random = Mutator::new(seed);
        for _ in 0..BATCH {
            let Pair { stream, mut pages } = pairs[random.below(pairs.len())];
            let which = usize::from(random.below(8) == 0);
            random.damage(&mut pages[which]);
            self.check(stream, &pages);
        }
    }

    fn check(&mut self, stream: StreamId, pages: &[Page; 2]) {
        let Ok(Some(page)) = open_in_stream(pages, 0, stream, &self.frame.bounds) else {
            return;
        };
        self.payload.fill(&page, &pages[0], Some(&pages[1]));
        let mapping = &self.frame.tables.mapping;
        let expected = reference::decode_page(&page, &self.payload, mapping).ok();
        if let Some(digits) = &expected {
            self.accepted += 1;
            assert!(digits.iter().all(|digit| can_be(*digit, &page)), "{page:?}");
        }
        for (level, decode) in &self.decoders {
            let mut digits = vec![Digit::default(); page.samples.into()];
            let job = Job {
                page: &page,
                payload: &self.payload,
                tables: &self.frame.tables,
                pads: &mut self.pads,
            };
            let found = decode(job, &mut digits).map(|()| digits);
            assert!(found == expected, "{level:?} on {page:?}");
        }
    }
}

/// True if a page can have this digit: of its endpoint, in its time bins.
fn can_be(digit: Digit, page: &OpenPage) -> bool {
    let row = usize::from(digit.row());
    let of_endpoint = match page.format.layout() {
        Layout::Row => page.endpoint.rows().contains(&row),
        Layout::Link | Layout::DenseLink => page.endpoint.region().rows().contains(&row),
    };
    let announced = page.first_time_bin()..=page.last_time_bin();
    of_endpoint
        && announced.contains(&digit.time_bin())
        && digit.sector() == page.sector
        && digit.adc() <= page.format.max_adc()
}

/// Damages this number of pages of each format.
fn fuzz(pages_of_each_format: usize, seed: u64) {
    for frame in whole_frames(seed) {
        let pairs = pairs(&frame);
        let accepted = map(0..pages_of_each_format.div_ceil(BATCH) as u64, |batch| {
            let mut fuzz = Fuzz::new(&frame);
            fuzz.batch(&pairs, seed ^ (batch + 1) << 32);
            fuzz.accepted
        });
        let accepted: usize = accepted.into_iter().sum();
        let share = accepted as f64 / pages_of_each_format as f64;
        let format = frame.bounds.format;
        assert!((0.02..0.8).contains(&share), "{format}: {share} of the pages accepted");
    }
}

#[test]
fn a_million_damaged_pages_match_the_reference() {
    fuzz(200_000, 1);
}

#[test]
#[ignore = "takes many minutes: for the night"]
fn fifty_million_damaged_pages_match_the_reference() {
    for seed in 2..52 {
        fuzz(200_000, seed);
    }
}

#[test]
fn valid_pages_need_no_reference() {
    for frame in whole_frames(7) {
        let mut fuzz = Fuzz::new(&frame);
        for stream in frame.pages.streams() {
            for (index, page) in stream.pages.iter().enumerate() {
                let next = stream.pages.get(index + 1).unwrap_or(page);
                let opened = open_in_stream(stream.pages, index, stream.id, &frame.bounds);
                let expected = fuzz.accepted + usize::from(opened.expect("sound").is_some());
                fuzz.check(stream.id, &[*page, *next]);
                assert_eq!(fuzz.accepted, expected, "page {index}");
            }
        }
    }
}
