//! Files of charts, and errors of writing them.

use std::fs;
use std::path::Path;

use reports::charts::{ChartError, Diagnostics, Wanted, draw};
use reports::record::{SampleRow, SummaryRow, YesNo};

use super::picture::{number, parsed, texts};
use super::rows::{crowded, digi_sweep, drawn, four_variants, names, run, svg, written};

#[test]
fn many_panels_continue_in_further_files() {
    let rows = crowded();
    let mut images = drawn(&rows);
    images.retain(|image| image.chart == "bars");
    assert_eq!((images[0].name.as_str(), images[1].name.as_str()), ("bars", "bars-2"));
    assert!(images[1].title.starts_with("sort: time by variant (2 of "), "{}", images[1].title);
    let all: Vec<String> = images.iter().flat_map(|image| texts(&image.svg)).collect();
    let all = all.join(" ");
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
    let drawn = |diagnostics| {
        let wanted = Wanted { diagnostics, ..Wanted::default() };
        draw(&run(), &rows, &samples, wanted).expect("charts")
    };
    let [bars] = &drawn(Diagnostics::None)[..] else { panic!("several") };
    assert_eq!(bars.name, "bars");
    let [_, distribution, rounds] = &drawn(Diagnostics::All)[..] else { panic!("not three") };
    assert_eq!(
        (distribution.chart.as_str(), rounds.chart.as_str()),
        ("distribution", "time-over-round")
    );
    assert!(texts(&rounds.svg).contains(&"round".to_owned()));
    assert!(texts(&distribution.svg).contains(&"4.00 ms · 5 samples".to_owned()));
}

#[test]
fn variants_that_are_not_valid_are_named_with_the_reason() {
    let mut rows = four_variants();
    rows[0].valid = YesNo::No;
    rows[0].median_s = None;
    rows[0].note = "digis must be in order; channel 3 is not".into();
    let texts = texts(&svg(&rows, "bars"));
    let index = |text: &str| texts.iter().position(|other| other == text);
    assert!(index("a") > index("cub-segmented-radix"), "{texts:?}");
    assert!(index("digis must be in order").is_some(), "{texts:?}");
}

#[test]
fn without_valid_rows_there_are_no_files() {
    let mut rows = four_variants();
    rows.iter_mut().for_each(|row| row.valid = YesNo::No);
    assert!(names(&rows).is_empty() && names(&[]).is_empty());
    let dir = tempfile::tempdir().expect("a temporary folder");
    let folder = dir.path().join("charts");
    assert!(written(&folder, &rows).expect("nothing to write").is_empty() && !folder.exists());
}

#[test]
fn each_chart_is_an_svg_and_a_png_of_its_size() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let names = written(dir.path(), &digi_sweep()).expect("written");
    assert!(names.contains(&"time-over-digis.svg".to_owned()), "{names:?}");
    let read = |name: &str| fs::read(dir.path().join(name)).expect("a file");
    for [svg, png] in names.as_chunks().0 {
        assert_eq!(svg.strip_suffix(".svg"), png.strip_suffix(".png"));
        let svg = String::from_utf8(read(svg)).expect("text");
        let png = read(png);
        assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
        let big_endian = |at: usize| {
            f64::from(u32::from_be_bytes(png[at..at + 4].try_into().expect("four bytes")))
        };
        let document = parsed(&svg);
        let root = document.root_element();
        let size = (number(root, "width"), number(root, "height"));
        assert_eq!((big_endian(16), big_endian(20)), size);
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_an_error_with_its_name() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = dir.path().join("a-file");
    fs::write(&file, "").expect("written");
    let failure = |dir: &Path| written(dir, &four_variants()).expect_err("not writable");
    let error = failure(&file.join("charts"));
    assert!(matches!(error, ChartError::Folder { .. }));
    assert!(error.to_string().contains("a-file") && error.to_string().contains("--out"));

    fs::create_dir(dir.path().join("bars.svg")).expect("made");
    let error = failure(dir.path());
    assert!(matches!(error, ChartError::Write { .. }));
    assert!(error.to_string().contains("bars.svg"));
}

/// A link in a folder of charts must not redirect writes to another file.
#[test]
fn a_link_instead_of_a_chart_is_replaced() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let precious = dir.path().join("precious");
    let link = dir.path().join("bars.png");
    fs::write(&precious, "precious").expect("written");
    std::os::unix::fs::symlink(&precious, &link).expect("linked");
    written(dir.path(), &four_variants()).expect("written");
    assert!(link.is_file() && !link.is_symlink());
    assert_eq!(fs::read_to_string(&precious).expect("still there"), "precious");
}
