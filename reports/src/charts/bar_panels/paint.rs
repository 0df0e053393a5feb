//! Painting of panels of bars.

use plotters::chart::{ChartBuilder, ChartContext};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::{Cartesian2d, SVGBackend};
use plotters::style::text_anchor::HPos;
use plotters::style::{RGBColor, TRANSPARENT, WHITE};

use super::super::canvas::{
    Area, GRID, INK, PaintResult, Position, QUIET, anchored, disc, error_text, fill, height, line,
    shortened, text, to_pixels, write, write_lines,
};
use super::super::chart::Panel;
use super::super::scale::Scale;
use super::*;

/// Height of a bar as a share of the distance between bars.
const SHARE: f64 = 0.68;
const TICK: f64 = 12.5;
/// Radius of a dot that replaces a bar.
const DOT: f64 = 5.5;

type Plot<'a> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<Scale, RangedCoordf64>>;

impl Panel for BarPanel {
    type Layout = Layout;
    const BETWEEN: f64 = 28.0;

    fn layout(panels: &[BarPanel]) -> Layout {
        let widest = |of: fn(&BarPanel) -> f64| panels.iter().map(of).fold(0.0, f64::max);
        let layout = Layout {
            mark: if panels.iter().any(BarPanel::has_dots) { Mark::Dot } else { Mark::Bar },
            title: 0.0,
            names: widest(BarPanel::names_width) + GAP,
            bars: BARS[usize::from(panels.len() > 1)],
            words: widest(BarPanel::words_width) + 2.0 * GAP,
        };
        let titles = panels.iter().map(|panel| height(&layout.title(panel), PANEL_TITLE));
        Layout { title: titles.fold(0.0, f64::max) + 7.0, ..layout }
    }

    fn note(panels: &[BarPanel]) -> Option<&'static str> {
        panels.iter().any(BarPanel::has_dots).then_some(DOTS)
    }

    fn size(&self, layout: &Layout) -> Position {
        let bars = self.rows() as f64 * PITCH + AXIS_HEIGHT + BELOW;
        (layout.width(), layout.title + bars)
    }

    fn paint(&self, area: &Area<'_>, layout: &Layout) -> PaintResult {
        let space = layout.bars + layout.words;
        write_lines(area, &layout.title(self), (0.0, 0.0), PANEL_TITLE, INK)?;
        let scale = self.scale(layout.bars / space);
        let rows = self.rows() as f64;
        let mut plot: Plot<'_> = ChartBuilder::on(area)
            .margin_top(layout.title as i32)
            .margin_bottom(BELOW as i32)
            .x_label_area_size(AXIS_HEIGHT as i32)
            .y_label_area_size(layout.names as i32)
            .build_cartesian_2d(scale, rows..0.0)
            .map_err(error_text)?;
        let (name, label) = self.unit.axis(&scale, self.longest());
        plot.configure_mesh()
            .disable_y_mesh()
            .disable_y_axis()
            .x_labels((space / 70.0) as usize)
            .x_label_formatter(&|value| label(*value))
            .x_desc(name)
            .label_style(text(TICK, QUIET))
            .axis_desc_style(text(TICK, QUIET))
            .axis_style(GRID)
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .draw()
            .map_err(error_text)?;
        self.paint_reference(area, &plot)?;
        for (row, bar) in self.bars.iter().enumerate() {
            bar.paint(area, &plot, layout.mark, row as f64)?;
            if layout.mark == Mark::Bar {
                self.paint_reference_in(bar, area, &plot, row as f64)?;
            }
        }
        for (row, (name, reason)) in (self.bars.len()..).zip(&self.refused) {
            let at = to_pixels(area, &plot, (scale.low, row as f64 + 0.5));
            write_name(area, name, at, QUIET)?;
            let reason = shortened(reason, VALUE, space - GAP);
            write(area, &reason, at, &anchored(text(VALUE, QUIET), HPos::Left))?;
        }
        Ok(())
    }
}

impl BarPanel {
    /// Paints a dashed line across all bars.
    fn paint_reference(&self, area: &Area<'_>, plot: &Plot<'_>) -> PaintResult {
        let Some(value) = self.reference else { return Ok(()) };
        let dashes = 4 * self.rows();
        (0..dashes).try_for_each(|dash| {
            let end = |part: f64| (value, (dash as f64 + part) / 4.0);
            line(area, &[0.0, 0.6].map(|part| to_pixels(area, plot, end(part))), QUIET, 1)
        })
    }

    /// Paints the reference line within a bar that reaches beyond it and would hide it.
    fn paint_reference_in(
        &self,
        bar: &Bar,
        area: &Area<'_>,
        plot: &Plot<'_>,
        row: f64,
    ) -> PaintResult {
        let reaches_beyond = |value: &f64| bar.dots.is_empty() && bar.value > *value;
        let Some(value) = self.reference.filter(reaches_beyond) else { return Ok(()) };
        let half = SHARE / 2.0;
        let ends = [0.5 - half, 0.5 + half].map(|part| to_pixels(area, plot, (value, row + part)));
        line(area, &ends, WHITE, 1)
    }
}

impl Bar {
    fn paint(&self, area: &Area<'_>, plot: &Plot<'_>, mark: Mark, row: f64) -> PaintResult {
        let half = SHARE / 2.0;
        let low = plot.x_range().start;
        let middle = row + 0.5;
        let [from, to] = [(low, middle - half), (self.value, middle + half)];
        match (self.dots.is_empty(), mark) {
            (true, Mark::Bar) => {
                self.paint_body(area, to_pixels(area, plot, from), to_pixels(area, plot, to))?;
                self.paint_whisker(area, plot, middle)?;
            }
            (true, Mark::Dot) => {
                let ends = [low, self.value].map(|x| to_pixels(area, plot, (x, middle)));
                line(area, &ends, GRID, 1)?;
                self.paint_whisker(area, plot, middle)?;
                self.paint_dot(area, ends[1])?;
            }
            (false, _) => {
                self.paint_dots(area, plot, row)?;
                self.paint_whisker(area, plot, middle)?;
            }
        }
        let at = to_pixels(area, plot, (self.end(), middle));
        let dot = if mark == Mark::Dot { DOT } else { 0.0 };
        let style = anchored(text(VALUE, INK), HPos::Left);
        write(area, &self.words, (at.0 + dot + GAP, at.1), &style)?;
        write_name(area, &self.name, to_pixels(area, plot, (low, middle)), INK)
    }

    /// Paints a whisker, without its lower end if that lies before the axis: on a logarithmic axis
    /// a few samples may scatter further than that.
    fn paint_whisker(&self, area: &Area<'_>, plot: &Plot<'_>, middle: f64) -> PaintResult {
        let Some((low, high)) = self.interval else { return Ok(()) };
        let start = plot.x_range().start;
        let cap = |x: f64| [(x, middle - 0.15), (x, middle + 0.15)];
        let mut lines = vec![[(low.max(start), middle), (high, middle)], cap(high)];
        if low >= start {
            lines.push(cap(low));
        }
        lines
            .iter()
            .try_for_each(|ends| line(area, &ends.map(|end| to_pixels(area, plot, end)), INK, 1))
    }

    /// Paints a dot, hollow if there are few samples.
    fn paint_dot(&self, area: &Area<'_>, at: Position) -> PaintResult {
        self.style.paint_marker(area, at, DOT)?;
        if self.is_unsure {
            disc(area, at, 0.6 * DOT, WHITE)?;
        }
        Ok(())
    }

    /// Paints samples side by side, so that equal ones are visible, with a mark at their median.
    fn paint_dots(&self, area: &Area<'_>, plot: &Plot<'_>, row: f64) -> PaintResult {
        // Golden ratio: consecutive dots are far apart from any start.
        const STEP: f64 = 0.618_034;
        for (i, value) in self.dots.iter().enumerate() {
            let height = 0.5 + SHARE * ((i as f64 * STEP).fract() - 0.5);
            disc(area, to_pixels(area, plot, (*value, row + height)), 2.0, self.style.color)?;
        }
        let end = |height: f64| to_pixels(area, plot, (self.value, row + height));
        line(area, &[end(0.06), end(0.94)], INK, 2)
    }

    /// Paints a bar, hatched if there are few samples, so that uncertain values look uncertain.
    fn paint_body(&self, area: &Area<'_>, from: Position, to: Position) -> PaintResult {
        let color = self.style.color;
        fill(area, from, to, color)?;
        let inner_from = (from.0 + 2.0, from.1 + 2.0);
        let inner_to = (to.0 - 2.0, to.1 - 2.0);
        if inner_from.0 >= inner_to.0 || (!self.is_unsure && !self.style.is_hollow()) {
            return Ok(());
        }
        fill(area, inner_from, inner_to, self.style.shade())?;
        if self.is_unsure {
            for points in hatching(inner_from, inner_to) {
                line(area, &points, color, 1)?;
            }
        }
        Ok(())
    }
}

/// Lines that rise by 45° through a rectangle.
fn hatching(from: Position, to: Position) -> Vec<[Position; 2]> {
    const STEP: f64 = 6.0;
    let across = to.0 - from.0;
    let down = to.1 - from.1;
    let count = ((across + down) / STEP) as usize;
    let line = |i: usize| {
        let reach = (i as f64 + 0.5) * STEP;
        let low = (from.0 + reach.min(across), to.1 - (reach - across).max(0.0));
        let high = (from.0 + (reach - down).max(0.0), to.1 - reach.min(down));
        [high, low]
    };
    (0..count).map(line).collect()
}

/// Writes a name to the left of its bar.
fn write_name(area: &Area<'_>, name: &str, at: Position, color: RGBColor) -> PaintResult {
    let name = shortened(name, NAME, MAX_NAME_WIDTH);
    let style = anchored(text(NAME, color), HPos::Right);
    write(area, &name, (at.0 - GAP, at.1), &style)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hatching_stays_inside_and_rises() {
        let from = (10.0, 20.0);
        let to = (50.0, 36.0);
        let lines = hatching(from, to);
        assert!(lines.len() > 5);
        for [high, low] in lines {
            for point in [high, low] {
                assert!(point.0 >= from.0 && point.0 <= to.0, "{point:?}");
                assert!(point.1 >= from.1 && point.1 <= to.1, "{point:?}");
            }
            assert!((low.0 - high.0 - (low.1 - high.1)).abs() < 1e-9);
        }
    }
}
