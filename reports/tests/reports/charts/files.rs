//! Which files there are, and what keeps them from being written.

use std::fs;

use reports::charts::{ChartError, Diagnostics, Wanted, draw};
use reports::record::{SampleRow, SummaryRow, YesNo};

use super::picture::{svg, texts};
use super::rows::{crowded, drawn, four_variants, run};

#[test]
fn many_panels_go_on_in_further_files() {
    let rows = crowded();
    let (dir, names) = drawn(&rows, &[]);
    assert!(names.contains(&"bars-2.svg".to_owned()), "{names:?}");
    let pages = names.iter().filter(|name| name.starts_with("bars") && name.ends_with(".svg"));
    let all = pages.flat_map(|name| texts(&svg(dir.path(), name)));
    let all = all.collect::<Vec<_>>().join(" ");
    for row in &rows {
        let value = |name: &str| row.params.get(name).unwrap_or_default();
        let title = format!("order = {} · skew = {}", value("order"), value("skew"));
        assert_eq!(all.matches(&title).count(), 4, "{title} at each size");
    }
}

#[test]
fn samples_are_shown_to_those_who_ask() {
    let rows = four_variants();
    let sample = |row: &SummaryRow, i: usize| SampleRow::new(&row.point(), "total", i, i, 1e-3);
    let samples: Vec<_> = rows.iter().flat_map(|row| (0..5).map(|i| sample(row, i))).collect();
    assert_eq!(drawn(&rows, &samples).1, ["bars.svg", "bars.png"]);
    let dir = tempfile::tempdir().expect("a temporary folder");
    let wanted = Wanted { diagnostics: Diagnostics::All, ..Wanted::default() };
    draw(dir.path(), &run(), &rows, &samples, wanted).expect("charts");
    let said = |name: &str| texts(&svg(dir.path(), name));
    assert!(said("time-over-round.svg").contains(&"round".to_owned()));
    assert!(said("distribution.svg").contains(&"4.00 ms · 5 samples".to_owned()));
}

#[test]
fn variants_that_are_not_valid_are_named_with_the_reason() {
    let mut rows = four_variants();
    rows[0].valid = YesNo::No;
    rows[0].median_s = None;
    rows[0].note = "digis must be in order; channel 3 is not".into();
    let (dir, _) = drawn(&rows, &[]);
    let texts = texts(&svg(dir.path(), "bars.svg"));
    let place = |text: &str| texts.iter().position(|other| other == text);
    assert!(place("a") > place("cub-segmented-radix"), "{texts:?}");
    assert!(place("digis must be in order").is_some(), "{texts:?}");
}

#[test]
fn without_valid_rows_there_are_no_files() {
    let mut rows = four_variants();
    rows.iter_mut().for_each(|row| row.valid = YesNo::No);
    let (dir, names) = drawn(&rows, &[]);
    assert!(names.is_empty());
    assert_eq!(fs::read_dir(dir.path()).expect("the folder").count(), 0);
    assert!(drawn(&[], &[]).1.is_empty());
}

#[test]
fn a_folder_that_cannot_be_written_is_an_error_with_its_name() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = dir.path().join("a-file");
    fs::write(&file, "").expect("written");
    let error = draw(&file.join("charts"), &run(), &four_variants(), &[], Wanted::default());
    let error = error.expect_err("a file is no folder");
    assert!(matches!(error, ChartError::Folder { .. }));
    assert!(error.to_string().contains("a-file") && error.to_string().contains("--out"));

    fs::create_dir(dir.path().join("bars.svg")).expect("made");
    let error = draw(dir.path(), &run(), &four_variants(), &[], Wanted::default())
        .expect_err("a folder is no file");
    assert!(matches!(error, ChartError::Write { .. }));
    assert!(error.to_string().contains("bars.svg"));
}

/// A device without room, which takes opens but no bytes.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let link = dir.path().join("bars.png");
    std::os::unix::fs::symlink("/dev/full", link).expect("linked");
    let error =
        draw(dir.path(), &run(), &four_variants(), &[], Wanted::default()).expect_err("no room");
    assert!(error.to_string().contains("bars.png"));
}
