//! Variants and their stages beside each other, on a logarithmic scale: where the slowest
//! variant is so slow that a linear one would hide what the others are made of.
//!
//! Parts of a bar on such a scale would be as long as they like; so stages stand beside the
//! whole, and it is their tops that compare.

use super::caption;
use super::figure::{Figure, INK, Plot, Ruler, Swatch, Tick};
use super::palette::Style;
use super::scale::{Scale, Spread};
use super::scene::{Anchor, Label, Mark};
use super::stages::{Looks, Stacks, columns, stacks};
use super::study::Study;
use super::time_axis;
use crate::breakdown::{Bar, OTHER};
use crate::units;

const READING: &str = "bars: medians of the stages, and of the whole; the scale is \
    logarithmic: compare tops, not lengths";

/// The whole, as the legend calls it.
const WHOLE: &str = "total";
/// The slowest variant takes so many times as long as the fastest, or a linear scale will do.
const FACTOR: f64 = 8.0;
/// Stages that are shorter than so much of the shortest whole are left out.
const SHORTEST: f64 = 1e-3;

/// Pixels of a bar, and between variants.
const BAR: f64 = 16.0;
const GAP: f64 = 30.0;
const LEAST_WIDTH: f64 = 330.0;
/// Pixels an em of the numbers above bars.
const NUMBER: f64 = 12.0;

/// The chart of a study whose variants with stages differ that much.
pub fn figure(study: &Study) -> Option<Figure> {
    let stacks = stacks(study)?;
    let scale = scale(&stacks)?;
    let looks = Looks::of_all(&stacks);
    let size = super::panel_size(stacks.len());
    let plot = |stacks: &Stacks| plot(stacks, &looks, &scale, size.1);
    let plots = stacks.iter().map(plot).collect();
    let stages = looks.0.into_iter().filter(|(stage, _)| stage != OTHER);
    let whole = (WHOLE.to_owned(), Style::reference());
    Some(Figure {
        title: format!("{}: time by stage, logarithmic", study.algorithm),
        columns: columns(study, stacks.len()),
        plots,
        legend: stages.chain([whole]).collect(),
        swatch: Swatch::Bar,
        caption: caption::of_samples(study, READING),
    })
}

/// The scale that all bars have room on; `None` if a linear one will do.
fn scale(stacks: &[Stacks]) -> Option<Scale> {
    let bars = || stacks.iter().flat_map(|stack| &stack.breakdown.bars);
    let shortest = bars().map(|bar| bar.total_s).fold(f64::INFINITY, f64::min);
    let longest = bars().map(|bar| bar.total_s).fold(0.0, f64::max);
    if longest < FACTOR * shortest {
        return None;
    }
    let floor = shortest * SHORTEST;
    let parts = bars().flat_map(|bar| &bar.parts).map(|part| part.1);
    let least = parts.filter(|part| *part > floor).fold(shortest, f64::min);
    // So that the shortest bar is one, and there is room for a number above the longest.
    Some(Scale::new(least / 2.0, longest * 1.5, Spread::Log))
}

/// The bars of a variant: its stages, and the whole last.
fn bars<'b>(bar: &'b Bar, looks: &Looks) -> Vec<(f64, Style)> {
    let stages = bar.parts.iter().filter(|(stage, _)| stage != OTHER);
    let stages = stages.map(|(stage, seconds): &'b (String, f64)| (*seconds, looks.of(stage)));
    stages.chain([(bar.total_s, Style::reference())]).collect()
}

fn plot(stacks: &Stacks, looks: &Looks, scale: &Scale, height: f64) -> Plot {
    let variants = &stacks.breakdown.bars;
    let groups: Vec<_> = variants.iter().map(|bar| bars(bar, looks)).collect();
    let widths = groups.iter().map(|group| group.len() as f64 * BAR + GAP);
    let needed: f64 = widths.clone().sum();
    let width = needed.max(LEAST_WIDTH);
    let mut left = (width - needed) / 2.0 + GAP / 2.0;
    let (mut marks, mut ticks) = (Vec::new(), Vec::new());
    for ((variant, group), pitch) in variants.iter().zip(&groups).zip(widths) {
        marks.extend(group_marks(group, left, scale, height));
        ticks.push(Tick { at: left + (pitch - GAP) / 2.0, label: variant.variant.clone() });
        left += pitch;
    }
    Plot {
        title: stacks.title.clone(),
        width,
        height,
        x: Ruler { ticks, ..Ruler::default() },
        y: time_axis::ruler(scale, height, "median time"),
        marks,
    }
}

/// Bars from the bottom up, with a number above the last one.
fn group_marks(group: &[(f64, Style)], left: f64, scale: &Scale, bottom: f64) -> Vec<Mark> {
    let pixel = |seconds: f64| bottom * (1.0 - scale.position(seconds));
    let mut marks = Vec::new();
    for (number, (seconds, style)) in group.iter().enumerate() {
        let side = left + number as f64 * BAR;
        let top = pixel(*seconds);
        if top < bottom {
            marks.extend(style.bar((side, top), (side + BAR - 1.0, bottom)));
        }
    }
    if let Some((seconds, _)) = group.last() {
        let middle = left + (group.len() as f64 - 0.5) * BAR;
        let words = units::seconds(*seconds, 3);
        let label = Label::new(words, (middle, pixel(*seconds) - 5.0), NUMBER, INK);
        marks.push(Mark::Text(label.anchored(Anchor::Middle)));
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{row, run};
    use super::super::study::SeriesNames;
    use super::*;
    use crate::record::SummaryRow;

    fn of(rows: &[SummaryRow]) -> Option<Figure> {
        let (run, names) = (run(), SeriesNames::new(rows));
        figure(&Study::new(&run, "sort", rows, &[], &names))
    }

    /// A variant with two stages that are most of the whole.
    fn rows(variant: &str, seconds: f64) -> [SummaryRow; 3] {
        let stages = [("total", 1.0), ("count", 0.1), ("scatter", 0.8)];
        stages.map(|(stage, share)| SummaryRow {
            stage: stage.into(),
            ..row(variant, "n=1", share * seconds)
        })
    }

    /// The tops of all bars and how high the plot is.
    fn tops(figure: &Figure) -> (Vec<f64>, f64) {
        let plot = &figure.plots[0];
        let tops = plot.marks.iter().filter_map(|mark| match mark {
            Mark::Rect { from, .. } => Some(from.1),
            _ => None,
        });
        (tops.collect(), plot.height)
    }

    #[test]
    fn equal_factors_are_equal_distances() {
        let figure = of(&[rows("a", 1e-3), rows("b", 1.0)].concat()).expect("apart");
        let (tops, height) = tops(&figure);
        assert_eq!(tops.len(), 6);
        assert!(tops.iter().all(|top| (0.0..height).contains(top)), "{tops:?}");
        let apart = |of: usize| tops[of] - tops[of + 3];
        assert!((apart(0) - apart(2)).abs() < 1e-9, "count and the whole");
        assert!(figure.caption.iter().any(|line| line.contains("logarithmic")));
    }

    #[test]
    fn the_whole_stands_beside_its_stages() {
        let figure = of(&[rows("a", 1e-3), rows("b", 1.0)].concat()).expect("apart");
        let names: Vec<_> = figure.legend.iter().map(|entry| entry.0.as_str()).collect();
        assert_eq!(names, ["count", "scatter", "total"]);
        assert_eq!(figure.plots[0].x.ticks.len(), 2);
    }

    #[test]
    fn where_a_linear_scale_will_do_there_is_no_other() {
        assert!(of(&[rows("a", 1.0), rows("b", 2.0)].concat()).is_none());
    }
}
