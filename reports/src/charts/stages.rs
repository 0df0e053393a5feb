//! Where the time of variants goes: their stages on top of each other.

use super::axes::{self, Axis, Panel};
use super::caption;
use super::figure::{Figure, INK, Plot, Ruler, Swatch, Tick};
use super::palette::{Palette, Style};
use super::scale::Scale;
use super::scene::{Anchor, Label, Mark};
use super::study::Study;
use super::time_axis;
use crate::breakdown::{Bar, Breakdown, OTHER, breakdowns, stages};
use crate::record::SummaryRow;
use crate::units;

const READING: &str = "parts of bars: medians of the stages; number: median of the whole; other: \
    what the stages leave of it";

/// A variant with fewer is no reason for a chart.
const FEWEST_STAGES: usize = 2;

/// Pixels from one bar to the next, and what of them the bar has.
const PITCH: f64 = 96.0;
const SHARE: f64 = 0.66;
const LEAST_WIDTH: f64 = 330.0;
/// Pixels an em of the numbers above bars.
const NUMBER: f64 = 12.0;

/// The bars of a setting with what tells it from others.
pub(super) struct Stacks {
    pub(super) title: String,
    pub(super) breakdown: Breakdown,
}

/// The bars of a study that has variants with stages, by what varies.
pub(super) fn stacks(study: &Study) -> Option<Vec<Stacks>> {
    let rows: Vec<&SummaryRow> = study.rows.iter().chain(&study.stages).copied().collect();
    let varying: Vec<&Axis> = study.varying.iter().collect();
    let panels = axes::panels(&rows, &varying);
    let stacks = panels.iter().filter_map(|panel| stack(study, panel));
    let stacks: Vec<Stacks> = stacks.collect();
    let stages_of = |bar: &Bar| bar.parts.iter().filter(|part| part.0 != OTHER).count();
    let mut bars = stacks.iter().flat_map(|stack| &stack.breakdown.bars);
    let has_stages = bars.any(|bar| stages_of(bar) >= FEWEST_STAGES);
    has_stages.then_some(stacks)
}

/// The chart of a study that has variants with stages.
pub fn figure(study: &Study) -> Option<Figure> {
    let stacks = stacks(study)?;
    let looks = Looks::of_all(&stacks);
    let bars = stacks.iter().flat_map(|stack| &stack.breakdown.bars);
    let scale = Scale::from_zero(bars.map(top).fold(0.0, f64::max));
    let size = super::panel_size(stacks.len());
    let plot = |stacks: &Stacks| plot(stacks, &looks, &scale, size.1);
    Some(Figure {
        title: format!("{}: time by stage", study.algorithm),
        columns: columns(study, stacks.len()),
        plots: stacks.iter().map(plot).collect(),
        legend: looks.0,
        swatch: Swatch::Bar,
        caption: caption::of_samples(study, READING),
    })
}

/// The bars of a panel, whatever devices they are of.
fn stack(study: &Study, panel: &Panel) -> Option<Stacks> {
    let found = breakdowns(&panel.rows, |row| study.series(row));
    let axes = found.first()?.axes.clone();
    let mut bars: Vec<Bar> = found.into_iter().flat_map(|found| found.bars).collect();
    bars.sort_by(|a, b| a.variant.cmp(&b.variant));
    Some(Stacks { title: panel.title.clone(), breakdown: Breakdown { axes, bars } })
}

/// The looks of the stages, in the order of the bars.
pub(super) struct Looks(pub(super) Vec<(String, Style)>);

impl Looks {
    /// Of all stages of some bars.
    pub(super) fn of_all(stacks: &[Stacks]) -> Self {
        let settings: Vec<_> = stacks.iter().map(|stack| stack.breakdown.clone()).collect();
        Looks::new(&stages(&settings))
    }

    fn new(stages: &[&str]) -> Self {
        let palette = Palette::new(stages.iter().map(|&stage| stage.to_owned()));
        let look = |stage: &str| match stage {
            OTHER => Style::reference(),
            _ => palette.style(stage),
        };
        let looks = stages.iter().map(|&stage| (stage.to_owned(), look(stage)));
        Looks(looks.collect())
    }

    pub(super) fn of(&self, stage: &str) -> Style {
        let look = self.0.iter().find(|(name, _)| name == stage);
        look.map_or_else(Style::reference, |(_, style)| *style)
    }
}

/// The height of a bar in seconds; stages that overlap are more than the whole.
fn top(bar: &Bar) -> f64 {
    bar.sum_s().max(bar.total_s)
}

fn plot(stacks: &Stacks, looks: &Looks, scale: &Scale, height: f64) -> Plot {
    let bars = &stacks.breakdown.bars;
    let width = (PITCH * bars.len() as f64).max(LEAST_WIDTH);
    let pitch = width / bars.len() as f64;
    let middle = |i: usize| (i as f64 + 0.5) * pitch;
    let tick = |(i, bar): (usize, &Bar)| Tick { at: middle(i), label: bar.variant.clone() };
    let pixel = |seconds: f64| height * (1.0 - scale.position(seconds));
    let marks = bars.iter().enumerate().flat_map(|(i, bar)| {
        let sides = (middle(i) - 0.5 * SHARE * PITCH, middle(i) + 0.5 * SHARE * PITCH);
        let mut marks = parts(bar, looks, sides, pixel);
        marks.push(number(bar, (middle(i), pixel(top(bar)) - 5.0)));
        marks
    });
    Plot {
        title: stacks.title.clone(),
        width,
        height,
        x: Ruler { ticks: bars.iter().enumerate().map(tick).collect(), ..Ruler::default() },
        y: time_axis::ruler(scale, height, "median time"),
        marks: marks.collect(),
    }
}

/// The stages of a bar, the first one at the bottom.
fn parts(
    bar: &Bar,
    looks: &Looks,
    (left, right): (f64, f64),
    pixel: impl Fn(f64) -> f64,
) -> Vec<Mark> {
    let mut end = 0.0;
    let parts = bar.parts.iter().flat_map(|(stage, seconds)| {
        let start = end;
        end += seconds;
        looks.of(stage).bar((left, pixel(end)), (right, pixel(start)))
    });
    parts.collect()
}

fn number(bar: &Bar, at: (f64, f64)) -> Mark {
    let words = units::seconds(bar.total_s, 3);
    Mark::Text(Label::new(words, at, NUMBER, INK).anchored(Anchor::Middle))
}

/// Panels a row: the values of the last axis, so that rows mean something.
pub(super) fn columns(study: &Study, panels: usize) -> usize {
    let last = study.varying.last().map_or(1, |axis| axis.values.len());
    super::columns(last, panels)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{row, run};
    use super::super::study::SeriesNames;
    use super::*;

    fn of(rows: &[SummaryRow]) -> Option<Figure> {
        let (run, names) = (run(), SeriesNames::new(rows));
        figure(&Study::new(&run, "sort", rows, &[], &names))
    }

    fn rows(variant: &str, threads: usize) -> [SummaryRow; 3] {
        [("total", 10e-3), ("count", 2e-3), ("scatter", 5e-3)].map(|(stage, median)| SummaryRow {
            stage: stage.into(),
            threads,
            ..row(variant, "n=1", median)
        })
    }

    #[test]
    fn stages_fill_the_bar_from_the_bottom() {
        let figure = of(&rows("a", 1)).expect("stages");
        let names: Vec<_> = figure.legend.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["count", "scatter", "other"]);
        let parts = figure.plots[0].marks.iter().filter_map(|mark| match mark {
            Mark::Rect { from, to, .. } => Some((from.1, to.1)),
            _ => None,
        });
        let parts: Vec<_> = parts.collect();
        assert_eq!(parts.len(), 3);
        assert_eq!(parts[0].1, figure.plots[0].height, "the first begins at 0");
        assert!(parts.windows(2).all(|pair| pair[0].0 == pair[1].1));
        let heights: Vec<f64> = parts.iter().map(|(top, bottom)| bottom - top).collect();
        assert!((heights[1] / heights[0] - 2.5).abs() < 1e-9);
    }

    #[test]
    fn what_varies_makes_panels_with_one_scale() {
        let rows = [rows("a", 1), rows("b", 1), rows("a", 2)].concat();
        let figure = of(&rows).expect("stages");
        let titles: Vec<_> = figure.plots.iter().map(|plot| plot.title.as_str()).collect();
        assert_eq!(titles, ["threads = 1", "threads = 2"]);
        assert_eq!(figure.plots[0].x.ticks.len(), 2);
        assert_eq!(figure.plots[0].y.ticks, figure.plots[1].y.ticks);
    }

    #[test]
    fn a_single_stage_is_no_reason_for_a_chart() {
        let rows = rows("a", 1);
        assert!(of(&rows[..2]).is_none());
        assert!(of(&rows[..1]).is_none());
    }
}
