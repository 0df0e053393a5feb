//! Round trips of charge files, and reading of other programs' files.

use std::fs;
use std::path::{Path, PathBuf};

use generators::io::{read_charges, write_charges};
use generators::tpc::PadId;
use generators::tpc::charges::{Charge, ChargeCase, ClusterSettings, Labels};

use crate::experiments::{fixtures, full_set};

/// Time bins of the longest frame.
const LONGEST: u32 = 262_144;

/// Records of clusters that were found in the charges.
const RESULTS: [&str; 3] = ["p ", "s ", "c "];

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/generators/golden/tpc/charges.cases")
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
