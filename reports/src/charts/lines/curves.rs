//! Curves in panels, whatever their values are.

use std::collections::BTreeMap;

use super::super::axes::Axis;
use super::super::figure::{Figure, Plot, Ruler, Swatch};
use super::super::marks::whisker;
use super::super::palette::Style;
use super::super::scale::Scale;
use super::super::scene::{At, Mark};
use super::x_axis;

/// A chart of curves over `axis`.
#[derive(Clone, Debug)]
pub struct Chart<'a> {
    /// What is shown.
    pub title: String,
    /// The horizontal axis.
    pub axis: &'a Axis,
    /// The vertical axis.
    pub y: YAxis,
    /// The curves.
    pub panels: Vec<Panel>,
    /// Panels that make a full row.
    pub row: usize,
    /// Paragraphs under the panels.
    pub caption: Vec<String>,
}

/// A vertical axis.
#[derive(Clone, Debug)]
pub struct YAxis {
    /// What it is.
    pub name: String,
    /// From values to pixels.
    pub scale: Scale,
    /// How it is labelled.
    pub ruler: fn(&Scale, f64, &str) -> Ruler,
}

/// Curves in one plot, in the order in which they are painted.
#[derive(Clone, Debug)]
pub struct Panel {
    /// What tells this panel from the others.
    pub title: String,
    /// The curves.
    pub curves: Vec<Curve>,
}

/// Points joined by a line.
#[derive(Clone, Debug)]
pub struct Curve {
    /// As the legend says.
    pub name: String,
    /// The look.
    pub style: Style,
    /// By their places on the axis.
    pub points: Vec<Point>,
}

/// A value on a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Of the horizontal axis.
    pub x: f64,
    /// Of the vertical axis.
    pub y: f64,
    /// The ends of the whisker, where there is one.
    pub interval: Option<(f64, f64)>,
}

impl Point {
    fn extent(&self) -> (f64, f64) {
        let (low, high) = self.interval.unwrap_or((self.y, self.y));
        (low.min(self.y), high.max(self.y))
    }
}

/// The smallest and the largest value that the panels show.
pub fn extent(panels: &[Panel]) -> (f64, f64) {
    let curves = panels.iter().flat_map(|panel| &panel.curves);
    let extents = curves.flat_map(|curve| &curve.points).map(Point::extent);
    extents
        .fold((f64::INFINITY, 0.0), |(low, high), extent| (extent.0.min(low), extent.1.max(high)))
}

impl Chart<'_> {
    /// The chart as it is laid out.
    pub fn figure(self) -> Figure {
        let (width, height) = super::super::panel_size(self.panels.len());
        let x = x_axis::scale(self.axis);
        let pixel = |(at, value): At| {
            let (right, up) = (x.position(at), self.y.scale.position(value));
            (width * right, height * (1.0 - up))
        };
        let plot = |panel: &Panel| Plot {
            title: panel.title.clone(),
            width,
            height,
            x: x_axis::ruler(self.axis, &x, width),
            y: (self.y.ruler)(&self.y.scale, height, &self.y.name),
            marks: panel.curves.iter().flat_map(|c| c.marks(&pixel)).collect(),
        };
        Figure {
            legend: legend(&self.panels),
            swatch: Swatch::Line,
            columns: super::super::columns(self.row, self.panels.len()),
            plots: self.panels.iter().map(plot).collect(),
            title: self.title,
            caption: self.caption,
        }
    }
}

/// The curves by name, those for reference last.
fn legend(panels: &[Panel]) -> Vec<(String, Style)> {
    let curves = panels.iter().flat_map(|panel| &panel.curves);
    let entry = |curve: &Curve| {
        let key = (curve.style.is_reference(), curve.name.clone());
        (key, curve.style)
    };
    let entries: BTreeMap<(bool, String), Style> = curves.map(entry).collect();
    let entries = entries.into_iter();
    entries.map(|((_, name), style)| (name, style)).collect()
}

impl Curve {
    fn marks(&self, pixel: &dyn Fn(At) -> At) -> Vec<Mark> {
        let points: Vec<At> = self.points.iter().map(|p| pixel((p.x, p.y))).collect();
        let mut marks = self.style.line(&points, 2);
        for (point, at) in self.points.iter().zip(points) {
            if let Some((low, high)) = point.interval {
                let end = |value: f64| pixel((point.x, value)).1;
                marks.extend(whisker(at.0, end(low), end(high), 4.0, self.style.color));
            }
            marks.extend(self.style.marker(at, 4.5));
        }
        marks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extent_takes_in_whiskers() {
        let point = |y: f64, interval: Option<(f64, f64)>| Point { x: 1.0, y, interval };
        let panel = Panel {
            title: String::new(),
            curves: vec![Curve {
                name: "a".into(),
                style: Style::reference(),
                points: vec![point(2.0, Some((1.0, 5.0))), point(3.0, None)],
            }],
        };
        assert_eq!(extent(&[panel]), (1.0, 5.0));
    }
}
