//! A line of a chart: its points, and how they are drawn.

use super::canvas::{Area, PaintResult, Position, dashed, line};
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
        Line { name: name.to_owned(), style, kind: Kind::Curve, points }
    }

    /// A dashed reference line.
    pub fn reference(name: &str, points: Vec<Point>) -> Line {
        let name = name.to_owned();
        let style = Style::reference();
        Line { name, style, kind: Kind::Reference, points }
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

    /// The smallest and the largest value that is drawn.
    pub fn extent(&self) -> (f64, f64) {
        let (low, high) = self.interval.unwrap_or((self.y, self.y));
        (low.min(self.y), high.max(self.y))
    }
}
