//! Panels of lines as a picture.

use plotters::chart::{ChartBuilder, ChartContext};
use plotters::prelude::{Cartesian2d, SVGBackend};
use plotters::style::TRANSPARENT;
use plotters::style::text_anchor::HPos;

use super::super::canvas::{
    Area, At, Canvas, GRID, INK, Painted, Picture, QUIET, anchored, dashed, fill, line, pixel,
    place, said, text, write, write_lines,
};
use super::super::legend::Entry;
use super::*;
use crate::grouped::grouped;

/// Pixels an em.
const CUT: f64 = 13.0;
/// Between a cut and its words.
const GAP: f64 = 5.0;
/// Pixels of a marker's radius, and of half a whisker's cap.
const MARKER: f64 = 4.5;

type Plot<'a> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<XAxis, Scale>>;

impl LinePanels {
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
        let title = wrap(&self.title, PANEL_TITLE, layout.plot.0);
        write_lines(area, &title, (LEFT, 0.0), PANEL_TITLE, INK)?;
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
