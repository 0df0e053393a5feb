//! Painting of panels of lines.

use plotters::chart::{ChartBuilder, ChartContext};
use plotters::prelude::{Cartesian2d, SVGBackend};
use plotters::style::TRANSPARENT;
use plotters::style::text_anchor::HPos;

use super::super::canvas::{
    Area, GRID, INK, PANEL_TITLE, PaintResult, QUIET, anchored, dashed, error_text, fill, height,
    line, text, to_pixels, write, write_lines,
};
use super::super::chart::Panel;
use super::super::text::wrap;
use super::*;
use crate::grouped::grouped;

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
        Ok(())
    }
}

impl ChangeMarker {
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
