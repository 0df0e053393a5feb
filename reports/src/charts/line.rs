//! A line of a chart: its points, how they are drawn, and the legend above the panels with the
//! names of lines next to their styles.

use plotters::style::text_anchor::HPos;

use super::canvas::{Area, INK, PaintResult, Position, anchored, dashed, line, text, width, write};
use super::palette::Style;

/// Points of one series.
#[derive(Clone, Debug)]
pub struct Line {
    /// Name in the legend, which omits lines without a name.
    pub name: String,
    /// Colour and marker.
    pub style: Style,
    /// Marks that are drawn.
    pub kind: Kind,
    /// Points, by their positions on the axis.
    pub points: Vec<Point>,
    /// Text beside the last point; empty for none.
    pub label: String,
}

/// Marks that are drawn for a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Markers joined by a line.
    Curve,
    /// Small markers that nothing joins.
    Dots,
    /// A line without markers.
    Level,
    /// A dashed line: a reference that was not measured.
    Reference,
}

/// A value on a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Value on the horizontal axis.
    pub x: f64,
    /// Value on the vertical axis.
    pub y: f64,
    /// Ends of the whisker, if there is one.
    pub interval: Option<(f64, f64)>,
}

impl Line {
    /// Markers joined by a line.
    pub fn curve(name: &str, style: Style, points: Vec<Point>) -> Line {
        Line { name: name.to_owned(), style, kind: Kind::Curve, points, label: String::new() }
    }

    /// Small markers that nothing joins.
    pub fn dots(name: &str, style: Style, points: Vec<Point>) -> Line {
        Line { kind: Kind::Dots, ..Line::curve(name, style, points) }
    }

    /// A dashed reference line.
    pub fn reference(name: &str, points: Vec<Point>) -> Line {
        Line::dashed(name, Style::reference(), points)
    }

    /// A dashed line in a colour.
    pub fn dashed(name: &str, style: Style, points: Vec<Point>) -> Line {
        Line { kind: Kind::Reference, ..Line::curve(name, style, points) }
    }

    /// Paints the line through the points.
    pub fn paint_stroke(&self, area: &Area<'_>, points: &[Position]) -> PaintResult {
        match self.kind {
            Kind::Dots => Ok(()),
            Kind::Curve | Kind::Level => line(area, points, self.style.color, 2),
            Kind::Reference => dashed(area, points, self.style.color),
        }
    }
}

impl Point {
    /// A value without a whisker.
    pub fn new(x: f64, y: f64) -> Point {
        Point { x, y, interval: None }
    }

    /// A value with the ends of its whisker, as far as they are known.
    pub fn known(x: f64, y: Option<f64>, ends: [Option<f64>; 2]) -> Option<Point> {
        let [low, high] = ends;
        Some(Point { x, y: y?, interval: low.zip(high) })
    }

    /// The smallest and the largest value that is drawn.
    pub fn extent(&self) -> (f64, f64) {
        let (low, high) = self.interval.unwrap_or((self.y, self.y));
        (low.min(self.y), high.max(self.y))
    }
}

const SIZE: f64 = 14.0;
/// Height of a row.
const PITCH: f64 = 22.0;
/// Widths in pixels: of a style, to its name, and to the next entry.
const STYLE: f64 = 28.0;
const TO_NAME: f64 = 8.0;
const TO_NEXT: f64 = 24.0;

/// Positions of the entries, row by row within a width of `limit` pixels, and the height of all.
fn positions(entries: &[&Line], limit: f64) -> (Vec<Position>, f64) {
    let mut x = 0.0;
    let mut y = 0.0;
    let mut positions = Vec::new();
    for entry in entries {
        let needed = STYLE + TO_NAME + width(&entry.name, SIZE);
        if x > 0.0 && x + needed > limit {
            (x, y) = (0.0, y + PITCH);
        }
        positions.push((x, y));
        x += needed + TO_NEXT;
    }
    (positions, if entries.is_empty() { 0.0 } else { y + PITCH + 6.0 })
}

/// Height of all entries within a width of `limit` pixels.
pub fn height(entries: &[&Line], limit: f64) -> f64 {
    positions(entries, limit).1
}

/// Paints the entries at a corner.
pub fn paint(area: &Area<'_>, entries: &[&Line], corner: Position, limit: f64) -> PaintResult {
    for (entry, (x, y)) in entries.iter().zip(positions(entries, limit).0) {
        let at = (corner.0 + x, corner.1 + y + PITCH / 2.0);
        entry.paint_stroke(area, &[at, (at.0 + STYLE, at.1)])?;
        if matches!(entry.kind, Kind::Curve | Kind::Dots) {
            entry.style.paint_marker(area, (at.0 + STYLE / 2.0, at.1), 4.5)?;
        }
        let name = (at.0 + STYLE + TO_NAME, at.1);
        write(area, &entry.name, name, &anchored(text(SIZE, INK), HPos::Left))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_fill_the_width() {
        let line = Line::reference("a", Vec::new());
        let rows = |limit: f64| {
            let positions = positions(&[&line; 3], limit).0.into_iter();
            positions.filter(|position| position.0 == 0.0).count()
        };
        assert_eq!([rows(1000.0), rows(130.0), rows(1.0)], [1, 2, 3]);
    }
}
