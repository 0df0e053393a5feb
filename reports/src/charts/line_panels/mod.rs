//! Panels of lines over a numeric axis.

use std::ops::Range;

mod paint;

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};

use super::canvas::Position;
pub use super::line::{Kind, Line, Point};
use super::palette::Style;
use super::scale::Scale;
use super::text::width;
use super::unit::Unit;

/// Size of a single plot and of one of several, in pixels.
const PLOT: [Position; 2] = [(780.0, 460.0), (390.0, 260.0)];
/// Margins around a plot: left, right, its axis below, and the gap to the next plot.
const LEFT: f64 = 92.0;
const RIGHT: f64 = 26.0;
const AXIS: f64 = 46.0;
const BELOW: f64 = 22.0;
/// Font size in pixels per em.
const TICK: f64 = 13.0;
/// Minimum gap between labels of ticks.
const APART: f64 = 10.0;

/// A plot with lines, in the order in which they are painted.
#[derive(Clone, Debug)]
pub struct LinePanel {
    /// Values that distinguish this panel from the others.
    pub title: String,
    /// The horizontal axis.
    pub x: XAxis,
    /// The vertical axis.
    pub y: Scale,
    /// Unit of the vertical axis.
    pub unit: Unit,
    /// The lines.
    pub lines: Vec<Line>,
    /// Markers of changes along the horizontal axis.
    pub change_markers: Vec<ChangeMarker>,
}

/// A horizontal axis with labelled ticks.
#[derive(Clone, Debug, PartialEq)]
pub struct XAxis {
    /// Name of the axis.
    pub name: String,
    /// Mapping of values to pixels.
    pub scale: Scale,
    /// Ticks with their labels.
    pub ticks: Vec<Tick>,
}

/// A labelled value of an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// The value.
    pub value: f64,
    /// Text at the tick.
    pub label: String,
}

impl Tick {
    /// A value with its label.
    pub fn new(value: f64, label: String) -> Self {
        Tick { value, label }
    }
}

/// Value on the horizontal axis at which something changes: a dashed line from top to bottom.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangeMarker {
    /// Value on the axis.
    pub at: f64,
    /// Confidence interval of the value, if it is known; shaded.
    pub interval: Option<(f64, f64)>,
    /// Text next to it.
    pub words: String,
    /// True if the text is at the bottom.
    pub is_low: bool,
    /// Colour and marker.
    pub style: Style,
}

/// Panels over the same axes, from titles with their lines; `y` makes the vertical axis from the
/// smallest and the largest value of all lines.
pub fn panels_over(
    x: &XAxis,
    unit: Unit,
    y: impl FnOnce(f64, f64) -> Scale,
    lines: Vec<(String, Vec<Line>)>,
) -> Vec<LinePanel> {
    let (low, high) = extent(lines.iter().flat_map(|(_, lines)| lines));
    let y = y(low, high);
    let panel = |(title, lines)| LinePanel {
        title,
        x: x.clone(),
        y,
        unit,
        lines,
        change_markers: Vec::new(),
    };
    lines.into_iter().map(panel).collect()
}

/// The smallest and the largest value that the lines show.
pub fn extent<'a>(lines: impl IntoIterator<Item = &'a Line>) -> (f64, f64) {
    let points = lines.into_iter().flat_map(|line| &line.points);
    points
        .map(Point::extent)
        .fold((f64::INFINITY, 0.0), |(low, high), extent| (extent.0.min(low), extent.1.max(high)))
}

impl XAxis {
    /// True if the labels fit next to each other without touching.
    pub fn fits(&self) -> bool {
        self.ticks.windows(2).all(|pair| self.are_apart(&pair[0], &pair[1]))
    }

    /// Removes labels that would overlap, except the one at the end.
    pub fn thinned(mut self) -> XAxis {
        let last = self.ticks.pop();
        let mut kept: Vec<Tick> = Vec::new();
        for tick in std::mem::take(&mut self.ticks) {
            let others = kept.last().into_iter().chain(&last);
            if others.into_iter().all(|other| self.are_apart(other, &tick)) {
                kept.push(tick);
            }
        }
        kept.extend(last);
        XAxis { ticks: kept, ..self }
    }

    /// Tests the distance of two labels in the smallest plot.
    fn are_apart(&self, one: &Tick, other: &Tick) -> bool {
        let pixels =
            PLOT[1].0 * (self.scale.position(one.value) - self.scale.position(other.value)).abs();
        pixels >= (width(&one.label, TICK) + width(&other.label, TICK)) / 2.0 + APART
    }

    fn label(&self, value: f64) -> String {
        let tick = self.ticks.iter().find(|tick| tick.value == value);
        tick.map_or_else(String::new, |tick| tick.label.clone())
    }
}

impl Ranged for XAxis {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        self.scale.map(value, limit)
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks.iter().map(|tick| tick.value).collect()
    }

    fn range(&self) -> Range<f64> {
        self.scale.range()
    }
}

#[cfg(test)]
mod tests {
    use super::super::scale::Spread;
    use super::*;

    #[test]
    fn the_extent_takes_in_whiskers() {
        let whisker = Point { interval: Some((1.0, 5.0)), ..Point::new(1.0, 2.0) };
        let line = Line::reference("a", vec![whisker, Point::new(1.0, 3.0)]);
        assert_eq!(extent(&[line]), (1.0, 5.0));
    }

    #[test]
    fn labels_are_thinned_but_for_the_last() {
        let scale = Scale::new(0.0, 100.0, Spread::Linear);
        let ticks = (0..=100).map(|value| Tick::new(f64::from(value), value.to_string())).collect();
        let axis = XAxis { name: "n".into(), scale, ticks };
        assert!(!axis.fits());
        let thinned = axis.thinned();
        assert!(thinned.fits() && thinned.ticks.len() > 5);
        assert_eq!(thinned.ticks.last().map(|tick| tick.value), Some(100.0));
    }
}
