//! A mix of loads: the matrix of slowdowns, and rates and latencies alone and together.

use plotters::style::RGBColor;
use plotters::style::text_anchor::HPos;

use super::bar_panels::{Bar, BarPanel};
use super::canvas::{
    Area, GRID, INK, PaintResult, Position, QUIET, anchored, fill, shortened, text, width, write,
};
use super::chart::{Chart, Panel};
use super::palette::Palette;
use super::scale::Unit;
use crate::mixed::{LoadRow, MixedResult, SlowdownRow, TOGETHER, per_second};
use crate::units;

const READING: &str = "in each field: rate of the load of the row alone over its rate with the \
    neighbour of the column, for open loops the median latency with it over that alone; below: 95 % \
    interval, and what both compete for (inferred) · coloured: beyond the noise";
const READING_OF_BARS: &str = "whiskers: 95 % confidence interval over blocks of windows";
/// Names of bars.
const ALONE: &str = "alone";
/// Size of a field in pixels: minimum and maximum width, and height.
const FIELD: [f64; 3] = [120.0, 240.0, 64.0];
const GAP: f64 = 3.0;
/// Height of the names of columns.
const HEADER: f64 = 30.0;
const BELOW: f64 = 20.0;
const PADDING: f64 = 8.0;
const NAME: f64 = 13.5;
const VALUE: f64 = 15.0;
const QUIET_TEXT: f64 = 12.0;
/// Colours of the strongest slowdown and speed-up, on white.
const SLOWER: RGBColor = RGBColor(214, 69, 50);
const FASTER: RGBColor = RGBColor(60, 120, 190);
/// Slowdown that has the full colour.
const STRONGEST: f64 = 3.0;

/// The matrix.
#[derive(Clone, Debug)]
pub struct SlowdownMatrix {
    columns: Vec<String>,
    /// Names of the rows with their fields.
    rows: Vec<(String, Vec<Option<Field>>)>,
}

/// A field of the matrix.
#[derive(Clone, Debug, PartialEq)]
struct Field {
    lines: [String; 3],
    color: RGBColor,
}

/// The chart of the matrix; `None` without pairs.
pub fn matrix(result: &MixedResult) -> Option<Chart<SlowdownMatrix>> {
    let columns = result.neighbours();
    let rows = result.slowed_loads().into_iter().map(|load| {
        let slowdown = |neighbour: &String| result.slowdown(&load, neighbour).map(Field::new);
        let fields = columns.iter().map(slowdown).collect();
        (load, fields)
    });
    let rows: Vec<_> = rows.collect();
    if rows.is_empty() {
        return None;
    }
    let title = "Slowdown of each load (rows) by its neighbours (columns)".to_owned();
    let panel = SlowdownMatrix { columns, rows };
    let caption = result.mix_in_words().into_iter().chain([READING.to_owned()]);
    Chart::new(title, 1, vec![panel], caption.collect())
}

/// White within the noise; otherwise the stronger the change, the stronger the colour.
fn color(row: &SlowdownRow) -> RGBColor {
    if !row.is_beyond_noise() {
        return RGBColor(255, 255, 255);
    }
    let slowdown = row.slowdown.unwrap_or(STRONGEST);
    let strength = (slowdown.ln().abs() / STRONGEST.ln()).clamp(0.1, 1.0) * 0.75;
    let RGBColor(r, g, b) = if slowdown >= 1.0 { SLOWER } else { FASTER };
    let mix = |part: u8| (255.0 - strength * (255.0 - f64::from(part))) as u8;
    RGBColor(mix(r), mix(g), mix(b))
}

impl SlowdownMatrix {
    fn left(&self) -> f64 {
        self.rows.iter().map(|(name, _)| width(name, NAME)).fold(0.0, f64::max) + 12.0
    }

    /// Width of a field in pixels.
    fn field(&self) -> f64 {
        let fields = self.rows.iter().flat_map(|(_, fields)| fields.iter().flatten());
        let texts = fields.flat_map(|field| {
            [(&field.lines[0], VALUE), (&field.lines[1], QUIET_TEXT), (&field.lines[2], QUIET_TEXT)]
        });
        let names = self.columns.iter().map(|name| (name, NAME));
        let needed = texts.chain(names).map(|(line, size)| width(line, size)).fold(0.0, f64::max);
        (needed + 2.0 * PADDING).clamp(FIELD[0], FIELD[1])
    }
}

impl Panel for SlowdownMatrix {
    type Layout = ();

    fn layout(_: &[SlowdownMatrix]) {}

    fn size(&self, (): &()) -> Position {
        let across = self.left() + self.columns.len() as f64 * (self.field() + GAP);
        (across, HEADER + self.rows.len() as f64 * (FIELD[2] + GAP) + BELOW)
    }

    fn paint(&self, area: &Area<'_>, (): &()) -> PaintResult {
        let left = self.left();
        let across = self.field();
        for (i, column) in self.columns.iter().enumerate() {
            let x = left + i as f64 * (across + GAP) + across / 2.0;
            let name = shortened(column, NAME, across);
            write(area, &name, (x, 14.0), &anchored(text(NAME, INK), HPos::Center))?;
        }
        for (j, (row, fields)) in self.rows.iter().enumerate() {
            let y = HEADER + j as f64 * (FIELD[2] + GAP);
            let middle = (left - 10.0, y + FIELD[2] / 2.0);
            write(area, row, middle, &anchored(text(NAME, INK), HPos::Right))?;
            for (i, field) in fields.iter().enumerate() {
                let corner = (left + i as f64 * (across + GAP), y);
                let end = (corner.0 + across, y + FIELD[2]);
                fill(area, corner, end, GRID)?;
                if let Some(field) = field {
                    field.paint(area, corner, end)?;
                }
            }
        }
        Ok(())
    }
}

impl Field {
    fn new(row: &SlowdownRow) -> Self {
        let value = row.slowdown.map_or_else(|| row.words(), units::times);
        let interval = row.slowdown_low.zip(row.slowdown_high);
        let interval =
            interval.map_or_else(String::new, |(low, high)| format!("{low:.2} to {high:.2}"));
        Field { lines: [value, interval, row.competes_for.replace('+', ", ")], color: color(row) }
    }

    /// Within a thin frame, which is painted before.
    fn paint(&self, area: &Area<'_>, from: Position, to: Position) -> PaintResult {
        fill(area, (from.0 + 1.0, from.1 + 1.0), (to.0 - 1.0, to.1 - 1.0), self.color)?;
        let [value, interval, resources] = &self.lines;
        let lines = [
            (value, VALUE, INK, 15.0),
            (interval, QUIET_TEXT, QUIET, 34.0),
            (resources, QUIET_TEXT, INK, 51.0),
        ];
        for (line, size, color, down) in lines {
            let line = shortened(line, size, to.0 - from.0 - 2.0 * PADDING);
            let middle = (f64::midpoint(from.0, to.0), from.1 + down);
            write(area, &line, middle, &anchored(text(size, color), HPos::Center))?;
        }
        Ok(())
    }
}

/// Bars of each load alone and together: rates of closed loops, latencies of open ones.
pub fn bars(result: &MixedResult) -> Option<Chart<BarPanel>> {
    let palette = Palette::new([ALONE, TOGETHER].map(str::to_owned));
    let loads = result.loads.iter().filter(|load| load.is_valid() && !load.is_background());
    let panels: Vec<BarPanel> = loads.filter_map(|load| panel(load, &palette)).collect();
    let title = "Loads alone and together".to_owned();
    let caption = result.mix_in_words().into_iter().chain([READING_OF_BARS.to_owned()]);
    Chart::new(title, 3, panels, caption.collect())
}

fn panel(load: &LoadRow, palette: &Palette) -> Option<BarPanel> {
    let is_open = load.is_open_loop();
    let figures = if is_open {
        [
            (ALONE, load.alone_p50_s, load.alone_p50_s_low.zip(load.alone_p50_s_high)),
            (TOGETHER, load.together_p50_s, load.together_p50_s_low.zip(load.together_p50_s_high)),
        ]
    } else {
        [
            (ALONE, load.alone_per_s, load.alone_per_s_low.zip(load.alone_per_s_high)),
            (TOGETHER, load.together_per_s, load.together_per_s_low.zip(load.together_per_s_high)),
        ]
    };
    let words = |value: f64| if is_open { units::seconds(value, 3) } else { per_second(value) };
    let bars = figures.into_iter().filter_map(|(name, value, interval)| {
        let value = value?;
        let bar = Bar::new(name, value, words(value), palette.style(name));
        Some(Bar { interval, is_unsure: interval.is_none(), ..bar })
    });
    let bars: Vec<Bar> = bars.collect();
    let unit = if is_open { Unit::Time("median latency") } else { Unit::Rate("events per second") };
    (!bars.is_empty()).then(|| BarPanel::new(load.load.clone(), unit, bars))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mixed::fixture::mix;

    #[test]
    fn fields_beyond_the_noise_are_coloured() {
        let chart = matrix(&mix()).expect("pairs");
        let panel = &chart.panels[0];
        let names: Vec<&str> = panel.rows.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["sts", "velo", "online"]);
        assert_eq!(panel.columns.len(), 5);
        let field = |row: usize, column: usize| panel.rows[row].1[column].as_ref();
        assert_eq!(field(0, 0), None, "not with itself");
        let slowed = field(0, 1).expect("sts with velo");
        let [value, _, resources] = &slowed.lines;
        assert_eq!((value.as_str(), resources.as_str()), ("2.00 ×", "cores"));
        let white = RGBColor(255, 255, 255);
        assert_ne!(slowed.color, white);
        assert_eq!(field(1, 2).expect("velo with online").color, white);
        assert!(chart.svgs("mixed", "", "mixed-matrix").is_ok());
    }

    #[test]
    fn each_load_has_bars_alone_and_together() {
        let chart = bars(&mix()).expect("loads");
        let titles: Vec<&str> = chart.panels.iter().map(|panel| panel.title.as_str()).collect();
        assert_eq!(titles, ["sts", "velo", "online"], "not the background");
        assert!(chart.panels.iter().all(|panel| panel.bars.len() == 2));
        assert!(matches!(chart.panels[2].unit, Unit::Time(_)));
        assert!(
            matrix(&MixedResult::default()).is_none() && bars(&MixedResult::default()).is_none()
        );
    }
}
