//! Synthetic rows, and elements of their pictures, read back from the files.

use std::collections::BTreeSet;
use std::path::Path;

use reports::charts::{ChartError, NamedSvg, Wanted, draw, write};
use reports::record::{Machine, RunRecord, SummaryRow, YesNo};
use roxmltree::{Document, Node};

use crate::common;

pub fn row(variant: &str, params: &str, median: f64) -> SummaryRow {
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

pub fn run() -> RunRecord {
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

/// The charts of rows.
pub fn drawn(rows: &[SummaryRow]) -> Vec<NamedSvg> {
    draw(&run(), rows, &[], Wanted::default()).expect("charts")
}

/// The names of the charts of rows.
pub fn names(rows: &[SummaryRow]) -> Vec<String> {
    drawn(rows).into_iter().map(|image| image.name).collect()
}

/// One of the charts of rows.
pub fn svg(rows: &[SummaryRow], name: &str) -> String {
    let image = drawn(rows).into_iter().find(|image| image.name == name);
    image.unwrap_or_else(|| panic!("no {name}")).svg
}

/// Writes the charts of rows; returns the names of the files.
pub fn written(dir: &Path, rows: &[SummaryRow]) -> Result<Vec<String>, ChartError> {
    let paths = write(dir, &drawn(rows))?;
    assert!(paths.iter().all(|path| path.is_file()));
    let names = paths.iter().filter_map(|path| path.file_name());
    Ok(names.map(|name| name.to_string_lossy().into_owned()).collect())
}

pub fn four_variants() -> Vec<SummaryRow> {
    let params = "digis=2000000;order=random;segments=24;timeslice=10000000";
    ["a", "b", "block-merge", "cub-segmented-radix"]
        .iter()
        .enumerate()
        .map(|(i, name)| row(name, params, 0.004 * (i + 1) as f64))
        .collect()
}

pub fn digi_sweep() -> Vec<SummaryRow> {
    let sweep = [1_000u32, 10_000, 100_000, 1_000_000];
    let point =
        |name: &'static str| sweep.map(|n| row(name, &format!("digis={n}"), f64::from(n) * 1e-9));
    [point("one"), point("two")].concat()
}

pub fn without_interval(row: SummaryRow) -> SummaryRow {
    SummaryRow { ci95_low_s: None, ci95_high_s: None, ..row }
}

/// A run that is hard to draw: long names, many values, several axes.
pub fn crowded() -> Vec<SummaryRow> {
    let names = ["cub-segmented-radix", "voracious_radix_sort", "thrust-stable-sort-by-key", "x"];
    let mut rows = Vec::new();
    for (i, name) in names.iter().enumerate() {
        for order in ["random", "sorted", "jitter:64", "a-long-name-of-an-order-of-the-digis"] {
            for skew in [0, 1, 2] {
                for digis in 1..=4 {
                    let params = format!("digis={};order={order};skew={skew}", digis * 100_000);
                    rows.push(row(name, &params, 1e-3 * f64::from(digis) * (i + 1) as f64));
                }
            }
        }
    }
    rows
}

/// Forty variants with long names on one point, and ten that are not valid.
pub fn many_variants() -> Vec<SummaryRow> {
    let name = |i: u32| format!("a-variant-with-a-long-name-{i}");
    let valid = (10..50).map(|i| row(&name(i), "digis=1000", 1e-3 * f64::from(i)));
    let wrong =
        (50..60).map(|i| SummaryRow { valid: YesNo::No, ..row(&name(i), "digis=1000", 1.0) });
    valid.chain(wrong).collect()
}

/// Two variants at some threads in some placements; `median` is that of "fast".
pub fn threads_sweep(
    threads: &[usize],
    placements: &[(&str, &str)],
    median: fn(usize) -> f64,
) -> Vec<SummaryRow> {
    let mut rows = Vec::new();
    for (factor, variant) in [(1.0, "fast"), (3.0, "slow")] {
        for (cpu_sets, bind) in placements {
            rows.extend(threads.iter().map(|threads| SummaryRow {
                threads: *threads,
                cpu_sets: (*cpu_sets).into(),
                bind: (*bind).into(),
                ..row(variant, "digis=1000", factor * median(*threads))
            }));
        }
    }
    rows
}

pub const UNPLACED: [(&str, &str); 1] = [("none", "false")];
pub const PLACEMENTS: [(&str, &str); 3] =
    [("none", "false"), ("cores", "close"), ("sockets", "spread")];

/// Four variants with 1, 2, 3 and 4 times the memory of the input.
pub fn with_memory(params: &str) -> Vec<SummaryRow> {
    let names = ["a", "b", "c", "d"].into_iter().zip([1.0, 2.0, 3.0, 4.0]);
    let row = |(name, ratio)| SummaryRow { memory_ratio: Some(ratio), ..row(name, params, 1e-3) };
    names.map(row).collect()
}

pub fn parsed(svg: &str) -> Document<'_> {
    Document::parse(svg).expect("well-formed XML")
}

/// The elements of a tag.
pub fn elements<'a>(document: &'a Document, tag: &str) -> impl Iterator<Item = Node<'a, 'a>> {
    document.descendants().filter(move |node| node.has_tag_name(tag))
}

/// The lines of text of a picture.
pub fn texts(svg: &str) -> Vec<String> {
    let document = parsed(svg);
    let texts = elements(&document, "text");
    texts.filter_map(|node| node.text()).map(|text| text.trim().to_owned()).collect()
}

pub fn number(node: Node, name: &str) -> f64 {
    let value = node.attribute(name).expect("the attribute is there");
    value.parse().expect("a number")
}

/// The colour of the marker before a name in the legend of lines.
pub fn colour_of(svg: &str, series: &str) -> String {
    let document = parsed(svg);
    let is_name = |node: &Node| node.text().map(str::trim) == Some(series);
    let name = elements(&document, "text").find(is_name).expect("the series is named");
    let mut before = name.prev_siblings().filter(|node| node.is_element()).skip(1);
    let line = before.find(|node| node.has_tag_name("polyline"));
    line.and_then(|line| line.attribute("stroke")).expect("a line").to_owned()
}

/// The fills of the bars of a chart.
pub fn fills(svg: &str) -> BTreeSet<String> {
    let document = parsed(svg);
    elements(&document, "rect").filter_map(|rect| Some(rect.attribute("fill")?.into())).collect()
}

/// The points of the lines of this colour, the longest line first.
pub fn lines_of(svg: &str, colour: &str) -> Vec<Vec<(f64, f64)>> {
    let document = parsed(svg);
    let lines = elements(&document, "polyline");
    let lines = lines.filter(|line| line.attribute("stroke") == Some(colour));
    let point = |text: &str| {
        let (x, y) = text.split_once(',')?;
        Some((x.parse().ok()?, y.parse().ok()?))
    };
    let points = |text: &str| text.split_whitespace().filter_map(point).collect();
    let mut lines: Vec<Vec<(f64, f64)>> =
        lines.filter_map(|node| node.attribute("points")).map(points).collect();
    lines.sort_by_key(|line| std::cmp::Reverse(line.len()));
    lines
}

/// Heights of the ticks of the vertical axis, by their labels.
pub fn height_of_tick(svg: &str, label: &str) -> f64 {
    let document = parsed(svg);
    let is_label = |node: &Node| {
        node.attribute("text-anchor") == Some("end") && node.text().map(str::trim) == Some(label)
    };
    let label = elements(&document, "text").find(is_label).expect("the tick is labelled");
    let tick = label.next_sibling_element().expect("a tick");
    let points = tick.attribute("points").expect("a line");
    let y = points.split_whitespace().next().and_then(|p| p.split_once(','));
    y.and_then(|(_, y)| y.parse().ok()).expect("a number")
}

/// The stroke of whiskers on bars.
pub const INK: &str = "#1E1E1E";
/// The stroke of axes, and of lines that lead to dots.
pub const GRID: &str = "#E4E4E4";
/// The stroke of reference lines.
pub const QUIET: &str = "#555555";
