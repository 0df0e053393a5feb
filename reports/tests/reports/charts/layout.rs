//! Texts, colours and sizes.

use std::collections::BTreeSet;

use plotters::style::IntoFont;
use reports::charts::NamedSvg;
use reports::record::SummaryRow;

use super::picture::{colour_of, elements, fills, number, parsed, texts};
use super::rows::{
    PLACEMENTS, crowded, digi_sweep, drawn, four_variants, many_variants, names, row, svg,
    threads_sweep, with_memory, without_interval,
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
