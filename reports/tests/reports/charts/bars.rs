//! Lengths of bars.

use reports::record::SummaryRow;

use super::rows::{
    GRID, INK, QUIET, colour_of, digi_sweep, elements, four_variants, lines_of, number, parsed,
    row, svg, texts, with_memory, without_interval,
};

/// Left and right ends of the bars of a chart, from top to bottom.
fn bars(svg: &str) -> Vec<(f64, f64)> {
    let document = parsed(svg);
    let rects = elements(&document, "rect");
    let rects: Vec<_> = rects.filter(|rect| rect.attribute("fill") != Some("#FFFFFF")).collect();
    let tallest = rects.iter().map(|rect| number(*rect, "height")).fold(0.0, f64::max);
    // Bars inside others are lower.
    let outer = rects.into_iter().filter(|rect| number(*rect, "height") >= tallest - 1.0);
    outer.map(|node| (number(node, "x"), number(node, "x") + number(node, "width"))).collect()
}

#[test]
fn bars_are_as_long_as_their_times() {
    let rows = four_variants();
    let bars = bars(&svg(&rows, "bars"));
    assert_eq!(bars.len(), 4);
    for ((from, to), row) in bars.iter().zip(&rows) {
        let expected = row.median_s.expect("valid") / 0.016;
        let ratio = (to - from) / (bars[3].1 - bars[3].0) / expected;
        assert!((ratio - 1.0).abs() < 0.02, "{bars:?}");
    }
}

#[test]
fn times_of_several_decades_are_dots_on_a_logarithmic_scale() {
    let rows = [1e-5, 1e-4, 1e-3].map(|time| row(&format!("v{time}"), "digis=1000", time));
    let text = svg(&rows, "bars");
    assert!(bars(&text).iter().all(|(from, to)| to - from < 20.0), "a bar has no zero to begin at");
    // Thin lines lead to the dots; the axis is longer.
    let lines = lines_of(&text, GRID).into_iter().filter(|line| line[0].1 == line[1].1);
    let mut ends: Vec<f64> = lines.map(|line| line[0].0.max(line[1].0)).collect();
    ends.sort_by(f64::total_cmp);
    ends.truncate(3);
    let steps: Vec<f64> = ends.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(steps[0] > 50.0 && (steps[1] - steps[0]).abs() <= 2.0, "{ends:?}");
}

#[test]
fn whiskers_span_the_interval() {
    let rows = four_variants();
    let spans = |rows: &[SummaryRow]| {
        let lines = lines_of(&svg(rows, "bars"), INK).into_iter();
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
    let text = svg(&digi_sweep(), "time-over-digis");
    let line = &lines_of(&text, &colour_of(&text, "one"))[0];
    assert_eq!(line.len(), 4);
    let steps: Vec<f64> = line.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
    assert!(steps[0] > 50.0 && steps.iter().all(|step| (step - steps[0]).abs() <= 1.0), "{line:?}");
    let texts = texts(&text);
    for label in ["1 k", "10 k", "100 k", "1 M"] {
        assert!(texts.iter().any(|text| text == label), "{label} not in {texts:?}");
    }
}

#[test]
fn memory_is_in_proportion_and_the_input_is_a_line() {
    let rows = [with_memory("digis=1000"), with_memory("digis=2000")].concat();
    let text = svg(&rows, "memory");
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
