//! Round trips of files of pages and of charges, also of those of other programs, and errors for
//! damaged ones.

use std::fs;
use std::path::{Path, PathBuf};

use generators_common::io::Selection;
use generators_tpc::charges::{Charge, ChargeCase, ClusterSettings, Labels};
use generators_tpc::encode::SectorEncoder;
use generators_tpc::io::{
    PageSelection, PageWriter, index_of, read_charges, read_raw_pages, write_charges,
    write_raw_pages,
};
use generators_tpc::page::Rdh;
use generators_tpc::pages::{Framing, RawPages, SectorPages};
use generators_tpc::{Digit, PadId, PadMapping, ZsFormat};

use crate::experiments::{fixtures, full_set};

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

/// Time bins of the longest frame.
const LONGEST: u32 = 262_144;

/// Records of clusters that were found in the charges.
const RESULTS: [&str; 3] = ["p ", "s ", "c "];

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/charges.cases")
}

fn sample(row: u8, pad: u8, time: u32, charge: u16) -> Charge {
    Charge { time, pad: PadId::new(row, pad), charge }
}

/// Content of the golden file.
fn expected() -> [ChargeCase; 3] {
    let two_peaks = ChargeCase {
        name: "two-peaks".to_owned(),
        sector: 21,
        time_bins: 2000,
        fragment: 250,
        settings: ClusterSettings {
            noise_eps: 0,
            min_split: 2,
            time_shift: 0.5,
            ..ClusterSettings::default()
        },
        noisy: vec![PadId::new(3, 67), PadId::new(151, 0)],
        charges: vec![
            sample(12, 40, 1995, 16),
            sample(12, 40, 1996, 160),
            sample(12, 40, 1997, 1600),
            sample(12, 40, 1998, 15_999),
            sample(12, 40, 1999, 16_383),
            sample(12, 41, 1997, 0),
            sample(12, 41, 1998, 3),
            sample(151, 137, 0, 4092),
            sample(12, 40, 1994, 8),
        ],
        labels: None,
    };
    let mut labels = Labels::default();
    labels.push(&[(1 << 31) + 299, u64::MAX]);
    labels.push(&[]);
    labels.push(&[(1 << 63) + 5, 0]);
    let with_labels = ChargeCase {
        name: "with-labels".to_owned(),
        time_bins: 1,
        fragment: 1000,
        charges: vec![sample(0, 0, 0, 800), sample(0, 1, 0, 80), sample(0, 2, 0, 1600)],
        labels: Some(labels),
        ..ChargeCase::default()
    };
    let nothing = ChargeCase {
        name: "nothing-at-all".to_owned(),
        sector: 35,
        time_bins: LONGEST,
        fragment: 1000,
        ..ChargeCase::default()
    };
    [two_peaks, with_labels, nothing]
}

/// Writes cases to a file of this name and reads them back.
fn back(cases: &[ChargeCase], name: &str) -> Vec<ChargeCase> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    write_charges(&path, cases).expect("written");
    read_charges(&path).expect("well-formed")
}

#[test]
fn the_golden_file_holds_what_is_expected() {
    assert_eq!(read_charges(&golden()).expect("well-formed"), expected());
}

#[test]
fn the_golden_file_is_written_again_without_results() {
    let text = fs::read_to_string(golden()).expect("text");
    let is_input = |line: &&str| !RESULTS.iter().any(|result| line.starts_with(result));
    let inputs: Vec<_> = text.lines().filter(is_input).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("again.cases");
    write_charges(&path, &expected()).expect("written");
    let written = fs::read_to_string(&path).expect("text");
    assert_eq!(written.lines().collect::<Vec<_>>(), inputs);
}

#[test]
fn cases_come_back_from_plain_and_compressed_files() {
    for name in ["a.cases", "a.cases.gz"] {
        assert_eq!(back(&expected(), name), expected(), "{name}");
    }
}

#[test]
fn all_settings_come_back() {
    let settings = ClusterSettings {
        qmax_cutoff: 1,
        inner_threshold: 2,
        noise_eps: 3,
        noise_eps_rel: 4,
        qtot_cutoff: 6,
        qmax_single_time: 7,
        qmax_single_pad: 8,
        min_split: 9,
        time_shift: f32::MIN_POSITIVE,
    };
    let [case, ..] = expected();
    let cases = [ChargeCase { settings, ..case }];
    assert_eq!(back(&cases, "a.cases"), cases);
}

#[test]
fn a_pad_that_has_charge_all_the_time_comes_back() {
    let charges = (0..LONGEST).map(|time| sample(70, 7, time, 10_000)).collect();
    let [.., case] = expected();
    let cases = [ChargeCase { charges, ..case }];
    assert!(back(&cases, "a.cases.gz") == cases);
}

#[test]
fn files_of_the_experiment_are_read_and_come_back() {
    are_read_and_come_back(&fixtures("tpc-clusters"), &[("random.cases.gz", 200, None)]);
}

#[test]
fn files_of_the_experiment_are_read_and_come_back_in_full() {
    let Some(folder) = full_set("tpc/clusters") else { return };
    let files = [
        ("handmade.cases", 590, None),
        ("random.cases.gz", 200, None),
        ("pbpb-s3.cases.gz", 1, Some(165_304)),
        ("gain-noisy-s21.cases.gz", 1, Some(165_027)),
        ("labels-s3.cases.gz", 1, Some(58_351)),
    ];
    are_read_and_come_back(&folder, &files);
}

/// Checks files with their numbers of cases, and of samples where known.
fn are_read_and_come_back(folder: &Path, files: &[(&str, usize, Option<usize>)]) {
    for &(file, count, samples) in files {
        let cases = read_charges(&folder.join(file)).expect("well-formed");
        assert_eq!(cases.len(), count, "{file}");
        let found = cases.iter().map(|case| case.charges.len()).sum::<usize>();
        assert_eq!(found, samples.unwrap_or(found), "{file}");
        assert!(back(&cases, "again.cases") == cases, "{file}");
    }
}
