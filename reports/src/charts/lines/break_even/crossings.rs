//! Where lines cross, drawn under them.

use statistics::{Contest, Crossing};

use super::super::super::axes::Axis;
use super::super::super::figure::{INK, Plot};
use super::super::super::marks::dashes;
use super::super::super::scene::{Label, Mark};
use super::super::super::text::width;
use super::super::x_axis;
use super::style_of;
use crate::break_even::{Duel, Sweep, Way};
use crate::units;

/// Pixels an em of the sizes at which lines cross.
const SIZE: f64 = 13.0;
/// From a dashed line, or from the plot's edge, to a size, in pixels.
const GAP: f64 = 5.0;

/// Marks the crossings of a sweep in its plot.
pub fn mark(plot: &mut Plot, axis: &Axis, sweep: &Sweep) {
    let duels = sweep.duels();
    let (mut areas, mut lines) = (Vec::new(), Vec::new());
    for duel in &duels {
        for crossing in duel.crossings() {
            let place = Place::new(plot, axis, &crossing);
            areas.extend(place.area(plot, duel));
            lines.extend(place.line(plot, duel.way, &crossing));
        }
    }
    plot.marks.splice(0..0, areas.into_iter().chain(lines));
}

/// Pixels from the left of a plot.
struct Place {
    low: f64,
    middle: f64,
    high: f64,
}

impl Place {
    /// An end that is beyond the measured sizes is the plot's.
    fn new(plot: &Plot, axis: &Axis, crossing: &Crossing) -> Place {
        let scale = x_axis::scale(axis);
        let pixel = |size: f64| (plot.width * scale.position(size)).clamp(0.0, plot.width);
        Place {
            low: crossing.low.map_or(0.0, pixel),
            middle: pixel(crossing.size),
            high: crossing.high.map_or(plot.width, pixel),
        }
    }

    /// The interval, where it is known.
    fn area(&self, plot: &Plot, duel: &Duel) -> Option<Mark> {
        let is_known = duel.contests.iter().all(Contest::has_intervals);
        is_known.then(|| Mark::Rect {
            from: (self.low, 0.0),
            to: (self.high, plot.height),
            color: style_of(duel.way).shade(),
        })
    }

    /// A dashed line with its size in words, right of it where there is room.
    fn line(&self, plot: &Plot, way: Way, crossing: &Crossing) -> Vec<Mark> {
        let words = units::count(crossing.size);
        let needed = width(&words, SIZE) + GAP;
        let fits = self.middle + needed <= plot.width;
        let x = if fits { self.middle + GAP } else { self.middle - needed };
        let ends = [(self.middle, 0.0), (self.middle, plot.height)];
        let mut marks = dashes(&ends, style_of(way).color, 1);
        let at = (x, baseline(plot, way));
        marks.push(Mark::Text(Label::new(words, at, SIZE, INK)));
        marks
    }
}

/// Lines fall from left to right, and kernels break even first: there is room at
/// the bottom for their sizes, and at the top for the others.
fn baseline(plot: &Plot, way: Way) -> f64 {
    match way {
        Way::EndToEnd => GAP + SIZE,
        Way::Kernels => plot.height - GAP,
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::super::fixture::{break_even_rows, run};
    use super::super::super::super::study::{SeriesNames, Study};
    use super::*;
    use crate::record::SummaryRow;

    fn plots(rows: &[SummaryRow]) -> Vec<Plot> {
        let (run, names) = (run(), SeriesNames::new(rows));
        let study = Study::new(&run, "sort", rows, &[], &names);
        super::super::figure(&study).map_or_else(Vec::new, |figure| figure.plots)
    }

    fn areas(plot: &Plot) -> Vec<(f64, f64)> {
        let area = |mark: &Mark| match mark {
            Mark::Rect { from, to, .. } => Some((from.0, to.0)),
            _ => None,
        };
        plot.marks.iter().filter_map(area).collect()
    }

    fn words(plot: &Plot) -> Vec<String> {
        let text = |mark: &Mark| match mark {
            Mark::Text(label) => Some(label.text.clone()),
            _ => None,
        };
        plot.marks.iter().filter_map(text).collect()
    }

    #[test]
    fn both_ways_are_marked_and_told_apart() {
        let plots = plots(&break_even_rows(&["random", "time"]));
        assert_eq!(plots.len(), 2);
        assert_eq!(plots[0].title, "order = random");
        for plot in &plots {
            assert_eq!((areas(plot).len(), words(plot).len()), (2, 2));
            assert!(matches!(plot.marks[0], Mark::Rect { .. }), "under all else");
        }
    }

    #[test]
    fn an_area_without_an_end_reaches_to_the_edge() {
        let mut rows = break_even_rows(&["random"]);
        // Not clear at 10 k, which is now the smallest size.
        rows.retain(|row| row.items >= 10_000);
        let plots = plots(&rows);
        let areas = areas(&plots[0]);
        assert_eq!((areas.len(), areas[0].0), (1, 0.0), "{areas:?}");
        assert!(areas[0].1 < plots[0].width, "{areas:?}");
    }

    #[test]
    fn what_has_no_interval_has_no_area() {
        let mut rows = break_even_rows(&["random"]);
        rows.iter_mut().for_each(|row| row.ci95_low_s = None);
        let plots = plots(&rows);
        assert_eq!((areas(&plots[0]).len(), words(&plots[0]).len()), (0, 2));
    }

    #[test]
    fn without_a_gpu_nothing_is_drawn() {
        let mut rows = break_even_rows(&["random"]);
        rows.retain(|row| row.device == "cpu");
        assert!(plots(&rows).is_empty());
    }
}
