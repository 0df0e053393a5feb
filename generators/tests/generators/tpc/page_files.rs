//! Round trips of page files, and errors for damaged ones.

use std::fs;
use std::path::{Path, PathBuf};

use generators::io::{
    PageSelection, PageWriter, Selection, index_of, read_raw_pages, write_raw_pages,
};
use generators::tpc::encode::SectorEncoder;
use generators::tpc::page::Rdh;
use generators::tpc::pages::{Framing, RawPages, SectorPages};
use generators::tpc::{Digit, PadId, PadMapping, ZsFormat};

const ALL: PageSelection = PageSelection::ALL;

fn sector(sector: u8) -> SectorPages {
    let encoder = SectorEncoder {
        format: ZsFormat::Link,
        mapping: &PadMapping::regular(),
        first_orbit: 99,
        orbits: 3,
        framing: Framing::Simulated,
    };
    let digit = |bin| Digit::new(sector, PadId::new(sector, 5), bin, 77);
    let digits: Vec<_> = (0..1000).step_by(1 + usize::from(sector)).map(digit).collect();
    encoder.encode(sector.into(), &digits).expect("digits")
}

/// A file with these sectors in a new folder.
fn written(sectors: &[u8], name: &str) -> (tempfile::TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    let mut writer = PageWriter::create(&path).expect("created");
    for number in sectors {
        writer.write(&sector(*number)).expect("written");
    }
    let index = writer.finish().expect("finished");
    (folder, path, index)
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).expect("text")
}

#[test]
fn sectors_come_back() {
    for name in ["a.pages", "a.pages.gz"] {
        let (_folder, path, index) = written(&[0, 3, 4], name);
        assert_eq!(index, index_of(&path).expect("a file of pages"));
        assert!(text(&index).starts_with("sector,endpoint,n_pages\n0,0,"));
        let (read, _) = read_raw_pages(&path, &index, ALL).expect("well-formed");
        let expected = RawPages::from_sectors(99, [0, 3, 4].map(sector));
        assert!(read == expected);
        let one = PageSelection { sector: Some(3), ..ALL };
        let (read, _) = read_raw_pages(&path, &index, one).expect("well-formed");
        assert!(read == RawPages::from_sectors(99, [sector(3)]));
        assert_eq!(read.streams_of_sector(3), 0..20);
        assert_eq!(read.streams_of_sector(4), 0..0);
    }
}

#[test]
fn the_reader_selects_the_sector() {
    let (_folder, path, index) = written(&[7], "b.pages");
    assert!(text(&index).starts_with("endpoint,n_pages\n0,"));
    let error = read_raw_pages(&path, &index, ALL).expect_err("no sector");
    assert!(error.to_string().contains("--sector"), "{error}");
    let selection = PageSelection { sector: Some(7), first_orbit: Some(98), ..ALL };
    let (read, _) = read_raw_pages(&path, &index, selection).expect("well-formed");
    assert!(read == RawPages::from_sectors(98, [sector(7)]));
}

#[test]
fn time_frames_are_selected_by_their_orbits() {
    let marked = |first_orbit, number| {
        let mut pages = sector(number).into_pages();
        for page in &mut pages {
            let mut rdh = Rdh::from_bytes(page.first_chunk().expect("a header"));
            if rdh.orbit == 99 {
                rdh.trigger_type = 1 << 11;
            }
            rdh.orbit = rdh.orbit - 99 + first_orbit;
            page[..64].copy_from_slice(&rdh.to_bytes());
        }
        pages
    };
    let streams = sector(5);
    let lengths: Vec<_> = streams.stream_lengths().collect();
    let frames = [99, 299].map(|orbit| RawPages::new(orbit, marked(orbit, 5), &lengths));
    let mut both = Vec::new();
    for (first, second) in frames[0].streams().zip(frames[1].streams()) {
        both.extend([first.pages, second.pages].concat());
    }
    let doubled: Vec<_> = lengths.iter().map(|&(id, pages)| (id, 2 * pages)).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("d.pages");
    let index = write_raw_pages(&path, &RawPages::new(99, both, &doubled)).expect("written");
    let read = |indices| {
        let frames = Selection { indices, ..Selection::ALL };
        let selection = PageSelection { sector: Some(5), frames, ..ALL };
        read_raw_pages(&path, &index, selection).map(|(pages, _)| pages)
    };
    for (number, frame) in (0..).zip(&frames) {
        assert!(read(Some(number..number + 1)).expect("well-formed") == *frame, "{number}");
    }
    assert!(read(Some(0..2)).expect("well-formed") == read(None).expect("well-formed"));
    let error = read(Some(1..3)).expect_err("beyond the end").to_string();
    assert!(error.contains("2 time frames; select within 0..2"), "{error}");
}

#[test]
fn damage_is_named() {
    let (_folder, path, index) = written(&[0, 1], "c.pages");
    let good = text(&index);
    let error = |change: &dyn Fn(&str) -> String| {
        fs::write(&index, change(&good)).expect("written");
        let error = read_raw_pages(&path, &index, ALL).expect_err("damaged");
        error.to_string()
    };
    let with =
        |from: &'static str, to: &'static str| error(&move |text: &str| text.replacen(from, to, 1));
    assert!(with("sector,endpoint", "cru,endpoint").contains("line 1: the header is"));
    assert!(with("0,1,", "0,20,").contains("line 3: endpoint 20 is above 19"));
    assert!(with("0,1,", "36,1,").contains("sector 36 is above 35"));
    assert!(with("0,1,", "0,0,").contains("is not after sector 0 endpoint 0"));
    assert!(with("0,1,1", "0,1,x").contains("n_pages \"x\" is not a whole number"));
    assert!(with("0,1,1", "0,1").contains("fields instead of 3"));
    assert!(with("0,1,1", "0,1,1000000000").contains("is it cut off"));
    assert!(with("0,1,1", "0,1,0").contains("is it cut off"));
    assert!(error(&|_| "sector,endpoint,n_pages\n".to_owned()).contains("no stream"));
    fs::write(&index, &good).expect("written");
    let bytes = fs::read(&path).expect("pages");
    fs::write(&path, &bytes[..bytes.len() - 1]).expect("written");
    let cut = read_raw_pages(&path, &index, ALL).expect_err("cut off");
    let location = format!("byte {}", bytes.len() - 1);
    assert!(cut.to_string().contains(&location), "{cut}");
    let sector = PageSelection { sector: Some(36), ..ALL };
    let error = read_raw_pages(&path, &index, sector).expect_err("no such sector");
    assert!(error.to_string().contains("0 to 35"), "{error}");
}

#[test]
fn other_names_are_refused() {
    for name in ["pages", "a.csv", "a.pages.zip"] {
        let error = index_of(Path::new(name)).expect_err("no file of pages");
        assert!(error.to_string().contains(".pages.gz"), "{error}");
        assert!(PageWriter::create(Path::new(name)).is_err());
    }
}
