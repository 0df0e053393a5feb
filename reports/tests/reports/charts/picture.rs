//! What a picture shows, read back from its file.

use std::collections::BTreeSet;

use roxmltree::Document;

/// The lines of text of a picture.
pub fn texts(svg: &str) -> Vec<String> {
    let document = Document::parse(svg).expect("well-formed XML");
    let texts = document.descendants().filter(|node| node.has_tag_name("text"));
    texts.filter_map(|node| node.text()).map(|text| text.trim().to_owned()).collect()
}

pub fn number(node: roxmltree::Node, name: &str) -> f64 {
    let value = node.attribute(name).expect("the attribute is there");
    value.parse().expect("a number")
}

/// The colour of the look before a name in the legend of lines.
pub fn colour_of(svg: &str, series: &str) -> String {
    let document = Document::parse(svg).expect("well-formed XML");
    let is_name = |node: &roxmltree::Node| {
        node.has_tag_name("text") && node.text().map(str::trim) == Some(series)
    };
    let name = document.descendants().find(is_name).expect("the series is named");
    let mut before = name.prev_siblings().filter(|node| node.is_element()).skip(1);
    let line = before.find(|node| node.has_tag_name("polyline"));
    line.and_then(|line| line.attribute("stroke")).expect("a line").to_owned()
}

/// The fills of the bars of a chart.
pub fn fills(svg: &str) -> BTreeSet<String> {
    let document = Document::parse(svg).expect("well-formed XML");
    let rects = document.descendants().filter(|node| node.has_tag_name("rect"));
    rects.filter_map(|node| node.attribute("fill").map(String::from)).collect()
}

/// The points of the lines of this colour, the longest line first.
pub fn lines_of(svg: &str, colour: &str) -> Vec<Vec<(f64, f64)>> {
    let document = Document::parse(svg).expect("well-formed XML");
    let lines = document
        .descendants()
        .filter(|node| node.has_tag_name("polyline") && node.attribute("stroke") == Some(colour));
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

/// Where the ticks of the vertical axis are, by their labels.
pub fn height_of_tick(svg: &str, label: &str) -> f64 {
    let document = Document::parse(svg).expect("well-formed XML");
    let is_label = |node: &roxmltree::Node| {
        node.has_tag_name("text")
            && node.attribute("text-anchor") == Some("end")
            && node.text().map(str::trim) == Some(label)
    };
    let mut labels = document.descendants().filter(is_label);
    let label = labels.next().expect("the tick is labelled");
    let tick = label.next_sibling_element().expect("a tick");
    let points = tick.attribute("points").expect("a line");
    let y = points.split_whitespace().next().and_then(|p| p.split_once(','));
    y.and_then(|(_, y)| y.parse().ok()).expect("a number")
}

/// The stroke of whiskers on bars.
pub const INK: &str = "#1E1E1E";
/// The stroke of what bars are compared with.
pub const QUIET: &str = "#555555";
