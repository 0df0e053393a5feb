//! Texts, colours and sizes.

use std::collections::BTreeSet;
use std::fs;

use plotters::style::IntoFont;
use reports::record::SummaryRow;
use roxmltree::Document;

use super::picture::{colour_of, fills, number, svg, texts};
use super::rows::{
    PLACEMENTS, crowded, digi_sweep, drawn, four_variants, many_variants, row, threads_sweep,
    with_memory, without_interval,
};

#[test]
fn a_chart_says_what_it_shows() {
    let (dir, names) = drawn(&four_variants(), &[]);
    assert_eq!(names, ["bars.svg", "bars.png"]);
    let texts = texts(&svg(dir.path(), "bars.svg"));
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
    assert!(all.contains("10 samples a point"));
}

#[test]
fn microseconds_keep_their_letter() {
    let rows = four_variants()
        .into_iter()
        .map(|row| SummaryRow { median_s: row.median_s.map(|s| s * 1e-3), ..row });
    let (dir, _) = drawn(&rows.map(without_interval).collect::<Vec<_>>(), &[]);
    assert!(texts(&svg(dir.path(), "bars.svg")).contains(&"median time [µs]".to_owned()));
}

#[test]
fn a_series_keeps_its_colour_in_all_charts() {
    let mut rows = digi_sweep();
    rows.push(SummaryRow { algorithm: "merge".into(), ..row("two", "n=1", 1e-3) });
    rows.push(SummaryRow { algorithm: "merge".into(), ..row("two", "n=2", 1e-3) });
    let (dir, names) = drawn(&rows, &[]);
    assert!(names.contains(&"sort-time-over-digis.png".to_owned()), "{names:?}");
    let svgs: Vec<_> = names.iter().filter(|name| name.ends_with(".svg")).collect();
    assert_eq!(svgs.len(), 6);
    let (lines, bars): (Vec<_>, Vec<_>) = svgs
        .into_iter()
        .filter(|name| !name.contains("winners"))
        .partition(|name| name.contains("over"));
    let lines = lines.into_iter().map(|name| svg(dir.path(), name));
    let lines: Vec<String> = lines.collect();
    let colours: BTreeSet<String> = lines.iter().map(|svg| colour_of(svg, "two")).collect();
    let [colour] = &colours.into_iter().collect::<Vec<_>>()[..] else { panic!("several") };
    assert!(bars.into_iter().all(|name| fills(&svg(dir.path(), name)).contains(colour)));
    assert_ne!(colour_of(&lines[0], "one"), colour_of(&lines[0], "two"));
}

#[test]
fn no_text_leaves_the_image_or_touches_another() {
    let threads = [1, 2, 4, 8, 16, 32, 64, 128, 144];
    let placed = threads_sweep(&threads, &PLACEMENTS, |t| 1e-3 / t as f64);
    let memory = with_memory("digis=1000");
    for rows in [four_variants(), digi_sweep(), crowded(), many_variants(), placed, memory] {
        let (dir, names) = drawn(&rows, &[]);
        for name in names.iter().filter(|name| name.ends_with(".svg")) {
            let text = svg(dir.path(), name);
            let document = Document::parse(&text).expect("well-formed XML");
            let root = document.root_element();
            let size = (number(root, "width"), number(root, "height"));
            let texts = document.descendants().filter(|node| node.has_tag_name("text"));
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
            f64::from(u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]))
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
