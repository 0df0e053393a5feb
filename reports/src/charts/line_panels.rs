//! Panels of lines over a numeric axis.

use std::ops::Range;

use plotters::chart::{ChartBuilder, ChartContext};
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::prelude::{Cartesian2d, SVGBackend};
use plotters::style::TRANSPARENT;
use plotters::style::text_anchor::HPos;

use super::canvas::{
    Area, At, Canvas, GRID, INK, Painted, Picture, QUIET, anchored, dashed, fill, line, pixel,
    place, said, text, write,
};
use super::legend::Entry;
use super::palette::Style;
use super::scale::Scale;
use super::text::{width, wrap};
use super::unit::Unit;
use crate::grouped::grouped;

/// Panels side by side up to this width, and below each other up to this height.
const PAGE: At = (1600.0, 1500.0);
/// Pixels of a plot, alone and among others.
const PLOT: [At; 2] = [(780.0, 460.0), (390.0, 260.0)];
/// What surrounds a plot: left and right, its axis below, and the room to the next one.
const LEFT: f64 = 92.0;
const RIGHT: f64 = 26.0;
const AXIS: f64 = 46.0;
const BELOW: f64 = 22.0;
/// Pixels an em.
const PANEL_TITLE: f64 = 15.0;
const TICK: f64 = 13.0;
const CUT: f64 = 13.0;
/// From baseline to baseline, in ems.
const LEADING: f64 = 1.4;
/// Between a cut and its words.
const GAP: f64 = 5.0;
/// Between labels of ticks.
const APART: f64 = 10.0;
/// Pixels of a marker's radius, and of half a whisker's cap.
const MARKER: f64 = 4.5;

type Plot<'a> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<XAxis, Scale>>;

/// A chart of lines.
#[derive(Clone, Debug)]
pub struct LinePanels {
    /// What is shown.
    pub title: String,
    /// The panels, in reading order.
    pub panels: Vec<LinePanel>,
    /// Panels that make a full row.
    pub columns: usize,
    /// Whether the lines are named above the panels.
    pub has_legend: bool,
    /// Paragraphs under the panels.
    pub caption: Vec<String>,
}

/// Lines in one plot, in the order in which they are painted.
#[derive(Clone, Debug)]
pub struct LinePanel {
    /// What tells this panel from the others.
    pub title: String,
    /// The horizontal axis.
    pub x: XAxis,
    /// The vertical axis.
    pub y: Scale,
    /// What it measures.
    pub unit: Unit,
    /// The lines.
    pub lines: Vec<Line>,
    /// Where something changes along the horizontal axis.
    pub cuts: Vec<Cut>,
}

/// A horizontal axis with the values that are labelled.
#[derive(Clone, Debug, PartialEq)]
pub struct XAxis {
    /// What it is.
    pub name: String,
    /// From values to pixels.
    pub scale: Scale,
    /// Values with their labels.
    pub ticks: Vec<(f64, String)>,
}

/// Points that belong together.
#[derive(Clone, Debug)]
pub struct Line {
    /// As the legend says.
    pub name: String,
    /// The look.
    pub style: Style,
    /// What is drawn of it.
    pub kind: Kind,
    /// By their places on the axis.
    pub points: Vec<Point>,
}

/// What is drawn of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Markers joined by a line.
    Curve,
    /// Small markers that nothing joins.
    Dots,
    /// The line alone.
    Level,
    /// A dashed line: what was not measured.
    Reference,
}

/// A value on a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Of the horizontal axis.
    pub x: f64,
    /// Of the vertical axis.
    pub y: f64,
    /// The ends of the whisker, where there is one.
    pub interval: Option<(f64, f64)>,
}

/// A place on the horizontal axis where something changes: a dashed line from top to bottom.
#[derive(Clone, Debug, PartialEq)]
pub struct Cut {
    /// Where.
    pub at: f64,
    /// How well that is known, where it is; shaded.
    pub interval: Option<(f64, f64)>,
    /// What is written beside it.
    pub words: String,
    /// Whether that is at the bottom.
    pub is_low: bool,
    /// The look.
    pub style: Style,
}

impl Point {
    fn extent(&self) -> (f64, f64) {
        let (low, high) = self.interval.unwrap_or((self.y, self.y));
        (low.min(self.y), high.max(self.y))
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
    /// Whether the labels stand beside each other without touching.
    pub fn fits(&self) -> bool {
        self.ticks.windows(2).all(|pair| self.are_apart(&pair[0], &pair[1]))
    }

    /// The same axis with labels only where there is room, and at the end.
    pub fn thinned(mut self) -> XAxis {
        let last = self.ticks.pop();
        let mut kept: Vec<(f64, String)> = Vec::new();
        for tick in std::mem::take(&mut self.ticks) {
            let others = kept.last().into_iter().chain(&last);
            if others.into_iter().all(|other| self.are_apart(other, &tick)) {
                kept.push(tick);
            }
        }
        kept.extend(last);
        XAxis { ticks: kept, ..self }
    }

    /// In the smallest plot that there is.
    fn are_apart(&self, one: &(f64, String), other: &(f64, String)) -> bool {
        let pixels = PLOT[1].0 * (self.scale.position(one.0) - self.scale.position(other.0)).abs();
        pixels >= (width(&one.1, TICK) + width(&other.1, TICK)) / 2.0 + APART
    }

    fn label(&self, value: f64) -> String {
        let tick = self.ticks.iter().find(|tick| tick.0 == value);
        tick.map_or_else(String::new, |tick| tick.1.clone())
    }
}

impl Ranged for XAxis {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        self.scale.map(value, limit)
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks.iter().map(|tick| tick.0).collect()
    }

    fn range(&self) -> Range<f64> {
        self.scale.range()
    }
}

/// Pixels that each panel of a chart has.
struct Layout {
    columns: usize,
    plot: At,
    title: f64,
}

impl Layout {
    fn new(chart: &LinePanels) -> Layout {
        let plot = PLOT[usize::from(chart.panels.len() > 1)];
        let lines = |panel: &LinePanel| wrap(&panel.title, PANEL_TITLE, plot.0).len();
        let title = chart.panels.iter().map(lines).max().unwrap_or(0) as f64;
        let fitting = (PAGE.0 / (LEFT + plot.0 + RIGHT)) as usize;
        Layout {
            columns: chart.columns.min(chart.panels.len()).min(fitting).max(1),
            plot,
            title: title * PANEL_TITLE * LEADING + 6.0,
        }
    }

    fn cell(&self) -> At {
        (LEFT + self.plot.0 + RIGHT, self.title + self.plot.1 + AXIS + BELOW)
    }
}

impl LinePanels {
    /// The chart in pieces that fit a page, in full rows.
    pub fn pages(self) -> Vec<LinePanels> {
        let layout = Layout::new(&self);
        let rows = ((PAGE.1 / layout.cell().1) as usize).max(1);
        let pages = self.panels.chunks(rows * layout.columns);
        let count = pages.len();
        let page = |(i, panels): (usize, &[LinePanel])| LinePanels {
            title: match count {
                1 => self.title.clone(),
                _ => format!("{} ({} of {count})", self.title, i + 1),
            },
            panels: panels.to_vec(),
            columns: layout.columns,
            has_legend: self.has_legend,
            caption: self.caption.clone(),
        };
        pages.enumerate().map(page).collect()
    }

    /// The picture of the chart.
    pub fn picture(&self) -> Result<Picture, String> {
        let layout = Layout::new(self);
        let (width, height) = layout.cell();
        let rows = self.panels.len().div_ceil(layout.columns);
        let legend = if self.has_legend { self.legend() } else { Vec::new() };
        let canvas = Canvas {
            title: &self.title,
            legend: &legend,
            caption: &self.caption,
            panels: (layout.columns as f64 * width, rows as f64 * height),
        };
        canvas.paint(|area| {
            for (i, panel) in self.panels.iter().enumerate() {
                let (column, row) = (i % layout.columns, i / layout.columns);
                let corner = pixel((column as f64 * width, row as f64 * height));
                let cell = area.clone().shrink(corner, (width as u32, height as u32));
                panel.paint(&cell, &layout)?;
            }
            Ok(())
        })
    }

    /// The lines by how high they lie, references last.
    fn legend(&self) -> Vec<Entry> {
        let lines = || self.panels.iter().flat_map(|panel| &panel.lines);
        let named = grouped(lines(), |line| line.name.clone()).into_iter();
        let mut entries: Vec<(f64, Entry)> = named
            .map(|(name, lines)| {
                let points = lines.iter().flat_map(|line| &line.points);
                let logs: Vec<f64> = points.map(|point| point.y.ln()).collect();
                let Line { style, kind, .. } = lines[0];
                (
                    logs.iter().sum::<f64>() / logs.len() as f64,
                    Entry { name, style: *style, kind: *kind },
                )
            })
            .collect();
        entries.sort_by(|(a, one), (b, other)| {
            let is_reference = |entry: &Entry| entry.kind == Kind::Reference;
            is_reference(one).cmp(&is_reference(other)).then(b.total_cmp(a))
        });
        entries.into_iter().map(|(_, entry)| entry).collect()
    }
}

impl LinePanel {
    fn paint(&self, area: &Area<'_>, layout: &Layout) -> Painted {
        for (i, line) in wrap(&self.title, PANEL_TITLE, layout.plot.0).iter().enumerate() {
            let at = (LEFT, i as f64 * PANEL_TITLE * LEADING);
            write(area, line, at, &text(PANEL_TITLE, INK))?;
        }
        let mut plot: Plot<'_> = ChartBuilder::on(area)
            .margin_top(layout.title as i32)
            .margin_right(RIGHT as i32)
            .margin_bottom(BELOW as i32)
            .x_label_area_size(AXIS as i32)
            .y_label_area_size(LEFT as i32)
            .build_cartesian_2d(self.x.clone(), self.y)
            .map_err(said)?;
        let (name, label) = self.unit.axis(&self.y, self.y.high());
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
            .map_err(said)?;
        for cut in &self.cuts {
            cut.paint(area, &plot)?;
        }
        self.lines.iter().try_for_each(|line| line.paint(area, &plot))
    }
}

impl Line {
    fn paint(&self, area: &Area<'_>, plot: &Plot<'_>) -> Painted {
        let points: Vec<At> = self.points.iter().map(|p| place(area, plot, (p.x, p.y))).collect();
        let color = self.style.color;
        match self.kind {
            Kind::Dots => {}
            Kind::Curve | Kind::Level => line(area, &points, color, 2)?,
            Kind::Reference => dashed(area, &points, color)?,
        }
        let radius = match self.kind {
            Kind::Curve => MARKER,
            Kind::Dots => MARKER / 2.0,
            Kind::Level | Kind::Reference => return Ok(()),
        };
        for (point, at) in self.points.iter().zip(points) {
            if let Some((low, high)) = point.interval {
                let [low, high] = [low, high].map(|end| place(area, plot, (point.x, end)).1);
                let cap = |y: f64| [(at.0 - radius, y), (at.0 + radius, y)];
                for ends in [[(at.0, low), (at.0, high)], cap(low), cap(high)] {
                    line(area, &ends, color, 1)?;
                }
            }
            self.style.paint_marker(area, at, radius)?;
        }
        Ok(())
    }
}

impl Cut {
    fn paint(&self, area: &Area<'_>, plot: &Plot<'_>) -> Painted {
        let (across, down) = plot.plotting_area().get_pixel_range();
        let (left, top) = area.get_base_pixel();
        let [from, to] = [across.start, across.end].map(|x| f64::from(x - left));
        let [above, below] = [down.start, down.end].map(|y| f64::from(y - top));
        let x = |value: f64| place(area, plot, (value, plot.y_range().start)).0.clamp(from, to);
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
        let point = |y: f64, interval: Option<(f64, f64)>| Point { x: 1.0, y, interval };
        let line = Line {
            name: "a".into(),
            style: Style::reference(),
            kind: Kind::Curve,
            points: vec![point(2.0, Some((1.0, 5.0))), point(3.0, None)],
        };
        assert_eq!(extent(&[line]), (1.0, 5.0));
    }

    #[test]
    fn labels_are_thinned_but_for_the_last() {
        let scale = Scale::new(0.0, 100.0, Spread::Linear);
        let ticks = (0..=100).map(|value| (f64::from(value), value.to_string())).collect();
        let axis = XAxis { name: "n".into(), scale, ticks };
        assert!(!axis.fits());
        let thinned = axis.thinned();
        assert!(thinned.fits() && thinned.ticks.len() > 5);
        assert_eq!(thinned.ticks.last().map(|tick| tick.0), Some(100.0));
    }
}
