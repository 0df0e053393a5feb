//! Panels of horizontal bars, the best one first: who wins, and by how much.
//!
//! Names stand beside their bars and values behind them, so that no legend is needed. Where
//! values span more than a decade the scale is logarithmic: the winners would be slivers.

use plotters::chart::{ChartBuilder, ChartContext};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::{Cartesian2d, SVGBackend};
use plotters::style::text_anchor::HPos;
use plotters::style::{RGBColor, TRANSPARENT};

use super::canvas::{
    Area, At, Canvas, GRID, INK, Painted, Picture, QUIET, anchored, disc, fill, line, pixel, place,
    said, shortened, text, write,
};
use super::palette::Style;
use super::scale::{Scale, Spread};
use super::text::{width, wrap};
use super::unit::Unit;

/// Panels side by side up to this width, and below each other up to this height.
const PAGE: (f64, f64) = (1600.0, 1500.0);
/// From one bar to the next, and what of it the bar has.
const PITCH: f64 = 24.0;
const SHARE: f64 = 0.68;
/// From baseline to baseline of a title, in ems.
const LEADING: f64 = 1.4;
/// Of the labels of the ticks and of the name of the axis.
const AXIS_HEIGHT: f64 = 44.0;
/// Room for bars, alone and among others.
const BARS: [f64; 2] = [460.0, 250.0];
/// Longer names are cut off.
const LONGEST_NAME: f64 = 260.0;
/// Pixels an em.
const PANEL_TITLE: f64 = 15.0;
const NAME: f64 = 13.5;
const VALUE: f64 = 12.5;
const TICK: f64 = 12.5;
/// Between a bar and its value, and between a name and its bar.
const GAP: f64 = 8.0;
/// Pixels between panels side by side, and below each other.
const BETWEEN: f64 = 28.0;
const BELOW: f64 = 20.0;

type Plot<'a> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<Scale, RangedCoordf64>>;

/// A chart of bars.
#[derive(Clone, Debug)]
pub struct BarPanels {
    /// What is shown.
    pub title: String,
    /// The panels, in reading order.
    pub panels: Vec<BarPanel>,
    /// Panels that make a full row.
    pub columns: usize,
    /// Paragraphs under the panels.
    pub caption: Vec<String>,
}

/// The bars of one setting, or of one quantity.
#[derive(Clone, Debug)]
pub struct BarPanel {
    /// What tells this panel from the others.
    pub title: String,
    /// What the bars are.
    pub unit: Unit,
    /// From above.
    pub bars: Vec<Bar>,
    /// Who has no bar, and why.
    pub refused: Vec<(String, String)>,
    /// A value that all are compared with.
    pub reference: Option<f64>,
}

/// One bar.
#[derive(Clone, Debug)]
pub struct Bar {
    /// Whose it is.
    pub name: String,
    /// How long it is.
    pub value: f64,
    /// The ends of its whisker, where there is one.
    pub interval: Option<(f64, f64)>,
    /// What it is the middle of: these are shown instead of a bar, where there are any.
    pub dots: Vec<f64>,
    /// Whether it is of too few samples to be sure of.
    pub is_unsure: bool,
    /// What stands behind it.
    pub words: String,
    /// Its look.
    pub style: Style,
}

impl Bar {
    fn end(&self) -> f64 {
        let whisker = self.interval.map_or(self.value, |(_, high)| high);
        self.dots.iter().copied().fold(self.value.max(whisker), f64::max)
    }

    fn start(&self) -> f64 {
        self.dots.iter().copied().fold(self.value, f64::min)
    }
}

impl BarPanel {
    fn rows(&self) -> usize {
        self.bars.len() + self.refused.len()
    }

    /// Pixels down, without the title.
    fn height(&self) -> f64 {
        self.rows() as f64 * PITCH + AXIS_HEIGHT + BELOW
    }

    fn names_width(&self) -> f64 {
        let names = self.bars.iter().map(|bar| &bar.name);
        let names = names.chain(self.refused.iter().map(|(name, _)| name));
        names.map(|name| width(name, NAME)).fold(0.0, f64::max).min(LONGEST_NAME)
    }

    fn words_width(&self) -> f64 {
        self.bars.iter().map(|bar| width(&bar.words, VALUE)).fold(0.0, f64::max)
    }

    /// The value at which the longest bar ends.
    fn longest(&self) -> f64 {
        self.bars.iter().map(Bar::end).fold(0.0, f64::max)
    }

    /// From zero, or from below the smallest value, with room behind the longest bar.
    fn scale(&self, room: f64) -> Scale {
        let high = self.reference.unwrap_or(0.0).max(self.longest());
        let starts = self.bars.iter().map(Bar::start).chain(self.reference);
        let low = starts.fold(f64::INFINITY, f64::min);
        let from_zero = self.bars.iter().all(|bar| bar.dots.is_empty());
        match Spread::beyond(10.0, low, high) {
            Spread::Linear => {
                let margin = 0.05 * (high - low).max(0.1 * high);
                let low = if from_zero { 0.0 } else { low - margin };
                let high = low + (high - low).max(f64::MIN_POSITIVE) / room;
                Scale::between(low, high, Spread::Linear)
            }
            Spread::Log => {
                let low = low / 2.0;
                Scale::between(low, low * (high / low).powf(1.0 / room), Spread::Log)
            }
        }
    }
}

/// Pixels that each panel of a chart has.
struct Layout {
    columns: usize,
    title: f64,
    names: f64,
    bars: f64,
    words: f64,
}

impl Layout {
    fn new(chart: &BarPanels) -> Layout {
        let widest = |of: fn(&BarPanel) -> f64| chart.panels.iter().map(of).fold(0.0, f64::max);
        let mut layout = Layout {
            columns: 1,
            title: 0.0,
            names: widest(BarPanel::names_width) + GAP,
            bars: BARS[usize::from(chart.panels.len() > 1)],
            words: widest(BarPanel::words_width) + 2.0 * GAP,
        };
        let fitting = ((PAGE.0 + BETWEEN) / (layout.width() + BETWEEN)) as usize;
        let lines = |panel: &BarPanel| layout.title(panel).len();
        let lines = chart.panels.iter().map(lines).max().unwrap_or(0) as f64;
        layout.title = lines * PANEL_TITLE * LEADING + 7.0;
        layout.columns = chart.columns.min(chart.panels.len()).min(fitting).max(1);
        layout
    }

    fn width(&self) -> f64 {
        self.names + self.bars + self.words
    }

    fn title(&self, panel: &BarPanel) -> Vec<String> {
        wrap(&panel.title, PANEL_TITLE, self.width())
    }

    fn row_height(&self, row: &[BarPanel]) -> f64 {
        self.title + row.iter().map(BarPanel::height).fold(0.0, f64::max)
    }

    /// Of all panels.
    fn size(&self, panels: &[BarPanel]) -> (f64, f64) {
        let columns = self.columns as f64;
        let width = columns * self.width() + (columns - 1.0) * BETWEEN;
        (width, panels.chunks(self.columns).map(|row| self.row_height(row)).sum())
    }
}

impl BarPanels {
    /// The chart in pieces that fit a page, in full rows.
    pub fn pages(self) -> Vec<BarPanels> {
        let layout = Layout::new(&self);
        let columns = layout.columns;
        let mut pages: Vec<Vec<BarPanel>> = Vec::new();
        let mut room = 0.0;
        for row in self.panels.chunks(columns) {
            room -= layout.row_height(row);
            match pages.last_mut() {
                Some(page) if room >= 0.0 => page.extend_from_slice(row),
                _ => {
                    room = PAGE.1 - layout.row_height(row);
                    pages.push(row.to_vec());
                }
            }
        }
        let count = pages.len();
        let page = |(i, panels)| BarPanels {
            title: match count {
                1 => self.title.clone(),
                _ => format!("{} ({} of {count})", self.title, i + 1),
            },
            panels,
            columns,
            caption: self.caption.clone(),
        };
        pages.into_iter().enumerate().map(page).collect()
    }

    /// The picture of the chart.
    pub fn picture(&self) -> Result<Picture, String> {
        let layout = Layout::new(self);
        let size = layout.size(&self.panels);
        let canvas =
            Canvas { title: &self.title, legend: &[], caption: &self.caption, panels: size };
        canvas.paint(|area| {
            let mut top = 0.0;
            for row in self.panels.chunks(layout.columns) {
                for (column, panel) in row.iter().enumerate() {
                    let left = column as f64 * (layout.width() + BETWEEN);
                    let size = (layout.width() as u32, (layout.title + panel.height()) as u32);
                    panel.paint(&area.clone().shrink(pixel((left, top)), size), &layout)?;
                }
                top += layout.row_height(row);
            }
            Ok(())
        })
    }
}

impl BarPanel {
    fn paint(&self, area: &Area<'_>, layout: &Layout) -> Painted {
        let room = layout.bars + layout.words;
        for (i, line) in layout.title(self).iter().enumerate() {
            let at = (0.0, i as f64 * PANEL_TITLE * LEADING);
            write(area, line, at, &text(PANEL_TITLE, INK))?;
        }
        let scale = self.scale(layout.bars / room);
        let rows = self.rows() as f64;
        let mut plot: Plot<'_> = ChartBuilder::on(area)
            .margin_top(layout.title as i32)
            .margin_bottom(BELOW as i32)
            .x_label_area_size(AXIS_HEIGHT as i32)
            .y_label_area_size(layout.names as i32)
            .build_cartesian_2d(scale, rows..0.0)
            .map_err(said)?;
        let (name, label) = self.unit.axis(&scale, self.longest());
        plot.configure_mesh()
            .disable_y_mesh()
            .disable_y_axis()
            .x_labels((room / 70.0) as usize)
            .x_label_formatter(&|value| label(*value))
            .x_desc(name)
            .label_style(text(TICK, QUIET))
            .axis_desc_style(text(TICK, QUIET))
            .axis_style(GRID)
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .draw()
            .map_err(said)?;
        self.paint_reference(area, &plot)?;
        for (row, bar) in self.bars.iter().enumerate() {
            bar.paint(area, &plot, row as f64)?;
        }
        for (row, (name, reason)) in (self.bars.len()..).zip(&self.refused) {
            let at = place(area, &plot, (scale.low(), row as f64 + 0.5));
            write_name(area, name, at, QUIET)?;
            let reason = shortened(reason, VALUE, room - GAP);
            write(area, &reason, at, &anchored(text(VALUE, QUIET), HPos::Left))?;
        }
        Ok(())
    }

    /// A dashed line across all bars.
    fn paint_reference(&self, area: &Area<'_>, plot: &Plot<'_>) -> Painted {
        let Some(value) = self.reference else { return Ok(()) };
        let dashes = 4 * self.rows();
        (0..dashes).try_for_each(|dash| {
            let end = |part: f64| (value, (dash as f64 + part) / 4.0);
            line(area, &[0.0, 0.6].map(|part| place(area, plot, end(part))), QUIET, 1)
        })
    }
}

impl Bar {
    fn paint(&self, area: &Area<'_>, plot: &Plot<'_>, row: f64) -> Painted {
        let half = SHARE / 2.0;
        let low = plot.x_range().start;
        let [from, to] = [(low, row + 0.5 - half), (self.value, row + 0.5 + half)];
        if self.dots.is_empty() {
            self.paint_body(area, (place(area, plot, from), place(area, plot, to)))?;
        } else {
            self.paint_dots(area, plot, row)?;
        }
        let middle = row + 0.5;
        if let Some((low, high)) = self.interval {
            let cap = |x: f64| [(x, middle - 0.15), (x, middle + 0.15)];
            let lines = [[(low, middle), (high, middle)], cap(low), cap(high)];
            for points in lines {
                line(area, &points.map(|point| place(area, plot, point)), INK, 1)?;
            }
        }
        let at = place(area, plot, (self.end(), middle));
        let style = anchored(text(VALUE, INK), HPos::Left);
        write(area, &self.words, (at.0 + GAP, at.1), &style)?;
        write_name(area, &self.name, place(area, plot, (low, middle)), INK)
    }

    /// Side by side, so that equal ones are seen, and where the middle of all is.
    fn paint_dots(&self, area: &Area<'_>, plot: &Plot<'_>, row: f64) -> Painted {
        // Far from the last ones, wherever one begins: the golden ratio.
        const STEP: f64 = 0.618_034;
        for (i, value) in self.dots.iter().enumerate() {
            let height = 0.5 + SHARE * ((i as f64 * STEP).fract() - 0.5);
            disc(area, place(area, plot, (*value, row + height)), 2.0, self.style.color)?;
        }
        let end = |height: f64| place(area, plot, (self.value, row + height));
        line(area, &[end(0.06), end(0.94)], INK, 2)
    }

    /// Hatched where there are few samples: what is not sure must not look it.
    fn paint_body(&self, area: &Area<'_>, (from, to): (At, At)) -> Painted {
        let color = self.style.color;
        fill(area, from, to, color)?;
        let inside = ((from.0 + 2.0, from.1 + 2.0), (to.0 - 2.0, to.1 - 2.0));
        if inside.0.0 >= inside.1.0 || (!self.is_unsure && !self.style.is_hollow()) {
            return Ok(());
        }
        fill(area, inside.0, inside.1, self.style.shade())?;
        if self.is_unsure {
            for points in hatching(inside) {
                line(area, &points, color, 1)?;
            }
        }
        Ok(())
    }
}

/// Lines that rise by 45° through a rectangle.
fn hatching((from, to): (At, At)) -> Vec<[At; 2]> {
    const STEP: f64 = 6.0;
    let (across, down) = (to.0 - from.0, to.1 - from.1);
    let count = ((across + down) / STEP) as usize;
    let line = |i: usize| {
        let reach = (i as f64 + 0.5) * STEP;
        let low = (from.0 + reach.min(across), to.1 - (reach - across).max(0.0));
        let high = (from.0 + (reach - down).max(0.0), to.1 - reach.min(down));
        [high, low]
    };
    (0..count).map(line).collect()
}

/// A name left of where its bar begins.
fn write_name(area: &Area<'_>, name: &str, at: At, color: RGBColor) -> Painted {
    let name = shortened(name, NAME, LONGEST_NAME);
    let style = anchored(text(NAME, color), HPos::Right);
    write(area, &name, (at.0 - GAP, at.1), &style)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hatching_stays_inside_and_rises() {
        let (from, to) = ((10.0, 20.0), (50.0, 36.0));
        let lines = hatching((from, to));
        assert!(lines.len() > 5);
        for [high, low] in lines {
            for point in [high, low] {
                assert!(point.0 >= from.0 && point.0 <= to.0, "{point:?}");
                assert!(point.1 >= from.1 && point.1 <= to.1, "{point:?}");
            }
            assert!((low.0 - high.0 - (low.1 - high.1)).abs() < 1e-9);
        }
    }

    #[test]
    fn a_scale_leaves_room_and_is_logarithmic_beyond_a_decade() {
        let bar = |value: f64| Bar {
            name: "a".into(),
            value,
            interval: None,
            dots: Vec::new(),
            is_unsure: false,
            words: String::new(),
            style: Style::reference(),
        };
        let panel = |values: &[f64]| BarPanel {
            title: String::new(),
            unit: Unit::Time("time"),
            bars: values.iter().copied().map(bar).collect(),
            refused: Vec::new(),
            reference: None,
        };
        let near = panel(&[1e-3, 5e-3]).scale(0.5);
        assert_eq!((near.spread(), near.position(5e-3)), (Spread::Linear, 0.5));
        assert_eq!(near.position(0.0), 0.0);
        let far = panel(&[1e-6, 1e-3]).scale(0.5);
        assert_eq!(far.spread(), Spread::Log);
        assert!((far.position(1e-3) - 0.5).abs() < 1e-9 && far.position(1e-6) > 0.0);
    }
}
