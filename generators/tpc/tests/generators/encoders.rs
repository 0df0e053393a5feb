//! Encoded data can be read, also where pages are full.

use std::collections::BTreeSet;

use generators_tpc::encode::SectorEncoder;
use generators_tpc::page::Page;
use generators_tpc::pages::{Framing, RawPages, SectorPages};
use generators_tpc::{Digit, LinkChannel, PadId, PadMapping, Region, ZsFormat};

use super::common::{Fill, ORBITS, decoded, digits};

const DENSE: [ZsFormat; 2] = [ZsFormat::DenseLink, ZsFormat::DenseLinkV2];
/// The orbit counter wraps within the time frame.
const FIRST_ORBIT: u32 = u32::MAX - 1;

fn encoder(format: ZsFormat, mapping: &PadMapping, framing: Framing) -> SectorEncoder<'_> {
    SectorEncoder { format, mapping, first_orbit: FIRST_ORBIT, orbits: ORBITS, framing }
}

fn encode(format: ZsFormat, digits: &[Digit]) -> SectorPages {
    let mapping = PadMapping::regular();
    let sector = digits.first().map_or(0, |digit| digit.sector());
    encoder(format, &mapping, Framing::Simulated)
        .encode(sector.into(), digits)
        .expect("sensible digits")
}

/// Encodes and reads back; returns the pages.
fn round_trip(format: ZsFormat, regions: &[usize], fill: Fill) -> RawPages {
    let mut digits = digits(format, 21, regions, fill);
    let raw = RawPages::from_sectors(FIRST_ORBIT, [encode(format, &digits)]);
    let read = decoded(format, &raw, ORBITS, &PadMapping::regular());
    digits.sort_unstable();
    assert_eq!(read.len(), digits.len(), "{format} {fill:?}");
    assert!(read == digits, "{format} {fill:?}: other digits");
    raw
}

fn u16_at(page: &Page, at: usize) -> u16 {
    u16::from_le_bytes([page[at], page[at + 1]])
}

/// The long header of a dense link page.
fn header(page: &Page) -> Option<usize> {
    let size = usize::from(u16_at(page, 10));
    (size > 64).then(|| size - 16)
}

#[test]
fn digits_come_back_at_any_density() {
    for format in ZsFormat::ALL {
        for (share, region) in [(0.0003, 0), (0.02, 1), (0.2, 9)] {
            round_trip(format, &[region], Fill::Share(share));
        }
        for bins in [2, 254, 255, 256, 257] {
            round_trip(format, &[4], Fill::FlashEvery(bins));
        }
    }
}

#[test]
fn blocks_are_cut_at_any_byte() {
    for format in DENSE {
        let raw = round_trip(format, &[2, 8], Fill::Ragged);
        let continued: BTreeSet<_> = raw
            .pages()
            .iter()
            .filter_map(|page| Some(u16_at(page, header(page)? + 8) - 64))
            .collect();
        // The first byte alone in its page, the last one alone in the next, and all cases between.
        assert!(continued.len() > 200, "{format}: {}", continued.len());
        assert!(continued.contains(&0) && continued.contains(&1), "{format}");
    }
}

/// Digits whose blocks, in the endpoint with region 9's first cards, end at this offset of the page
/// if they all fit.
fn digits_up_to(offset: usize) -> Vec<Digit> {
    const FULL_BLOCK: usize = 2 + 10 * 11 + 1200;
    const ONE_SAMPLE: usize = 2 + 3 + 2;
    const TWO_SAMPLES: usize = 2 + 3 + 3;
    let payload = offset - 64;
    let full = payload / FULL_BLOCK - 1;
    let rest = payload - full * FULL_BLOCK;
    let two = rest % ONE_SAMPLE;
    let one = (rest - two * TWO_SAMPLES) / ONE_SAMPLE;
    let channels = [(full, 800), (two, 2), (one, 1)].map(|(bins, channels)| vec![channels; bins]);
    let region = Region::new(9).expect("below 10");
    let mapping = PadMapping::regular();
    let digit = |(bin, index): (usize, usize)| {
        let pad = mapping.pad(LinkChannel::from_index(region, index));
        Digit::new(11, pad.expect("a channel"), bin as u32, 4000)
    };
    let channels = channels.concat().into_iter().enumerate();
    let channels_of_bins =
        channels.flat_map(|(bin, count)| (0..count).map(move |index| (bin, index)));
    channels_of_bins.map(digit).collect()
}

/// For pages that end at different offsets: blocks, first block, samples and flags of each page of
/// the endpoint.
fn pages_up_to(format: ZsFormat, offset: usize) -> Vec<[u16; 4]> {
    let digits = digits_up_to(offset);
    let raw = RawPages::from_sectors(FIRST_ORBIT, [encode(format, &digits)]);
    assert_eq!(decoded(format, &raw, ORBITS, &PadMapping::regular()).len(), digits.len());
    let fields = |page: &Page| {
        let header = header(page)?;
        let [samples, first, blocks] = [6, 8, 10].map(|field| u16_at(page, header + field));
        Some([blocks, first, samples, u16::from(page[header + 12])])
    };
    raw.stream(18).pages.iter().filter_map(fields).collect()
}

#[test]
fn the_trigger_word_gets_a_page_where_it_does_not_fit() {
    const TRIGGER: u16 = 1;
    const CONTINUES: u16 = 4;
    for format in DENSE {
        for offset in 8140..=8160 {
            let pages = pages_up_to(format, offset);
            assert_eq!(pages.len(), 1, "{format} {offset}");
            assert_eq!((pages[0][1], pages[0][3]), (64, TRIGGER));
        }
        for offset in 8161..=8176 {
            let pages = pages_up_to(format, offset);
            assert_eq!(pages.len(), 2, "{format} {offset}");
            assert_eq!(pages[0][3], 0);
            assert_eq!(pages[1], [0, 64, 0, TRIGGER], "{format} {offset}");
        }
        for offset in 8177..=8182 {
            let pages = pages_up_to(format, offset);
            let continued = 64 + offset as u16 - 8176;
            assert_eq!(pages.len(), 2, "{format} {offset}");
            assert_eq!(pages[0][3], CONTINUES);
            assert_eq!(pages[1], [0, continued, 0, TRIGGER], "{format} {offset}");
        }
    }
}

#[test]
fn short_samples_are_used_where_they_can_be() {
    let digits = digits(ZsFormat::DenseLink, 3, &[7], Fill::Share(0.3));
    let dense = encode(ZsFormat::DenseLink, &digits).into_pages().len();
    let short = encode(ZsFormat::DenseLinkV2, &digits).into_pages().len();
    // A sixth of the bits in half of the time bins.
    assert!(short * 100 < dense * 97, "{short} and {dense} pages");
}

#[test]
fn recorded_frames_are_opened_and_closed() {
    let mapping = PadMapping::regular();
    for format in ZsFormat::ALL {
        let mut digits = digits(format, 2, &[1], Fill::Share(0.05));
        let pages = encoder(format, &mapping, Framing::Recorded).encode(2, &digits);
        let raw = RawPages::from_sectors(FIRST_ORBIT, pages);
        digits.sort_unstable();
        assert!(decoded(format, &raw, ORBITS, &mapping) == digits, "{format}");
        for stream in raw.streams() {
            let frames: Vec<_> = stream.frames().collect();
            assert_eq!(frames.len(), ORBITS as usize);
            for (index, frame) in frames.iter().enumerate() {
                assert_eq!(frame.orbit, FIRST_ORBIT.wrapping_add(index as u32));
                let first = frame.pages[0];
                let last = frame.pages[frame.pages.len() - 1];
                assert_eq!((u16_at(&first, 10), first[38]), (64, 0));
                assert_eq!((u16_at(&last, 10), last[38]), (64, 1));
                assert_eq!(usize::from(u16_at(&last, 36)) + 1, frame.pages.len());
            }
        }
    }
}

#[test]
fn streams_that_start_late_have_a_first_page() {
    let late = [Digit::new(5, PadId::new(0, 3), 1000, 7)];
    let mapping = PadMapping::regular();
    let encoder =
        SectorEncoder { first_orbit: 77, ..encoder(ZsFormat::Row12, &mapping, Framing::Simulated) };
    let pages = encoder.encode(5, &late).expect("a digit");
    let raw = RawPages::from_sectors(77, [pages]);
    let lengths: Vec<_> = raw.streams().map(|stream| stream.pages.len()).collect();
    assert_eq!((lengths[0], lengths[1], lengths.len()), (2, 1, 20));
    let orbits: Vec<_> = raw.stream(0).frames().map(|frame| frame.orbit).collect();
    assert_eq!(orbits, [77, 79]);
    let counters: Vec<_> = raw.pages()[..3].iter().map(|page| page[13]).collect();
    assert_eq!(counters, [0, 1, 2]);
}

#[test]
fn invalid_digits_are_refused() {
    let error = |format, digits: &[Digit]| {
        let mapping = PadMapping::regular();
        let encoder = encoder(format, &mapping, Framing::Simulated);
        let error = encoder.encode(1, digits).expect_err("senseless");
        error.to_string()
    };
    let digit = |row, pad, time, adc| Digit::new(1, PadId::new(row, pad), time, adc);
    for format in ZsFormat::ALL {
        assert!(error(format, &[digit(0, 66, 0, 0)]).contains("no pad"));
        assert!(error(format, &[digit(152, 0, 0, 0)]).contains("no pad"));
        assert!(error(format, &[digit(0, 0, 1337, 0)]).contains("time bin 1337"));
        assert!(
            error(format, &[digit(0, 0, 0, 4096)]).contains("12-bit") || format == ZsFormat::Row10
        );
        let twice = [digit(9, 9, 9, 1), digit(3, 3, 9, 1), digit(9, 9, 9, 2)];
        assert!(error(format, &twice).contains("same pad"));
        let other = Digit::new(2, PadId::new(0, 0), 0, 0);
        assert!(error(format, &[other]).contains("sector 1"));
    }
    assert!(error(ZsFormat::Row10, &[digit(0, 0, 0, 1024)]).contains("10-bit"));
}

/// The examples of `docs/tpc-pages.md`.
#[test]
fn examples_of_the_documents_are_right() {
    let row = |pad, adc| Digit::new(0, PadId::new(0, pad), 2, adc);
    let pages = encode(ZsFormat::Row12, &[row(5, 1), row(6, 2), row(9, 3)]).into_pages();
    let page = pages.iter().find(|page| u16_at(page, 10) > 64).expect("data");
    let record = [1, 0, 2, 5, 2, 9, 3, 0x01, 0x20, 0x00, 0x03, 0x00, 0];
    assert_eq!(page[72..85], record);

    let mapping = PadMapping::regular();
    let region = Region::new(0).expect("below 10");
    let link = |fec, channel, adc| {
        let pad = mapping.pad(LinkChannel { region, fec, channel });
        Digit::new(0, pad.expect("a channel"), 2, adc)
    };
    let digits = [link(5, 79, 1), link(2, 3, 0xabc), link(5, 8, 0xdef)];
    let pages = encode(ZsFormat::DenseLink, &digits).into_pages();
    let page = pages.iter().find(|page| u16_at(page, 10) > 64).expect("data");
    let block =
        [0x02, 0x01, 0x02, 0x01, 0x08, 0x85, 0x02, 0x01, 0x80, 0xbc, 0xfa, 0xde, 0x01, 0x00, 0];
    assert_eq!(page[64..79], block);
}
