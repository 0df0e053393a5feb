//! Bars are as high as they should be.

use reports::record::SummaryRow;
use roxmltree::Document;

use super::picture::{INK, colour_of, lines_of, number, svg, texts, with};
use super::rows::{digi_sweep, drawn, four_variants, with_memory, without_interval};

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
    let spans: Vec<f64> = drawn.iter().map(|points| height(points)).filter(|h| *h > 0.0).collect();
    assert_eq!(spans.len(), rows.len());
    assert!((spans[3] / spans[0] - 4.0).abs() < 1.0, "{spans:?}");
}

/// How far the points of a line lie apart vertically.
fn height(points: &str) -> f64 {
    let ys = points.split_whitespace().filter_map(|point| point.split_once(',')?.1.parse().ok());
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
    let longest = longest.max_by_key(|points| points.matches(',').count()).expect("a line");
    let xs: Vec<f64> = longest
        .split_whitespace()
        .filter_map(|point| point.split_once(',')?.0.parse().ok())
        .collect();
    assert_eq!(xs.len(), 4);
    let steps: Vec<f64> = xs.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(steps[0] > 50.0 && steps.iter().all(|step| (step - steps[0]).abs() <= 1.0), "{xs:?}");
    assert!(texts(&text).contains(&"100 k".to_owned()));
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
    let bars: Vec<(f64, f64)> =
        bars.map(|node| (number(node, "y"), number(node, "height"))).collect();
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
