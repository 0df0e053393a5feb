//! Tests on the emulator: verdicts on damaged pages of all kinds agree with the reference, and
//! blocks may be split between pages anywhere.

use std::sync::Arc;

use generators_tpc::Layout;
use generators_tpc::page::Page;
use generators_tpc::pages::{RawPages, StreamPages};
use portable_gpu::Gpu;
use portable_gpu::emulator;
use portable_gpu::emulator::Config;

use super::fused::FUSED;
use super::published::BALLOT_SCAN;
use super::validation::MANY;
use crate::tpc_decode::damage::Mutator;
use crate::tpc_decode::hard_inputs::whole_frames;
use crate::tpc_decode::input::{Output, TimeFrame};
use crate::tpc_decode::{Decoded, TpcDecode};
use tasks::algorithm::{Algorithm, Semantics, Variant};
use tasks::device::{Target, Team};

/// Pairs of pages of each format, of which one is damaged.
const PAIRS: usize = 250;
/// Pages with more samples would take most of the time.
const MAX_SAMPLES: u16 = 400;

/// The emulator, if it is part of this build.
fn gpu() -> Option<Arc<Gpu>> {
    emulator::gpu_for_tests(Config::default())
}

/// Checks the output of a variant for a time frame.
fn check(gpu: &Arc<Gpu>, variant: &Variant<TpcDecode>, frame: &TimeFrame, expected: &Decoded) {
    let team = Team::new(1).expect("a thread");
    let target = Target::emulated(Arc::clone(gpu), &team);
    let checked = variant.checked_output(&TpcDecode, frame, &target, Some(expected));
    let problem = checked.err().map(|problem| problem.to_string());
    assert_eq!(problem, None, "{} on {}", variant.name, frame.format());
}

/// True if a page has few samples, or a block that continues in the next page.
fn is_wanted(frame: &TimeFrame, page: usize) -> bool {
    let opened = frame.open(page).expect("undamaged");
    opened.is_some_and(|page| page.samples <= MAX_SAMPLES || page.continuation.is_some())
}

/// Pairs of pages, `pairs_at_most` at most, skipping those with many samples and no block that
/// continues; one page of each pair is damaged.
fn damaged_pairs(frame: &TimeFrame, pairs_at_most: usize, random: &mut Mutator) -> TimeFrame {
    let streams: Vec<StreamPages<'_>> = frame.pages.streams().collect();
    let mut pairs: Vec<Vec<Page>> = streams.iter().map(|_| Vec::new()).collect();
    for _ in 0..pairs_at_most {
        let number = random.below(streams.len());
        let pages = streams[number].pages;
        let page = random.below(pages.len());
        if !is_wanted(frame, streams[number].first_page + page) {
            continue;
        }
        let mut pair = [pages[page], *pages.get(page + 1).unwrap_or(&pages[page])];
        let damaged = usize::from(random.below(4) == 0);
        random.damage(&mut pair[damaged]);
        pairs[number].extend(pair);
    }
    let with_pages = streams.iter().zip(&pairs);
    let lengths: Vec<_> = with_pages.map(|(stream, pages)| (stream.id, pages.len())).collect();
    let pages = pairs.into_iter().flatten().collect();
    frame.with_pages(RawPages::new(frame.bounds.first_orbit, pages, &lengths))
}

#[test]
fn hundreds_of_damaged_pages_match_the_reference() {
    let Some(gpu) = gpu() else { return };
    let mut random = Mutator::new(1);
    for frame in whole_frames(1) {
        let mut damaged = damaged_pairs(&frame, PAIRS, &mut random);
        for output in [Output::Digits, Output::ChargeMap] {
            damaged.settings.output = output;
            let expected = TpcDecode.reference(&damaged, Semantics::Exact).expect("always");
            let share = expected.damaged.len() as f64 / damaged.pages.pages().len() as f64;
            assert!((0.1..0.9).contains(&share), "{share} are damaged");
            check(&gpu, &FUSED, &damaged, &expected);
        }
    }
}

/// Many pages, so that single lanes take them one after the other.
#[test]
fn many_damaged_pages_match_the_reference() {
    let Some(gpu) = gpu() else { return };
    let mut random = Mutator::new(2);
    for frame in whole_frames(1) {
        if frame.format().layout() != Layout::DenseLink {
            continue;
        }
        let mut damaged = damaged_pairs(&frame, 8 * PAIRS, &mut random);
        let pages = damaged.pages.pages().len();
        assert!(pages >= MANY * gpu.properties().multiprocessors as usize, "{pages} are few");
        damaged.settings.output = Output::Digits;
        let expected = TpcDecode.reference(&damaged, Semantics::Exact).expect("always");
        check(&gpu, &FUSED, &damaged, &expected);
    }
}

/// Offsets in a row page of its numbers of time bins and of samples, and of its first record.
const SPAN: usize = 65;
const SAMPLES: usize = 70;
const RECORDS: usize = 72;
/// Offset of a page's number of used bytes.
const USED: usize = 10;

fn used(page: &Page) -> usize {
    usize::from(u16::from_le_bytes([page[USED], page[USED + 1]]))
}

/// The page itself; copies with a bit changed in each byte after its headers; and copies that
/// announce more or fewer samples.
fn damaged_anywhere(page: &Page) -> Vec<Page> {
    let changed = |at: usize, bits: u8| {
        let mut page = *page;
        page[at] ^= bits;
        page
    };
    let of_bytes = (RECORDS..used(page)).map(|at| changed(at, 1 << (at % 8)));
    let others = [*page, changed(SAMPLES, 1), changed(SAMPLES + 1, 0x80), changed(SPAN, 1)];
    of_bytes.chain(others).collect()
}

/// Pages that announce no samples: with records without rows, some of them with a half row or an
/// invalid one, and with fewer bytes than records.
fn without_samples(page: &Page) -> Vec<Page> {
    let mut empty = *page;
    empty[SAMPLES..].fill(0);
    let with = |at: usize, byte: u8| {
        let mut page = empty;
        page[at] = byte;
        page
    };
    let last = RECORDS + 2 * (usize::from(page[SPAN]) - 1);
    let mut still_with_rows = *page;
    still_with_rows[SAMPLES..RECORDS].fill(0);
    let masks = [with(last, 1), with(last + 1, 0x40), with(last + 1, 0x80)];
    let short = [with(USED, 80), with(USED + 1, 0)];
    [vec![empty, still_with_rows], masks.to_vec(), short.to_vec()].concat()
}

#[test]
fn row_pages_are_validated_to_their_last_byte() {
    let Some(gpu) = gpu() else { return };
    for frame in whole_frames(1).filter(|frame| frame.format().layout() == Layout::Row) {
        let smallest = |stream: &StreamPages<'_>| {
            let with_some = stream.pages.iter().filter(|page| page[SPAN] > 1 && page[SAMPLES] > 20);
            with_some.min_by_key(|page| used(page)).copied()
        };
        let some = frame.pages.streams().filter_map(|stream| Some((stream.id, smallest(&stream)?)));
        let makers: [fn(&Page) -> Vec<Page>; 2] = [damaged_anywhere, without_samples];
        let streams: Vec<_> =
            some.zip(makers).map(|((id, page), make)| (id, make(&page))).collect();
        let lengths: Vec<_> = streams.iter().map(|(id, pages)| (*id, pages.len())).collect();
        let pages = streams.into_iter().flat_map(|(_, pages)| pages).collect();
        let pages = RawPages::new(frame.bounds.first_orbit, pages, &lengths);
        let mut damaged = frame.with_pages(pages);
        // A short fragment: pages are in several, and maps take little time.
        damaged.settings.fragment = 100;
        for output in [Output::Digits, Output::ChargeMap] {
            damaged.settings.output = output;
            let expected = TpcDecode.reference(&damaged, Semantics::Exact).expect("always");
            assert!(expected.damaged.len() > 30, "{} are damaged", expected.damaged.len());
            check(&gpu, &FUSED, &damaged, &expected);
        }
    }
}

/// An orbit of a sector with some occupancy, in pages of a format.
fn generated(format: &str, occupancy: &str) -> TimeFrame {
    let one = [("sectors", "1"), ("orbits", "1")];
    let given = [("zs", format), ("occupancy", occupancy)];
    let params = one.into_iter().chain(given).collect();
    let plan = TpcDecode.plan(params).expect("a time frame");
    TpcDecode.generate(&plan.params, 1).expect("pages")
}

#[test]
fn blocks_can_be_split_anywhere() {
    let Some(gpu) = gpu() else { return };
    for format in ["dense-link", "dense-link-v2"] {
        let frame = generated(format, "0.08");
        let pages = 0..frame.pages.pages().len();
        let opened = pages.filter_map(|page| frame.open(page).expect("sound"));
        let cut = opened.filter(|page| page.continuation.is_some()).count();
        assert!(cut > 80, "{cut} blocks are cut");
        let expected = TpcDecode.reference(&frame, Semantics::Exact).expect("always");
        check(&gpu, &FUSED, &frame, &expected);
        check(&gpu, &BALLOT_SCAN, &frame, &expected);
    }
}
