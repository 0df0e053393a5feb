//! Elements of a picture, read back from its file.

use std::collections::BTreeSet;

use roxmltree::{Document, Node};

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
