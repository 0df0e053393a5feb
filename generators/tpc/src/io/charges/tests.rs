//! Errors name the line, the problem and the fix.

use std::path::Path;

use super::*;
use crate::PadId;
use crate::charges::{Charge, ClusterSettings, DEFAULT_FRAGMENT, MAX_CHARGE};

const BEGIN: &str = "case a\nsector 3\nframe 100\n";

fn read_text(text: impl AsRef<[u8]>) -> Result<Vec<ChargeCase>, DataError> {
    read(Path::new("a.cases"), text.as_ref())
}

fn case_of(lines: &str) -> ChargeCase {
    let cases = read_text(format!("{BEGIN}{lines}end\n")).expect("well-formed");
    <[ChargeCase; 1]>::try_from(cases).expect("one case")[0].clone()
}

fn error_of(text: impl AsRef<[u8]>) -> String {
    read_text(text).expect_err("damaged").to_string()
}

/// Checks the error for these lines after the start of a case, which are lines 4 and following.
#[track_caller]
fn refused(lines: &str, error: &str) {
    let found = error_of(format!("{BEGIN}{lines}\nend\n"));
    assert_eq!(found, format!("a.cases, {error}"));
}

/// Checks the error for this whole file.
#[track_caller]
fn refused_as_a_whole(text: impl AsRef<[u8]>, error: &str) {
    assert_eq!(error_of(text), format!("a.cases, {error}"));
}

#[test]
fn a_case_has_what_its_lines_say() {
    let case = case_of("");
    let expected = ChargeCase {
        name: "a".to_owned(),
        sector: 3,
        time_bins: 100,
        fragment: DEFAULT_FRAGMENT,
        ..ChargeCase::default()
    };
    assert_eq!(case, expected);
    let case = case_of(
        "fragment 17\nparam noise_eps 255\nparam time_shift -1.5\nnoisy 9 1\nnoisy 0 65\n\
         r 151 137 98 0 16383\nr 0 0 0 7\n",
    );
    let settings =
        ClusterSettings { noise_eps: 255, time_shift: -1.5, ..ClusterSettings::default() };
    assert_eq!((case.fragment, case.settings), (17, settings));
    assert_eq!(case.noisy, [PadId::new(0, 65), PadId::new(9, 1)]);
    let last = PadId::new(151, 137);
    let charges = [(98, last, 0), (99, last, MAX_CHARGE), (0, PadId::new(0, 0), 7)];
    assert_eq!(case.charges, charges.map(|(time, pad, charge)| Charge { time, pad, charge }));
    assert_eq!(case.labels, None);
}

#[test]
fn samples_keep_the_order_of_their_labels() {
    let case = case_of("d 1 2 3 4 9 18446744073709551615 5\nd 1 2 4 5\nd 1 2 5 6 0\n");
    let labels = case.labels.expect("labels");
    assert_eq!(labels.list(0), [9, u64::MAX, 5]);
    assert_eq!((labels.list(1), labels.list(2)), (&[][..], &[0][..]));
    assert_eq!(labels.first().len(), case.charges.len());
}

#[test]
fn results_are_passed_over() {
    let charges = "r 1 2 3 4 5\n";
    let results = "p 1 2 3 0\np 1 2 4 1\ns 1 2 3 16383 3\nc 151 65535 16777215 255 255 1023 65535 \
                   255 18446744073709551615 0\nc 0 0 0 0 0 0 0 0\n";
    assert_eq!(case_of(&format!("{charges}{results}")), case_of(charges));
    refused("p 1 2 3", "line 4: the line ends before its mark of kept peaks");
    refused("p 1 2 3 2", "line 4: mark of kept peaks \"2\" is not a whole number from 0 to 1");
    refused("p 1 2 3 1 1", "line 4: \"1\" is more than belongs into this line");
    refused(
        "s 1 2 100 3 0",
        "line 4: time bin 100 is outside the frame, which has time bins 0 to 99",
    );
    refused("s 1 2 3 4 4", "line 4: flags \"4\" is not a whole number from 0 to 3");
    refused("c 1 2 3 4 5 6 7", "line 4: the line ends before its flags");
    refused(
        "c 1 2 16777216 4 5 6 7 8",
        "line 4: time \"16777216\" is not a whole number from 0 to 16777215",
    );
    refused(
        "c 1 2 3 4 5 6 7 8 -1",
        "line 4: label \"-1\" is not a whole number from 0 to 18446744073709551615",
    );
}

#[test]
fn samples_outside_the_sector_are_refused() {
    refused("r 152 0 0 1", "line 4: row \"152\" is not a whole number from 0 to 151");
    refused("d 0 66 0 1", "line 4: there is no pad 66 in row 0, which has pads 0 to 65");
    refused("r 151 138 0 1", "line 4: pad \"138\" is not a whole number from 0 to 137");
    let outside = "time bin 100 is outside the frame, which has time bins 0 to 99";
    refused("r 0 0 100 1", &format!("line 4: {outside}"));
    refused("r 0 0 1 1\nr 0 0 98 1 2 3", &format!("line 5: {outside}"));
    refused("d 0 0 100 1 1", &format!("line 4: {outside}"));
    refused("r 0 0 262144 1", "line 4: time bin \"262144\" is not a whole number from 0 to 262143");
    refused("r 0 0 0 16384", "line 4: charge \"16384\" is not a whole number from 0 to 16383");
    refused("r 0 0 0 1 1.5", "line 4: charge \"1.5\" is not a whole number from 0 to 16383");
    refused("r 0 0 0", "line 4: the line ends before its charge");
    refused("noisy 3 68", "line 4: there is no pad 68 in row 3, which has pads 0 to 67");
}

#[test]
fn duplicate_positions_are_reported_with_both_lines() {
    refused(
        "r 1 2 3 4 5 6\nr 1 3 3 4\nr 1 2 1 1 1 1\np 1 2 3 1",
        "line 6: row 1 pad 2 time bin 3 has a charge already, in line 4; remove one",
    );
    refused(
        "d 1 2 3 4\nd 1 2 3 5",
        "line 5: row 1 pad 2 time bin 3 has a charge already, in line 4; remove one",
    );
    refused("noisy 1 2\nnoisy 1 2", "line 5: row 1 pad 2 is noisy already; remove the line");
}

#[test]
fn settings_have_known_names_and_fit() {
    refused(
        "param noise 3",
        "line 4: unknown param \"noise\"; there are qmax_cutoff, inner_threshold, noise_eps, \
         noise_eps_rel, qtot_cutoff, qmax_single_time, qmax_single_pad, min_split, time_shift",
    );
    refused("param min_split 256", "line 4: min_split \"256\" is not a whole number from 0 to 255");
    for value in ["nan", "inf", "1e39", "x"] {
        let error = format!("line 4: time_shift \"{value}\" is not a finite number");
        refused(&format!("param time_shift {value}"), &error);
    }
    refused("param min_split", "line 4: the line ends before its min_split");
    refused("param", "line 4: the line ends before its name");
    refused(
        "param min_split 1\nparam min_split 1",
        "line 5: param min_split has a value already; remove one of the lines",
    );
    for length in ["16", "32001", "x"] {
        let error = format!("line 4: fragment \"{length}\" is not a whole number from 17 to 32000");
        refused(&format!("fragment {length}"), &error);
    }
}

#[test]
fn cases_begin_with_name_sector_and_frame() {
    refused_as_a_whole("case\n", "line 1: the line ends before its name");
    refused_as_a_whole("case a b\n", "line 1: \"b\" is more than belongs into this line");
    refused_as_a_whole(
        "case a\nsector 36\n",
        "line 2: sector \"36\" is not a whole number from 0 to 35",
    );
    refused_as_a_whole("case a\nframe 3\n", "line 2: `sector` must follow `case`, not `frame`");
    refused_as_a_whole("case a\nend\n", "line 2: `sector` must follow `case`, not `end`");
    refused_as_a_whole(
        "case a\nsector 1\nr 1 1 1 1\n",
        "line 3: `frame` must follow `sector`, not `r`",
    );
    for frame in ["0", "262145"] {
        let text = format!("case a\nsector 1\nframe {frame}\n");
        let error =
            format!("line 3: frame \"{frame}\" is not a whole number from 1 to {}", 1 << 18);
        refused_as_a_whole(text, &error);
    }
}

#[test]
fn records_have_an_order() {
    let order = "the order is case, sector, frame, fragment, param, noisy, r, d, p, s, c, end";
    refused("r 0 0 0 1\nnoisy 1 1", &format!("line 5: `noisy` must stand before `r`; {order}"));
    refused("p 0 0 0 1\nr 0 0 0 1", &format!("line 5: `r` must stand before `p`; {order}"));
    refused("fragment 20\nfragment 20", "line 5: a second `fragment`");
    refused("frame 20", "line 4: a second `frame`");
    refused("case b", "line 4: a case starts, but the previous one has no `end`");
    refused(
        "x 1 2",
        "line 4: unknown record \"x\"; there are case, sector, frame, fragment, param, noisy, r, \
         d, p, s, c, end",
    );
    let mixed = "line 5: `r` and `d` lines are in one case; either all samples have `d` lines, \
                 with their labels, or none";
    refused("r 0 0 0 1\nd 0 0 1 1 1", mixed);
    refused("d 0 0 1 1 1\nr 0 0 0 1", mixed);
}

#[test]
fn files_end_with_the_end_of_a_case() {
    refused_as_a_whole("", "at its end: it holds no case");
    refused_as_a_whole(
        format!("{BEGIN}r 1 1 1 1\n"),
        "at its end: the `end` of case \"a\" is missing; is the file cut off?",
    );
    refused_as_a_whole(
        format!("{BEGIN}end\nr 1 1 1 1\n"),
        "line 5: `r` is after an `end`; start a case with `case NAME`",
    );
    refused_as_a_whole(
        "frame 3\n",
        "line 1: `frame` is before any case; start a case with `case NAME`",
    );
    assert!(
        error_of(format!("{BEGIN}end\nthanks\n")).contains("line 5: unknown record \"thanks\"")
    );
    assert!(error_of("case a\nsector 1").contains("line 2: the file ends within this line"));
}

#[test]
fn lines_are_text_with_single_blanks() {
    refused_as_a_whole(
        b"case a\nsector \xff\n",
        "line 2: byte 8 of the line is not text; files of charges are UTF-8",
    );
    let blank = "line 4: an empty line, or a blank too many; separate words by a single one";
    for line in ["", " ", "r  0 0 0 1", " r 0 0 0 1", "r 0 0 0 1 ", "noisy 1 1 ", "p 0 0 0 1 "] {
        refused(line, blank);
    }
    let tab = error_of(format!("{BEGIN}r\t0 0 0 1\n"));
    assert!(tab.contains("line 4: unknown record \"r\\t0\";"), "{tab}");
    refused("r 0 0 0 1\r", "line 4: charge \"1\\r\" is not a whole number from 0 to 16383");
    let long = format!("{BEGIN}r 0 0 0{}\n", " 1".repeat(1 << 20));
    assert!(error_of(long).contains("line 4 is longer than 1048576 characters"));
}

#[test]
fn the_number_of_labels_of_a_sample_is_limited() {
    let line = |labels: usize| format!("d 0 0 0 1{}", " 1".repeat(labels));
    assert_eq!(case_of(&format!("{}\n", line(1000))).labels.expect("labels").list(0).len(), 1000);
    refused(&line(1001), "line 4: 1001 labels are more than the 1000 of a sample");
}

#[test]
fn files_have_one_of_two_endings() {
    for name in ["a.cases", "A.CASES.GZ"] {
        assert!(check_charge_file(Path::new(name)).is_ok());
    }
    let error = read_charges(Path::new("a.csv")).expect_err("another ending").to_string();
    assert_eq!(error, "a.csv: files of charges are named .cases or .cases.gz");
}

#[test]
fn cases_that_would_not_come_back_are_not_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.cases");
    let error = |case| write_charges(&path, &[case]).expect_err("no file").to_string();
    for name in ["", "a b", "a\n"] {
        let case = ChargeCase { name: name.to_owned(), ..case_of("") };
        assert!(error(case).contains("a name is one word, without blanks"));
    }
    let mut case = case_of("d 0 0 0 1 1\n");
    case.charges.push(Charge { time: 1, ..case.charges[0] });
    assert_eq!(error(case), "case \"a\": 2 samples, but labels of 1");
    let mut case = case_of("d 0 0 0 1 1\n");
    case.labels.insert(Default::default()).push(&[1; 1001]);
    assert_eq!(error(case), "case \"a\": a sample has more than 1000 labels");
    assert!(!path.exists());
}
