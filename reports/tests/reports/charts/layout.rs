//! Layout of charts, their files, and errors of writing them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use plotters::style::IntoFont;
use reports::charts::{ChartError, Diagnostics, NamedSvg, Wanted, draw};
use reports::record::{SampleRow, SummaryRow, YesNo};

use super::rows::{
    PLACEMENTS, colour_of, crowded, digi_sweep, drawn, elements, fills, four_variants,
    many_variants, names, number, parsed, row, run, svg, texts, threads_sweep, with_memory,
    without_interval, written,
};

#[test]
fn a_chart_says_what_it_shows() {
    assert_eq!(names(&four_variants()), ["bars"]);
    let texts = texts(&svg(&four_variants(), "bars"));
    let all = texts.join(" ");
    for expected in ["sort: time by variant", "median time [ms]", "a", "b", "block-merge"] {
        assert!(texts.iter().any(|text| text == expected), "{expected} not in {texts:?}");
    }
    assert!(texts.iter().any(|text| text == "cub-segmented-radix"));
    assert!(
        all.contains("Model 9000 <fast> & \"quoted\", 4 cores, 16 GB memory, 2 usable threads")
    );
    assert!(all.contains("2 M digis · 24 segments · order random · timeslice 10 ms · 2 threads"));
    assert!(all.contains("bars: median, the fastest first"));
    assert!(all.contains("10 samples per point"));
}

#[test]
fn microseconds_keep_their_letter() {
    let rows = four_variants()
        .into_iter()
        .map(|row| SummaryRow { median_s: row.median_s.map(|s| s * 1e-3), ..row });
    let rows: Vec<_> = rows.map(without_interval).collect();
    assert!(texts(&svg(&rows, "bars")).contains(&"median time [µs]".to_owned()));
}

#[test]
fn a_series_keeps_its_colour_in_all_charts() {
    let mut rows = digi_sweep();
    rows.push(SummaryRow { algorithm: "merge".into(), ..row("two", "n=1", 1e-3) });
    rows.push(SummaryRow { algorithm: "merge".into(), ..row("two", "n=2", 1e-3) });
    let images = drawn(&rows);
    assert_eq!(images.len(), 6);
    assert!(images.iter().any(|image| image.name == "sort-time-over-digis"));
    let (lines, bars): (Vec<_>, Vec<_>) = images
        .into_iter()
        .filter(|image| image.chart != "winners")
        .partition(|image| image.name.contains("over"));
    let lines: Vec<String> = lines.into_iter().map(|image| image.svg).collect();
    let colours: BTreeSet<String> = lines.iter().map(|svg| colour_of(svg, "two")).collect();
    let [colour] = &colours.into_iter().collect::<Vec<_>>()[..] else { panic!("several") };
    assert!(bars.iter().all(|image| fills(&image.svg).contains(colour)));
    assert_ne!(colour_of(&lines[0], "one"), colour_of(&lines[0], "two"));
}

#[test]
fn no_text_leaves_the_image_or_touches_another() {
    let threads = [1, 2, 4, 8, 16, 32, 64, 128, 144];
    let placed = threads_sweep(&threads, &PLACEMENTS, |t| 1e-3 / t as f64);
    let memory = with_memory("digis=1000");
    for rows in [four_variants(), digi_sweep(), crowded(), many_variants(), placed, memory] {
        for NamedSvg { name, width, height, svg, .. } in drawn(&rows) {
            let width = f64::from(width);
            let height = f64::from(height);
            let document = parsed(&svg);
            let boxes: Vec<TextBox> = elements(&document, "text").map(TextBox::new).collect();
            for (i, one) in boxes.iter().enumerate() {
                assert!(one.is_inside(width, height), "{one:?} leaves {name}");
                let touched = boxes[..i].iter().find(|other| one.touches(other));
                assert!(touched.is_none(), "{one:?} touches {touched:?} in {name}");
            }
        }
    }
}

/// The box of a text in the image.
#[derive(Debug)]
#[allow(dead_code, reason = "the text is for messages")]
struct TextBox<'a> {
    text: &'a str,
    from: (f64, f64),
    to: (f64, f64),
}

impl<'a> TextBox<'a> {
    /// Measured with the font that drawing has registered.
    fn new(node: roxmltree::Node<'a, '_>) -> Self {
        let text = node.text().unwrap_or_default().trim();
        let em = number(node, "font-size");
        // The font's height is 1.164 em, and heights are what plotters asks for.
        let font = ("sans-serif", em * 1.164).into_font();
        let length = f64::from(font.box_size(text).expect("the font is registered").0);
        let before = match node.attribute("text-anchor") {
            Some("start") => 0.0,
            Some("middle") => length / 2.0,
            _ => length,
        };
        let x = number(node, "x");
        let y = number(node, "y");
        let (from, to) = match node.attribute("transform") {
            None => ((x - before, y), (x - before + length, y + em)),
            Some(_) => ((x, y + before - length), (x + em, y + before)),
        };
        TextBox { text, from, to }
    }

    fn is_inside(&self, width: f64, height: f64) -> bool {
        self.from.0 >= 0.0 && self.from.1 >= 0.0 && self.to.0 <= width && self.to.1 <= height
    }

    fn touches(&self, other: &TextBox) -> bool {
        let apart = self.to.0 <= other.from.0
            || other.to.0 <= self.from.0
            || self.to.1 <= other.from.1
            || other.to.1 <= self.from.1;
        !apart
    }
}

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
