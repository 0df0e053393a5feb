//! Panels of lines over a numeric axis, and their painting.

use std::ops::Range;

pub use super::line::{Kind, Line, Point};

use plotters::chart::{ChartBuilder, ChartContext};
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::prelude::{Cartesian2d, SVGBackend};
use plotters::style::TRANSPARENT;
use plotters::style::text_anchor::HPos;

use super::canvas::{
    Area, GRID, INK, PANEL_TITLE, PaintResult, Position, QUIET, anchored, dashed, error_text, fill,
    height, line, text, to_pixels, width, wrap, write, write_lines,
};
use super::chart::Panel;
use super::palette::{Palette, Style};
use super::scale::{Scale, Unit};
use crate::grouped::grouped;

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
    lines.into_iter().map(|(title, lines)| LinePanel::new(title, x, (unit, y), lines)).collect()
}

/// A line for each name of rows, in the order of their first rows.
pub fn curves<'a, R: 'a>(
    rows: impl IntoIterator<Item = &'a R>,
    name: impl Fn(&R) -> String,
    palette: &Palette,
    point: impl Fn(&R) -> Option<Point>,
) -> Vec<Line> {
    let line = |(name, rows): (String, Vec<&R>)| {
        let points = rows.into_iter().filter_map(&point).collect();
        Line::curve(&name, palette.style(&name), points)
    };
    grouped(rows, |row| name(row)).into_iter().map(line).collect()
}

impl LinePanel {
    /// A panel without markers of changes; the vertical axis has a unit and a scale.
    pub fn new(title: String, x: &XAxis, (unit, y): (Unit, Scale), lines: Vec<Line>) -> Self {
        LinePanel { title, x: x.clone(), y, unit, lines, change_markers: Vec::new() }
    }
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

/// Font size in pixels per em.
const CUT: f64 = 13.0;
/// Gap between a marker of a change and its text.
const GAP: f64 = 5.0;
/// Radius of a marker, and half the width of a whisker's cap, in pixels.
const MARKER: f64 = 4.5;

type Plot<'a> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<XAxis, Scale>>;

/// Size of each panel of an image in pixels.
pub struct Layout {
    plot: Position,
    title: f64,
}

impl Panel for LinePanel {
    type Layout = Layout;

    fn layout(panels: &[LinePanel]) -> Layout {
        let plot = PLOT[usize::from(panels.len() > 1)];
        let titles = panels.iter().map(|panel| wrap(&panel.title, PANEL_TITLE, plot.0));
        let titles = titles.map(|lines| height(&lines, PANEL_TITLE));
        Layout { plot, title: titles.fold(0.0, f64::max) + 6.0 }
    }

    fn size(&self, Layout { plot, title }: &Layout) -> Position {
        (LEFT + plot.0 + RIGHT, title + plot.1 + AXIS + BELOW)
    }

    /// Lines sorted by height, references last.
    fn legend(panels: &[LinePanel]) -> Vec<&Line> {
        let lines = panels.iter().flat_map(|panel| &panel.lines);
        let named = grouped(lines.filter(|line| !line.name.is_empty()), |line| &line.name);
        let mut entries: Vec<(f64, &Line)> = named
            .into_iter()
            .map(|(_, lines)| {
                let points = lines.iter().flat_map(|line| &line.points);
                let logs: Vec<f64> = points.map(|point| point.y.ln()).collect();
                (logs.iter().sum::<f64>() / logs.len() as f64, lines[0])
            })
            .collect();
        entries.sort_by(|(a, one), (b, other)| {
            let is_reference = |line: &Line| line.kind == Kind::Reference;
            is_reference(one).cmp(&is_reference(other)).then(b.total_cmp(a))
        });
        entries.into_iter().map(|(_, line)| line).collect()
    }

    fn paint(&self, area: &Area<'_>, layout: &Layout) -> PaintResult {
        let title = wrap(&self.title, PANEL_TITLE, layout.plot.0);
        write_lines(area, &title, (LEFT, 0.0), PANEL_TITLE, INK)?;
        let mut plot: Plot<'_> = ChartBuilder::on(area)
            .margin_top(layout.title as i32)
            .margin_right(RIGHT as i32)
            .margin_bottom(BELOW as i32)
            .x_label_area_size(AXIS as i32)
            .y_label_area_size(LEFT as i32)
            .build_cartesian_2d(self.x.clone(), self.y)
            .map_err(error_text)?;
        let (name, label) = self.unit.axis(&self.y, self.y.high);
        plot.configure_mesh()
            .x_labels(self.x.ticks.len().max(1))
            .x_label_formatter(&|value| self.x.label(*value))
            .x_desc(&self.x.name)
            .y_labels((layout.plot.1 / 36.0) as usize)
            .y_label_formatter(&|value| label(*value))
            .y_desc(name)
            .label_style(text(TICK, QUIET))
            .axis_desc_style(text(TICK, QUIET))
            .axis_style(QUIET)
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .draw()
            .map_err(error_text)?;
        for cut in &self.change_markers {
            cut.paint(area, &plot)?;
        }
        self.lines.iter().try_for_each(|line| line.paint(area, &plot))
    }
}

impl Line {
    fn paint(&self, area: &Area<'_>, plot: &Plot<'_>) -> PaintResult {
        let points: Vec<Position> =
            self.points.iter().map(|p| to_pixels(area, plot, (p.x, p.y))).collect();
        self.paint_stroke(area, &points)?;
        let radius = match self.kind {
            Kind::Curve => MARKER,
            Kind::Dots => MARKER / 2.0,
            Kind::Level | Kind::Reference => return Ok(()),
        };
        for (point, at) in self.points.iter().zip(points) {
            if let Some((low, high)) = point.interval {
                let [low, high] = [low, high].map(|end| to_pixels(area, plot, (point.x, end)).1);
                let cap = |y: f64| [(at.0 - radius, y), (at.0 + radius, y)];
                for ends in [[(at.0, low), (at.0, high)], cap(low), cap(high)] {
                    line(area, &ends, self.style.color, 1)?;
                }
            }
            self.style.paint_marker(area, at, radius)?;
        }
        self.paint_label(area, plot)
    }

    /// Paints the label above the last point, on the side where it fits.
    fn paint_label(&self, area: &Area<'_>, plot: &Plot<'_>) -> PaintResult {
        let Some(last) = self.points.last().filter(|_| !self.label.is_empty()) else {
            return Ok(());
        };
        let at = to_pixels(area, plot, (last.x, last.y));
        let right = plot.plotting_area().get_pixel_range().0.end - area.get_base_pixel().0;
        let fits = at.0 + GAP + width(&self.label, CUT) <= f64::from(right);
        let (shift, side) = if fits { (GAP, HPos::Left) } else { (-GAP, HPos::Right) };
        let at = (at.0 + shift, at.1 - GAP - CUT / 2.0);
        write(area, &self.label, at, &anchored(text(CUT, INK), side))
    }
}

impl ChangeMarker {
    /// A line without an interval and text, which would be at the bottom.
    pub fn new(at: f64, style: Style) -> Self {
        ChangeMarker { at, interval: None, words: String::new(), is_low: true, style }
    }

    fn paint(&self, area: &Area<'_>, plot: &Plot<'_>) -> PaintResult {
        let (across, down) = plot.plotting_area().get_pixel_range();
        let (left, top) = area.get_base_pixel();
        let [from, to] = [across.start, across.end].map(|x| f64::from(x - left));
        let [above, below] = [down.start, down.end].map(|y| f64::from(y - top));
        let x = |value: f64| to_pixels(area, plot, (value, plot.y_range().start)).0.clamp(from, to);
        if let Some((low, high)) = self.interval {
            fill(area, (x(low), above), (x(high), below), self.style.shade())?;
        }
        let at = x(self.at);
        dashed(area, &[(at, above), (at, below)], self.style.color)?;
        let y = if self.is_low { below - GAP - CUT / 2.0 } else { above + GAP + CUT / 2.0 };
        let fits = at + GAP + width(&self.words, CUT) <= to;
        let (shift, anchor) = if fits { (GAP, HPos::Left) } else { (-GAP, HPos::Right) };
        write(area, &self.words, (at + shift, y), &anchored(text(CUT, INK), anchor))
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
