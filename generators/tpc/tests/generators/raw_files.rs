//! Files of ALICE's: pages that are found by their headers.

use std::fs;
use std::ops::Range;

use generators_common::io::{Selection, with_content_limit};
use generators_tpc::encode::SectorEncoder;
use generators_tpc::io::{PageRemarks, PageSelection, read_tpc_file};
use generators_tpc::page::{PAGE_BYTES, Page, Rdh};
use generators_tpc::pages::{Framing, RawPages, SectorPages, StreamId};
use generators_tpc::{Digit, PadId, PadMapping, ZsFormat};
use tempfile::TempDir;

use crate::experiments::full_set;

const ALL: PageSelection = PageSelection::ALL;
const RDH_BYTES: usize = 64;

fn sector(number: u8) -> SectorPages {
    let encoder = SectorEncoder {
        format: ZsFormat::DenseLink,
        mapping: &PadMapping::regular(),
        first_orbit: u32::MAX,
        orbits: 3,
        framing: Framing::Recorded,
    };
    let digit = |bin| Digit::new(number, PadId::new(number, 5), bin, 77);
    let digits: Vec<_> = (0..1300).step_by(3).map(digit).collect();
    encoder.encode(number.into(), &digits).expect("digits")
}

fn pages(sectors: &[u8]) -> RawPages {
    RawPages::from_sectors(u32::MAX, sectors.iter().map(|&number| sector(number)))
}

fn rdh_of(page: &[u8]) -> Rdh {
    Rdh::from_bytes(page.first_chunk().expect("a header"))
}

/// The pages of all streams, interleaved, with changed headers; each as long as `length` says.
fn interleaved(
    pages: &RawPages,
    change: impl Fn(&mut Rdh),
    length: impl Fn(&Rdh) -> usize,
) -> Vec<Vec<u8>> {
    let streams: Vec<_> = pages.streams().map(|stream| stream.pages).collect();
    let longest = streams.iter().map(|pages| pages.len()).max().unwrap_or(0);
    let in_turn =
        (0..longest).flat_map(|index| streams.iter().filter_map(move |pages| pages.get(index)));
    let page = |page: &Page| {
        let mut rdh = rdh_of(page);
        let bytes = length(&rdh);
        rdh.offset_to_next = bytes as u16;
        change(&mut rdh);
        let mut out = page[..bytes].to_vec();
        out[..RDH_BYTES].copy_from_slice(&rdh.to_bytes());
        out
    };
    in_turn.map(page).collect()
}

fn read(file: &[u8], selection: PageSelection) -> Result<(RawPages, PageRemarks), String> {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("d.raw");
    fs::write(&path, file).expect("written");
    read_tpc_file(&path, selection).map_err(|error| error.to_string())
}

/// Pages without headers alone, and with the fields that readers set.
fn expected(pages: &RawPages) -> RawPages {
    let mut kept = Vec::new();
    let mut lengths = Vec::new();
    for stream in pages.streams() {
        let with_data = stream.pages.iter().filter(|page| !rdh_of(&page[..]).is_alone());
        let of_stream: Vec<Page> = with_data
            .map(|page| {
                let mut rdh = rdh_of(page);
                rdh.offset_to_next = PAGE_BYTES as u16;
                let mut page = *page;
                page[..RDH_BYTES].copy_from_slice(&rdh.to_bytes());
                page
            })
            .collect();
        if !of_stream.is_empty() {
            lengths.push((stream.id, of_stream.len()));
            kept.extend(of_stream);
        }
    }
    RawPages::new(pages.first_orbit(), kept, &lengths)
}

#[test]
fn interleaved_streams_are_found_by_their_ids() {
    let pages = pages(&[3, 35]);
    for version in [6, 7] {
        for link in [0, 15, 22] {
            let change = |rdh: &mut Rdh| {
                rdh.header_version = version;
                rdh.link_id = link;
            };
            let file = interleaved(&pages, change, |_| PAGE_BYTES).concat();
            let (found, remarks) = read(&file, ALL).expect("sound");
            assert!(found == expected(&pages), "version {version}, link {link}");
            assert_eq!(remarks, PageRemarks::default());
        }
    }
}

#[test]
fn short_pages_are_as_long_as_they_are_used() {
    let pages = pages(&[3]);
    let used = |rdh: &Rdh| usize::from(rdh.memory_size);
    let mut file = interleaved(&pages, |_| (), used).concat();
    let (found, _) = read(&file, ALL).expect("sound");
    assert_eq!(found.pages().len(), expected(&pages).pages().len());
    assert_eq!(found.first_orbit(), u32::MAX);
    file.extend([0; PAGE_BYTES]);
    let (_, remarks) = read(&file, ALL).expect("padded");
    assert_eq!(remarks, PageRemarks::default(), "zeros at the end are padding");
}

#[test]
fn other_pages_are_passed_over_and_counted() {
    let pages = pages(&[3]);
    let mut file = interleaved(&pages, |_| (), |_| PAGE_BYTES);
    let other = |change: &dyn Fn(&mut Rdh)| {
        let mut page = file[0].clone();
        let mut rdh = rdh_of(&page);
        change(&mut rdh);
        page[..RDH_BYTES].copy_from_slice(&rdh.to_bytes());
        page
    };
    let others = [
        other(&|rdh| rdh.source_id = 32),
        other(&|rdh| rdh.fee_id.0 = rdh.fee_id.0 & !0x3f | 20),
        other(&|rdh| rdh.fee_id.0 = rdh.fee_id.0 & !0x3f | 5),
    ];
    for (number, page) in others.into_iter().enumerate() {
        file.insert(2 * number + 1, page);
    }
    let (found, remarks) = read(&file.concat(), ALL).expect("sound");
    assert!(found == expected(&pages));
    let text = remarks.sentences().join("; ");
    for kind in ["source 32, not of the TPC (3)", "link 20", "link 5"] {
        assert!(text.contains(&format!("1 page of {kind}")), "{text}");
    }
    let only_other = read(&file[1], ALL).expect_err("none");
    assert!(only_other.contains("1 page of source 32"), "{only_other}");
}

#[test]
fn missing_pages_are_counted() {
    let pages = pages(&[3]);
    let mut file = interleaved(&pages, |_| (), |_| PAGE_BYTES);
    let streams = pages.streams().len();
    file.remove(streams);
    let (_, remarks) = read(&file.concat(), ALL).expect("sound");
    assert_eq!(remarks.missing, 1);
    assert!(remarks.sentences()[0].starts_with("1 page is missing"), "{remarks:?}");
}

#[test]
fn chains_end_where_no_page_begins() {
    let pages = pages(&[3]);
    let mut file = interleaved(&pages, |_| (), |_| PAGE_BYTES);
    file.retain(|page| !rdh_of(page).is_alone());
    let file = file.concat();
    let damaged = |offset: usize, bytes: &[u8]| {
        let mut file = file.clone();
        file[offset..offset + bytes.len()].copy_from_slice(bytes);
        read(&file, ALL)
    };
    let fields: [(usize, &[u8]); 5] =
        [(0, &[5]), (0, &[8]), (1, &[63]), (8, &[0, 0]), (8, &[63, 0])];
    for (offset, bytes) in fields {
        let (found, remarks) = damaged(2 * PAGE_BYTES + offset, bytes).expect("the pages before");
        assert!(remarks.is_cut && found.pages().len() <= 2, "{remarks:?}");
        let text = remarks.sentences().join("; ");
        assert!(text.contains(&format!("up to byte {}", 2 * PAGE_BYTES)), "{text}");
        let first = damaged(offset, bytes).expect_err("no page at the beginning");
        assert!(first.contains("byte 0"), "{first}");
    }
    for length in [0, 1, 63, 64, 1000, PAGE_BYTES - 1] {
        let read = read(&file[..length], ALL);
        let used = usize::from(rdh_of(&file).memory_size);
        assert_eq!(
            read.is_ok_and(|(found, _)| found.pages().len() == 1),
            length >= used && used > 64
        );
    }
    let (_, remarks) = read(&file[..file.len() - PAGE_BYTES + 64], ALL).expect("all but one");
    let used = usize::from(rdh_of(&file[file.len() - PAGE_BYTES..]).memory_size);
    assert_eq!(remarks.is_cut, used > 64);
}

/// A header of a time frame file.
fn header(description: &[u8], origin: &[u8], bytes: usize, first_orbit: u32) -> Vec<u8> {
    let mut header = vec![0; 96];
    let mut put = |at: usize, part: &[u8]| header[at..at + part.len()].copy_from_slice(part);
    put(0, b"O2O2");
    put(4, &96_u32.to_le_bytes());
    put(12, &3_u32.to_le_bytes());
    put(16, b"DataHead");
    put(32, description);
    put(48, origin);
    put(72, &(bytes as u64).to_le_bytes());
    put(80, &first_orbit.to_le_bytes());
    header
}

#[test]
fn time_frames_hold_pages_and_their_first_orbit() {
    let pages = pages(&[3]);
    let payload = interleaved(&pages, |_| (), |_| PAGE_BYTES).concat();
    let first_orbit = u32::MAX - 4;
    let mut file = header(b"FILE_STF_META", b"FLP", 24, first_orbit);
    file.extend([7; 24]);
    for (origin, payload) in [(b"ITS", &payload[..640]), (b"TPC", &payload[..])] {
        file.extend(header(b"RAWDATA", origin, payload.len(), first_orbit));
        file.extend(payload);
    }
    let (found, remarks) = read(&file, ALL).expect("sound");
    assert_eq!((found.first_orbit(), remarks), (first_orbit, PageRemarks::default()));
    assert!(found.pages() == expected(&pages).pages());
    let (_, remarks) = read(&file[..file.len() - 9000], ALL).expect("cut");
    assert!(remarks.is_cut);
    let mut wrong = file;
    wrong[0] = b'X';
    assert!(read(&wrong, ALL).is_err());
}

#[test]
fn dumps_hold_pages_counts_and_settings() {
    let pages = pages(&[3]);
    let kept = expected(&pages);
    let payload = kept.bytes();
    let count = kept.pages().len() as u32;
    let mut file = b"CAv1".to_vec();
    file.extend([2_u32, 14].map(u32::to_le_bytes).as_flattened());
    file.extend((payload.len() as u64).to_le_bytes());
    file.extend(payload);
    let counts = (0..36 * 20_u32).map(|slot| if slot == 60 { count } else { 0 });
    counts.for_each(|count| file.extend(count.to_le_bytes()));
    let without_settings = file.len();
    file.extend([19_u32, 1, 1, 77, 0, 0, 0, 0, 0, 0].map(u32::to_le_bytes).as_flattened());
    let (found, _) = read(&file, ALL).expect("sound");
    assert!(found.pages() == kept.pages());
    assert_eq!(found.first_orbit(), 77);
    let (found, _) = read(&file[..without_settings], ALL).expect("sound");
    assert_eq!(found.first_orbit(), u32::MAX);
    let cases: [(usize, u32, &str); 4] = [
        (4, 1, "geometry 1"),
        (8, 10, "native clusters"),
        (12, 77, "whole pages"),
        (12, 0, "add up"),
    ];
    for (offset, value, problem) in cases {
        let mut wrong = file.clone();
        wrong[offset..offset + 4].copy_from_slice(&value.to_le_bytes());
        let error = read(&wrong, ALL).expect_err(problem);
        assert!(error.contains(problem) && error.contains("byte"), "{error}");
    }
    for length in [5, 9, 15, 8000, without_settings - 1, without_settings + 7] {
        assert!(read(&file[..length], ALL).is_err(), "{length}");
    }
}

/// Two time frames of 2 orbits, of the sectors' pages from their first orbit on and from 64 orbits
/// later.
fn two_time_frames() -> [Vec<Vec<u8>>; 2] {
    let pages = pages(&[3, 4]);
    [0, 64].map(|orbits| {
        let change = |rdh: &mut Rdh| {
            if rdh.orbit == u32::MAX {
                rdh.trigger_type = 1 << 11;
            }
            rdh.orbit = rdh.orbit.wrapping_add(orbits);
        };
        interleaved(&pages, change, |_| PAGE_BYTES)
    })
}

fn frames(indices: Range<u64>) -> PageSelection {
    PageSelection { frames: Selection { indices: Some(indices), ..Selection::ALL }, ..ALL }
}

/// The payloads of each stream, without headers.
fn payloads(pages: &RawPages) -> Vec<(StreamId, Vec<Vec<u8>>)> {
    let payload = |page: &Page| page[RDH_BYTES..].to_vec();
    let streams = pages.streams();
    streams.map(|stream| (stream.id, stream.pages.iter().map(payload).collect())).collect()
}

#[test]
fn time_frames_of_interleaved_pages_are_selected_by_their_orbits() {
    let [first, second] = two_time_frames();
    // The streams of a file need not be in step: one page of the second time frame comes early.
    let mut file = first.clone();
    file.extend(second.clone());
    file.swap(first.len() - 1, first.len() + 1);
    let file = file.concat();
    let alone = [first, second].map(|frame| read(&frame.concat(), ALL).expect("sound").0);
    for (index, alone) in (0..).zip(&alone) {
        let (found, remarks) = read(&file, frames(index..index + 1)).expect("sound");
        assert_eq!(found.first_orbit(), alone.first_orbit());
        assert!(payloads(&found) == payloads(alone), "time frame {index}");
        let text = remarks.sentences().join("; ");
        assert!(text.contains("pages of other time frames passed over"), "{text}");
    }
    let (both, remarks) = read(&file, ALL).expect("sound");
    assert_eq!(both.first_orbit(), alone[0].first_orbit());
    let of_both = alone.iter().map(|frame| frame.pages().len()).sum::<usize>();
    assert_eq!(both.pages().len(), of_both);
    assert!(remarks.sentences().iter().any(|text| text == "2 time frames, read as one"));
    let (selected, _) = read(&file, frames(0..2)).expect("sound");
    assert!(selected == both);
    let skip = Selection { skip: 1, take: Some(5), ..Selection::ALL };
    let (last, _) = read(&file, PageSelection { frames: skip, ..ALL }).expect("sound");
    assert!(payloads(&last) == payloads(&alone[1]));
    for beyond in [2..3, 1..3] {
        let error = read(&file, frames(beyond)).expect_err("beyond the end");
        assert!(error.contains("2 time frames; select within 0..2"), "{error}");
    }
}

#[test]
fn memory_is_bounded_by_the_selected_time_frames() {
    let [first, second] = two_time_frames();
    let (alone, _) = read(&second.concat(), ALL).expect("sound");
    let file = [first, second].concat().concat();
    with_content_limit(alone.bytes().len() as u64, || {
        assert!(read(&file, frames(1..2)).is_ok());
        for selection in [frames(0..2), ALL] {
            let error = read(&file, selection).map(|_| ()).expect_err("too large");
            assert!(error.contains("of content"), "{error}");
        }
    });
}

#[test]
fn pages_without_marks_are_one_time_frame() {
    let file = interleaved(&pages(&[3]), |_| (), |_| PAGE_BYTES).concat();
    let (all, _) = read(&file, ALL).expect("sound");
    let (found, remarks) = read(&file, frames(0..1)).expect("sound");
    assert!(found == all);
    assert_eq!(remarks, PageRemarks::default());
    let error = read(&file, frames(1..2)).expect_err("beyond the end");
    assert!(error.contains("1 time frame; select within 0..1"), "{error}");
}

#[test]
fn time_frames_of_a_time_frame_file_are_its_blocks() {
    let [first, second] = two_time_frames().map(|frame| frame.concat());
    let mut file = Vec::new();
    for (orbit, payload) in [(70, &first), (170, &second)] {
        file.extend(header(b"FILE_STF_META", b"FLP", 24, orbit));
        file.extend([7; 24]);
        file.extend(header(b"RAWDATA", b"TPC", payload.len(), orbit));
        file.extend(payload);
    }
    for (index, orbit, payload) in [(0, 70, &first), (1, 170, &second)] {
        let (found, remarks) = read(&file, frames(index..index + 1)).expect("sound");
        assert_eq!(found.first_orbit(), orbit);
        assert!(payloads(&found) == payloads(&read(payload, ALL).expect("sound").0));
        assert_eq!(remarks, PageRemarks::default());
    }
    let (_, remarks) = read(&file, ALL).expect("sound");
    assert!(remarks.sentences().iter().any(|text| text == "2 time frames, read as one"));
    let error = read(&file, frames(2..3)).expect_err("beyond the end");
    assert!(error.contains("2 time frames; select within 0..2"), "{error}");
}

#[test]
fn every_changed_byte_of_a_header_is_survived() {
    let pages = pages(&[3]);
    let file = interleaved(&pages, |_| (), |_| PAGE_BYTES);
    let file = file[..6].concat();
    for page in [0, 3] {
        for offset in 0..RDH_BYTES {
            for value in [0, 0x7f, 0xff] {
                let mut changed = file.clone();
                changed[page * PAGE_BYTES + offset] = value;
                if let Err(error) = read(&changed, ALL) {
                    assert!(error.contains("d.raw"), "{error}");
                }
            }
        }
    }
}

#[test]
fn samples_of_other_detectors_are_refused_by_name_in_full() {
    let Some(folder) = full_set("formats/samples/fastpasta") else { return };
    let files = [("readout.superpage.1.raw", 6), ("10_rdh.raw", 10), ("rawtf_epn180_l6_1.raw", 3)];
    for (name, count) in files {
        let error = read_tpc_file(&folder.join(name), ALL).expect_err("of the ITS");
        let expected = format!("{count} pages of source 32, not of the TPC (3)");
        assert!(error.to_string().contains(&expected), "{error}");
    }
}
