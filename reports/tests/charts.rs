//! The charts of synthetic runs, read back from their files.

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use plotters::style::IntoFont;
use reports::charts::{ChartError, draw};
use reports::record::{Machine, RunRecord, SampleRow, SummaryRow, YesNo};
use roxmltree::Document;

/// The stroke of whiskers on bars.
const INK: &str = "#1E1E1E";

fn row(variant: &str, params: &str, median: f64) -> SummaryRow {
    SummaryRow {
        variant: variant.into(),
        params: params.parse().expect("well formed"),
        median_s: Some(median),
        ci95_low_s: Some(median * 0.95),
        ci95_high_s: Some(median * 1.05),
        memory_bytes: None,
        memory_ratio: None,
        ..common::row("")
    }
}

fn run() -> RunRecord {
    let record = common::record();
    RunRecord {
        machine: Machine {
            cpu_model: "Model 9000 <fast> & \"quoted\"".into(),
            cores: 4,
            hardware_threads: 8,
            memory_bytes: 16_000_000_000,
            ..record.machine
        },
        ..record
    }
}

/// Draws into a fresh folder; returns it with the names of the files.
fn drawn(rows: &[SummaryRow], samples: &[SampleRow]) -> (tempfile::TempDir, Vec<String>) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let paths = draw(dir.path(), &run(), rows, samples).expect("charts");
    assert!(paths.iter().all(|path| path.is_file()));
    let name = |path: &PathBuf| path.file_name().map(|n| n.to_string_lossy().into_owned());
    let names = paths.iter().filter_map(name).collect();
    (dir, names)
}

fn svg(dir: &Path, name: &str) -> String {
    fs::read_to_string(dir.join(name)).expect("an SVG file")
}

/// The lines of text of a picture.
fn texts(svg: &str) -> Vec<String> {
    let document = Document::parse(svg).expect("well-formed XML");
    let texts = document
        .descendants()
        .filter(|node| node.has_tag_name("text"));
    texts
        .filter_map(|node| node.text())
        .map(|text| text.trim().to_owned())
        .collect()
}

fn number(node: roxmltree::Node, name: &str) -> f64 {
    let value = node.attribute(name).expect("the attribute is there");
    value.parse().expect("a number")
}

/// The elements of a tag with this value of an attribute.
fn with<'a>(
    document: &'a Document,
    tag: &'a str,
    attribute: &'a str,
    value: &'a str,
) -> Vec<roxmltree::Node<'a, 'a>> {
    let found = document.descendants().filter(|node| node.has_tag_name(tag));
    found
        .filter(|node| node.attribute(attribute) == Some(value))
        .collect()
}

/// The fill of the swatch left of a name in the legend of bars.
fn colour_of(svg: &str, series: &str) -> String {
    let document = Document::parse(svg).expect("well-formed XML");
    let is_name = |node: &roxmltree::Node| {
        node.has_tag_name("text") && node.text().map(str::trim) == Some(series)
    };
    let name = document
        .descendants()
        .find(is_name)
        .expect("the series is named");
    let mut before = name
        .prev_siblings()
        .filter(|node| node.is_element())
        .skip(1);
    let marks = before
        .by_ref()
        .take_while(|node| !node.has_tag_name("text"));
    let colour = |node: roxmltree::Node| {
        node.attribute("stroke")
            .filter(|s| *s != "none")
            .or(node.attribute("fill"))
            .map(String::from)
    };
    marks.filter_map(colour).last().expect("a swatch")
}

fn four_variants() -> Vec<SummaryRow> {
    let params = "digis=2000000;order=random;segments=24;timeslice=10000000";
    ["a", "b", "block-merge", "cub-segmented-radix"]
        .iter()
        .enumerate()
        .map(|(i, name)| row(name, params, 0.004 * (i + 1) as f64))
        .collect()
}

fn digi_sweep() -> Vec<SummaryRow> {
    let sweep = [1_000u32, 10_000, 100_000, 1_000_000];
    let point =
        |name: &'static str| sweep.map(|n| row(name, &format!("digis={n}"), f64::from(n) * 1e-9));
    [point("one"), point("two")].concat()
}

#[test]
fn a_chart_says_what_it_shows() {
    let (dir, names) = drawn(&four_variants(), &[]);
    assert_eq!(names, ["bars.svg", "bars.png"]);
    let texts = texts(&svg(dir.path(), "bars.svg"));
    let all = texts.join(" ");
    for expected in [
        "sort: time by variant",
        "median time [ms]",
        "a",
        "b",
        "block-merge",
    ] {
        assert!(
            texts.iter().any(|text| text == expected),
            "{expected} not in {texts:?}"
        );
    }
    assert!(texts.iter().any(|text| text == "cub-segmented-radix"));
    assert!(
        all.contains("Model 9000 <fast> & \"quoted\", 4 cores, 16 GB memory, 2 usable threads")
    );
    assert!(all.contains("2 M digis · 24 segments · order random · timeslice 10 ms · 2 threads"));
    assert!(all.contains("bars: median, whiskers: 95 % confidence interval of the median"));
    assert!(all.contains("10 samples a point"));
}

#[test]
fn microseconds_keep_their_letter() {
    let rows = four_variants().into_iter().map(|row| SummaryRow {
        median_s: row.median_s.map(|s| s * 1e-3),
        ..row
    });
    let (dir, _) = drawn(&rows.map(without_interval).collect::<Vec<_>>(), &[]);
    assert!(texts(&svg(dir.path(), "bars.svg")).contains(&"median time [µs]".to_owned()));
}

fn without_interval(row: SummaryRow) -> SummaryRow {
    SummaryRow {
        ci95_low_s: None,
        ci95_high_s: None,
        ..row
    }
}

#[test]
fn bars_are_as_high_as_their_times() {
    let rows = four_variants();
    let (dir, _) = drawn(&rows, &[]);
    let text = svg(dir.path(), "bars.svg");
    let document = Document::parse(&text).expect("well-formed XML");
    let coloured = document
        .descendants()
        .filter(|node| node.has_tag_name("rect") && node.attribute("fill") != Some("#FFFFFF"));
    let heights: Vec<f64> = coloured.map(|node| number(node, "height")).collect();
    assert_eq!(heights.len(), 4);
    for (height, row) in heights.iter().zip(&rows) {
        let expected = row.median_s.expect("valid") / 0.016;
        let ratio = height / heights[3] / expected;
        assert!((ratio - 1.0).abs() < 0.02, "{heights:?}");
    }
}

#[test]
fn whiskers_span_the_interval() {
    let rows = four_variants();
    let whiskers = |rows: &[SummaryRow]| {
        let (dir, _) = drawn(rows, &[]);
        let text = svg(dir.path(), "bars.svg");
        let document = Document::parse(&text).expect("well-formed XML");
        let points = with(&document, "polyline", "stroke", INK);
        points
            .iter()
            .filter_map(|node| node.attribute("points").map(String::from))
            .collect::<Vec<_>>()
    };
    let none: Vec<_> = rows.iter().cloned().map(without_interval).collect();
    assert!(whiskers(&none).is_empty());
    let drawn = whiskers(&rows);
    assert_eq!(drawn.len(), 3 * rows.len());
    let spans: Vec<f64> = drawn
        .iter()
        .map(|points| height(points))
        .filter(|h| *h > 0.0)
        .collect();
    assert_eq!(spans.len(), rows.len());
    assert!((spans[3] / spans[0] - 4.0).abs() < 1.0, "{spans:?}");
}

/// How far the points of a line lie apart vertically.
fn height(points: &str) -> f64 {
    let ys = points
        .split_whitespace()
        .filter_map(|point| point.split_once(',')?.1.parse().ok());
    let ys: Vec<f64> = ys.collect();
    ys.iter().copied().fold(0.0, f64::max) - ys.iter().copied().fold(f64::INFINITY, f64::min)
}

#[test]
fn powers_of_ten_are_equally_far_apart() {
    let (dir, names) = drawn(&digi_sweep(), &[]);
    assert!(names.contains(&"time-over-digis.svg".to_owned()));
    let text = svg(dir.path(), "time-over-digis.svg");
    let document = Document::parse(&text).expect("well-formed XML");
    let colour = colour_of(&text, "one");
    let lines = with(&document, "polyline", "stroke", &colour);
    let longest = lines.iter().filter_map(|node| node.attribute("points"));
    let longest = longest
        .max_by_key(|points| points.matches(',').count())
        .expect("a line");
    let xs: Vec<f64> = longest
        .split_whitespace()
        .filter_map(|point| point.split_once(',')?.0.parse().ok())
        .collect();
    assert_eq!(xs.len(), 4);
    let steps: Vec<f64> = xs.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(
        steps[0] > 50.0 && steps.iter().all(|step| (step - steps[0]).abs() <= 1.0),
        "{xs:?}"
    );
    assert!(texts(&text).contains(&"100 k".to_owned()));
}

#[test]
fn a_series_keeps_its_colour_in_all_charts() {
    let mut rows = digi_sweep();
    rows.push(SummaryRow {
        algorithm: "merge".into(),
        ..row("two", "n=1", 1e-3)
    });
    rows.push(SummaryRow {
        algorithm: "merge".into(),
        ..row("two", "n=2", 1e-3)
    });
    let (dir, names) = drawn(&rows, &[]);
    assert!(
        names.contains(&"sort-time-over-digis.png".to_owned()),
        "{names:?}"
    );
    let svgs: Vec<_> = names.iter().filter(|name| name.ends_with(".svg")).collect();
    assert_eq!(svgs.len(), 4);
    let colours: BTreeSet<String> = svgs
        .iter()
        .map(|name| colour_of(&svg(dir.path(), name), "two"))
        .collect();
    assert_eq!(colours.len(), 1);
    let sort = svg(dir.path(), "sort-bars.svg");
    assert_ne!(colour_of(&sort, "one"), colour_of(&sort, "two"));
}

/// A run of the ugly kind: long names, many values, several axes.
fn crowded() -> Vec<SummaryRow> {
    let names = [
        "cub-segmented-radix",
        "voracious_radix_sort",
        "thrust-stable-sort-by-key",
        "x",
    ];
    let mut rows = Vec::new();
    for (i, name) in names.iter().enumerate() {
        for order in [
            "random",
            "sorted",
            "jitter:64",
            "a-long-name-of-an-order-of-the-digis",
        ] {
            for skew in [0, 1, 2] {
                for digis in 1..=12 {
                    let params = format!("digis={};order={order};skew={skew}", digis * 100_000);
                    rows.push(row(name, &params, 1e-3 * f64::from(digis) * (i + 1) as f64));
                }
            }
        }
    }
    rows
}

#[test]
fn many_panels_go_on_in_further_files() {
    let rows = crowded();
    let (dir, names) = drawn(&rows, &[]);
    assert!(names.contains(&"bars-2.svg".to_owned()), "{names:?}");
    assert!(
        names.contains(&"time-over-digis-2.png".to_owned()),
        "{names:?}"
    );
    let pages = names
        .iter()
        .filter(|name| name.starts_with("bars") && name.ends_with(".svg"));
    let all = pages.flat_map(|name| texts(&svg(dir.path(), name)));
    let all = all.collect::<Vec<_>>().join(" ");
    for row in &rows {
        let value = |name: &str| row.params.get(name).unwrap_or_default();
        let title = format!("order = {} · skew = {}", value("order"), value("skew"));
        assert_eq!(all.matches(&title).count(), 1, "{title}");
    }
}

/// Forty variants with long names on one point, and ten that are not valid.
fn many_variants() -> Vec<SummaryRow> {
    let name = |i: u32| format!("a-variant-with-a-long-name-{i}");
    let valid = (10..50).map(|i| row(&name(i), "digis=1000", 1e-3 * f64::from(i)));
    let wrong = (50..60).map(|i| SummaryRow {
        valid: YesNo::No,
        ..row(&name(i), "digis=1000", 1.0)
    });
    valid.chain(wrong).collect()
}

#[test]
fn no_text_leaves_the_image_or_touches_another() {
    let threads = [1, 2, 4, 8, 16, 32, 64, 128, 144];
    let placed = threads_sweep(&threads, &PLACEMENTS, |t| 1e-3 / t as f64);
    let memory = with_memory("digis=1000");
    for rows in [
        four_variants(),
        digi_sweep(),
        crowded(),
        many_variants(),
        placed,
        memory,
    ] {
        let (dir, names) = drawn(&rows, &[]);
        for name in names.iter().filter(|name| name.ends_with(".svg")) {
            let text = svg(dir.path(), name);
            let document = Document::parse(&text).expect("well-formed XML");
            let root = document.root_element();
            let size = (number(root, "width"), number(root, "height"));
            let texts = document
                .descendants()
                .filter(|node| node.has_tag_name("text"));
            let boxes: Vec<TextBox> = texts.map(TextBox::new).collect();
            for (i, one) in boxes.iter().enumerate() {
                assert!(one.is_inside(size), "{one:?} leaves {name} of {size:?}");
                let touched = boxes[..i].iter().find(|other| one.touches(other));
                assert!(touched.is_none(), "{one:?} touches {touched:?} in {name}");
            }
        }
    }
}

/// The room that a text takes in the image.
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
        let (x, y) = (number(node, "x"), number(node, "y"));
        let (from, to) = match node.attribute("transform") {
            None => ((x - before, y), (x - before + length, y + em)),
            Some(_) => ((x, y + before - length), (x + em, y + before)),
        };
        TextBox { text, from, to }
    }

    fn is_inside(&self, (width, height): (f64, f64)) -> bool {
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
fn a_png_is_as_large_as_its_svg() {
    let (dir, names) = drawn(&digi_sweep(), &[]);
    for name in names.iter().filter(|name| name.ends_with(".png")) {
        let bytes = fs::read(dir.path().join(name)).expect("a PNG file");
        assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
        let big_endian = |at: usize| {
            f64::from(u32::from_be_bytes([
                bytes[at],
                bytes[at + 1],
                bytes[at + 2],
                bytes[at + 3],
            ]))
        };
        let text = svg(dir.path(), &name.replace(".png", ".svg"));
        let document = Document::parse(&text).expect("well-formed XML");
        let root = document.root_element();
        assert_eq!(
            (big_endian(16), big_endian(20)),
            (number(root, "width"), number(root, "height"))
        );
    }
}

#[test]
fn without_a_numeric_axis_the_rounds_are_shown() {
    let rows = four_variants();
    let sample = |row: &SummaryRow, i: usize| SampleRow::new(&row.point(), "total", i, i, 1e-3);
    let samples: Vec<_> = rows
        .iter()
        .flat_map(|row| (0..5).map(|i| sample(row, i)))
        .collect();
    let (dir, names) = drawn(&rows, &samples);
    assert_eq!(names[2..], ["time-over-round.svg", "time-over-round.png"]);
    let texts = texts(&svg(dir.path(), "time-over-round.svg"));
    assert!(texts.contains(&"round".to_owned()));
}

#[test]
fn rows_that_are_not_valid_are_left_out_and_counted() {
    let mut rows = four_variants();
    rows[0].valid = YesNo::No;
    rows[0].median_s = None;
    let (dir, _) = drawn(&rows, &[]);
    let texts = texts(&svg(dir.path(), "bars.svg"));
    assert!(!texts.contains(&"a".to_owned()));
    assert!(
        texts
            .join(" ")
            .contains("1 variant not shown: not valid (a)")
    );
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
    let error = draw(&file.join("charts"), &run(), &four_variants(), &[]);
    let error = error.expect_err("a file is no folder");
    assert!(matches!(error, ChartError::Folder { .. }));
    assert!(error.to_string().contains("a-file") && error.to_string().contains("--out"));

    fs::create_dir(dir.path().join("bars.svg")).expect("made");
    let error = draw(dir.path(), &run(), &four_variants(), &[]).expect_err("a folder is no file");
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
    let error = draw(dir.path(), &run(), &four_variants(), &[]).expect_err("no room");
    assert!(error.to_string().contains("bars.png"));
}

/// Two variants at some threads in some placements; `median` is that of "fast".
fn threads_sweep(
    threads: &[usize],
    placements: &[(&str, &str)],
    median: fn(usize) -> f64,
) -> Vec<SummaryRow> {
    let mut rows = Vec::new();
    for (factor, variant) in [(1.0, "fast"), (3.0, "slow")] {
        for (places, bind) in placements {
            rows.extend(threads.iter().map(|threads| SummaryRow {
                threads: *threads,
                places: (*places).into(),
                bind: (*bind).into(),
                ..row(variant, "digis=1000", factor * median(*threads))
            }));
        }
    }
    rows
}

const UNPLACED: [(&str, &str); 1] = [("none", "false")];
const PLACEMENTS: [(&str, &str); 3] =
    [("none", "false"), ("cores", "close"), ("sockets", "spread")];

/// The points of the lines of this colour, the longest line first.
fn lines_of(svg: &str, colour: &str) -> Vec<Vec<(f64, f64)>> {
    let document = Document::parse(svg).expect("well-formed XML");
    let lines = with(&document, "polyline", "stroke", colour);
    let point = |text: &str| {
        let (x, y) = text.split_once(',')?;
        Some((x.parse().ok()?, y.parse().ok()?))
    };
    let points = |text: &str| text.split_whitespace().filter_map(point).collect();
    let mut lines: Vec<Vec<(f64, f64)>> = lines
        .iter()
        .filter_map(|node| node.attribute("points"))
        .map(points)
        .collect();
    lines.sort_by_key(|line| std::cmp::Reverse(line.len()));
    lines
}

/// Where the ticks of the vertical axis are, by their labels.
fn height_of_tick(svg: &str, label: &str) -> f64 {
    let document = Document::parse(svg).expect("well-formed XML");
    let is_label = |node: &roxmltree::Node| {
        node.has_tag_name("text")
            && node.attribute("text-anchor") == Some("end")
            && node.text().map(str::trim) == Some(label)
    };
    let mut labels = document.descendants().filter(is_label);
    let label = labels.next().expect("the tick is labelled");
    let tick = label.prev_sibling_element().expect("a tick");
    let points = tick.attribute("points").expect("a line");
    let y = points
        .split_whitespace()
        .next()
        .and_then(|p| p.split_once(','));
    y.and_then(|(_, y)| y.parse().ok()).expect("a number")
}

#[test]
fn the_speedup_is_at_its_place_on_the_axis() {
    // Twice as fast on four threads and four times on sixteen: the root.
    let rows = threads_sweep(&[1, 4, 16], &UNPLACED, |t| 8e-3 / (t as f64).sqrt());
    let (dir, names) = drawn(&rows, &[]);
    assert!(names.contains(&"time-over-threads.png".to_owned()));
    assert!(names.contains(&"speedup-over-threads.png".to_owned()));
    let text = svg(dir.path(), "speedup-over-threads.svg");
    let line = &lines_of(&text, &colour_of(&text, "slow"))[0];
    let expected = ["1", "2", "4"].map(|label| height_of_tick(&text, label));
    for ((_, y), expected) in line.iter().zip(expected) {
        assert!((y - expected).abs() <= 1.0, "{y} and not {expected}");
    }
    let texts = texts(&text);
    assert!(texts.contains(&"speed-up over 1 thread".to_owned()));
    let all = texts.join(" ");
    assert!(all.contains("ratios of the ends of the two 95 % confidence intervals"));
}

#[test]
fn the_ideal_is_what_a_perfect_variant_follows() {
    let rows = threads_sweep(&[1, 2, 4, 8, 16], &UNPLACED, |t| 8e-3 / t as f64);
    let (dir, _) = drawn(&rows, &[]);
    let text = svg(dir.path(), "speedup-over-threads.svg");
    let line = &lines_of(&text, &colour_of(&text, "slow"))[0];
    let (first, last) = (line[0], line[line.len() - 1]);
    let mut ideal: Vec<_> = lines_of(&text, &colour_of(&text, "ideal")).concat();
    // The legend is above the panel.
    ideal.retain(|(_, y)| *y >= last.1 - 1.0);
    assert!(ideal.len() > 20, "dashes");
    let slope = (last.1 - first.1) / (last.0 - first.0);
    for (x, y) in &ideal {
        let expected = first.1 + slope * (x - first.0);
        assert!((y - expected).abs() <= 2.0, "{y} and not {expected}");
    }
    let right = ideal.iter().map(|(x, _)| *x).fold(0.0, f64::max);
    assert!((last.0 - right).abs() <= 10.0);
}

#[test]
fn each_placement_has_a_line_in_the_panel_of_its_variant() {
    let rows = threads_sweep(&[1, 2, 4, 8], &PLACEMENTS, |t| 8e-3 / t as f64);
    let (dir, _) = drawn(&rows, &[]);
    for chart in ["time-over-threads.svg", "speedup-over-threads.svg"] {
        let text = svg(dir.path(), chart);
        for title in ["fast", "slow"] {
            let panels = texts(&text).iter().filter(|text| *text == title).count();
            assert_eq!(panels, 1, "{title} in {chart}");
        }
        for placement in ["not placed", "cores close", "sockets spread"] {
            let lines = lines_of(&text, &colour_of(&text, placement));
            let long = lines.iter().filter(|line| line.len() == 4);
            assert_eq!(long.count(), 2, "{placement} in {chart}");
        }
    }
}

#[test]
fn threads_and_segments_have_charts_beside_the_longest_axis() {
    let mut rows = Vec::new();
    for digis in [1, 2, 3] {
        for segments in [24, 1792] {
            let params = format!("digis={digis};segments={segments}");
            rows.extend([1, 2].map(|threads| SummaryRow {
                threads,
                ..row("a", &params, 1e-3)
            }));
        }
    }
    let (_dir, names) = drawn(&rows, &[]);
    let svgs: Vec<_> = names
        .iter()
        .filter_map(|n| n.strip_suffix(".svg"))
        .collect();
    let expected = [
        "bars",
        "time-over-digis",
        "time-over-segments",
        "time-over-threads",
        "speedup-over-threads",
    ];
    assert_eq!(svgs, expected);
}

/// Four variants with 1, 2, 3 and 4 times the memory of the input.
fn with_memory(params: &str) -> Vec<SummaryRow> {
    let names = ["a", "b", "c", "d"].into_iter().zip([1.0, 2.0, 3.0, 4.0]);
    let row = |(name, ratio)| SummaryRow {
        memory_ratio: Some(ratio),
        ..row(name, params, 1e-3)
    };
    names.map(row).collect()
}

#[test]
fn memory_is_in_proportion_and_the_input_is_a_line() {
    let rows = [with_memory("digis=1000"), with_memory("digis=2000")].concat();
    let (dir, names) = drawn(&rows, &[]);
    assert!(names.contains(&"memory.png".to_owned()), "{names:?}");
    let text = svg(dir.path(), "memory.svg");
    let document = Document::parse(&text).expect("well-formed XML");
    let bars = document
        .descendants()
        .filter(|node| node.has_tag_name("rect") && node.attribute("fill") != Some("#FFFFFF"));
    let bars: Vec<(f64, f64)> = bars
        .map(|node| (number(node, "y"), number(node, "height")))
        .collect();
    assert_eq!(bars.len(), 4, "each variant once");
    for (i, (_, height)) in bars.iter().enumerate() {
        let expected = bars[0].1 * (i + 1) as f64;
        assert!((height - expected).abs() <= 4.0, "{bars:?}");
    }
    let reference = lines_of(&text, INK).concat();
    assert!(reference.len() > 20, "dashes");
    let is_at_input = |(_, y): &(f64, f64)| (y - bars[0].0).abs() <= 1.0;
    assert!(reference.iter().all(is_at_input));
    let texts = texts(&text);
    assert!(texts.contains(&"memory [× input]".to_owned()));
    assert!(texts.join(" ").contains("the same to 1 % at all points"));
}
