//! Bars are as long as they should be.

use reports::record::SummaryRow;
use roxmltree::Document;

use super::picture::{INK, QUIET, colour_of, lines_of, number, svg, texts, with};
use super::rows::{digi_sweep, drawn, four_variants, row, with_memory, without_interval};

/// Left and right of the bars of a chart, from above.
fn bars(svg: &str) -> Vec<(f64, f64)> {
    let document = Document::parse(svg).expect("well-formed XML");
    let rects = document
        .descendants()
        .filter(|node| node.has_tag_name("rect") && node.attribute("fill") != Some("#FFFFFF"));
    let tallest = rects.clone().map(|node| number(node, "height")).fold(0.0, f64::max);
    // Those inside others are lower.
    let outer = rects.filter(|node| number(*node, "height") >= tallest - 1.0);
    outer.map(|node| (number(node, "x"), number(node, "x") + number(node, "width"))).collect()
}

#[test]
fn bars_are_as_long_as_their_times() {
    let rows = four_variants();
    let (dir, _) = drawn(&rows, &[]);
    let bars = bars(&svg(dir.path(), "bars.svg"));
    assert_eq!(bars.len(), 4);
    for ((from, to), row) in bars.iter().zip(&rows) {
        let expected = row.median_s.expect("valid") / 0.016;
        let ratio = (to - from) / (bars[3].1 - bars[3].0) / expected;
        assert!((ratio - 1.0).abs() < 0.02, "{bars:?}");
    }
}

#[test]
fn times_of_several_decades_are_on_a_logarithmic_scale() {
    let rows = [1e-5, 1e-4, 1e-3].map(|time| row(&format!("v{time}"), "digis=1000", time));
    let (dir, _) = drawn(&rows, &[]);
    let ends: Vec<f64> = bars(&svg(dir.path(), "bars.svg")).iter().map(|bar| bar.1).collect();
    let steps: Vec<f64> = ends.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(steps[0] > 50.0 && (steps[1] - steps[0]).abs() <= 2.0, "{ends:?}");
}

#[test]
fn whiskers_span_the_interval() {
    let rows = four_variants();
    let spans = |rows: &[SummaryRow]| {
        let (dir, _) = drawn(rows, &[]);
        let text = svg(dir.path(), "bars.svg");
        let lines = lines_of(&text, INK).into_iter();
        let across = lines.map(|line| (line[1].0 - line[0].0).abs());
        across.filter(|span| *span > 0.0).collect::<Vec<f64>>()
    };
    let none: Vec<_> = rows.iter().cloned().map(without_interval).collect();
    assert!(spans(&none).is_empty());
    let mut spans = spans(&rows);
    spans.sort_by(f64::total_cmp);
    assert_eq!(spans.len(), rows.len());
    assert!((spans[3] / spans[0] - 4.0).abs() < 1.0, "{spans:?}");
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
    let bars = bars(&text);
    assert_eq!(bars.len(), 4, "each variant once");
    let length = |bar: &(f64, f64)| bar.1 - bar.0;
    for (i, bar) in bars.iter().enumerate() {
        let expected = length(&bars[0]) * (i + 1) as f64;
        assert!((length(bar) - expected).abs() <= 4.0, "{bars:?}");
    }
    let reference = lines_of(&text, QUIET).concat();
    assert!(reference.len() > 20, "dashes");
    assert!(reference.iter().all(|(x, _)| (x - bars[0].1).abs() <= 1.0));
    let texts = texts(&text);
    assert!(texts.contains(&"memory [× input]".to_owned()));
    assert!(texts.join(" ").contains("the same to 1 % at all points"));
}
