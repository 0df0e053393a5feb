//! Changes since another run. Ratios are drawn with their intervals around 1, on one scale for all.

use std::path::Path;

use maud::{Markup, html};
use text::{SENTENCE, Untrusted};

use super::super::facts::verdict::{changed_points, ratio};
use super::super::facts::{Settings, counted, minute, short_path};
use super::{and_more, pixels, scrolling};
use crate::compare::render::{hints, steps};
use crate::compare::{Comparison, PointVerdict, Unmatched, Verdict, gate};
use crate::record::Code;
use crate::shape::point_axes;
use crate::units;

/// Maximum number of rows; further ones are counted.
const MAX_ROWS: usize = 300;

pub fn section(comparison: &Comparison) -> Markup {
    let settings =
        Settings::from_points(comparison.points.iter().map(|point| point_axes(&point.key.point)));
    let limit = comparison.thresholds.min_effect;
    let scale = Scale::for_points(comparison.points.iter(), limit);
    html! {
        section #changes {
            h2 { "What changed" }
            p { (compared_with(comparison)) }
            (counts(comparison))
            (wrong(comparison))
            @if !settings.common().is_empty() { p.quiet { "All points: " (settings.common()) "." } }
            (changed(comparison, &settings, &scale))
            (next(comparison))
            (unchanged(comparison, &settings, &scale))
            (unmatched(comparison))
            @for note in &comparison.notes { p.note { "Note: " (note.escaped().at_most(SENTENCE)) } }
            p.quiet { (gate::sentence(comparison)) "." }
        }
    }
}

fn compared_with(comparison: &Comparison) -> Markup {
    let base = &comparison.base;
    let limits = &comparison.thresholds;
    html! {
        "Compared with the run of " (minute(&base.started)) " in " code title=(Path::new(&base.folder).escaped()) { (short_path(&base.folder).escaped()) }
        @if let Some(commit) = &base.git_commit { " by commit " code { (commit.escaped()) } }
        ". A change counts if the whole 95 % interval of the ratio of the medians lies more than "
        (percent(limits.min_effect)) " from 1 and the rank test agrees (p < " (limits.significance)
        "). Of all reported changes, at most " (percent(limits.false_discovery))
        " are expected to be false."
        @if base.machine_key != comparison.new.machine_key {
            strong { " The machines differ (" (base.cpu_model.escaped()) " before, " (comparison.new.cpu_model.escaped())
            " now): the ratios include that." }
        }
    }
}

fn counts(comparison: &Comparison) -> Markup {
    html! {
        ul.counts {
            @for verdict in Verdict::ALL {
                li class=(class(verdict)) {
                    span aria-hidden="true" { (sign(verdict)) }
                    " " strong { (comparison.count(verdict)) } " " (verdict)
                }
            }
        }
    }
}

fn changed(comparison: &Comparison, settings: &Settings, scale: &Scale) -> Markup {
    let points = changed_points(comparison);
    html! {
        @if points.is_empty() {
            p { "No point changed." }
        } @else {
            (table("Points that changed, or may have", &points, settings, scale))
        }
    }
}

fn unchanged(comparison: &Comparison, settings: &Settings, scale: &Scale) -> Markup {
    let points: Vec<_> = comparison.with_verdict(Verdict::Same).collect();
    html! {
        @if !points.is_empty() {
            details {
                summary { (counted(points.len(), "point")) " without a change that would matter" }
                (table("Points without a change", &points, settings, scale))
            }
        }
    }
}

fn table(label: &str, points: &[&PointVerdict], settings: &Settings, scale: &Scale) -> Markup {
    let table = html! {
        table.cards {
            thead { tr {
                th scope="col" { "verdict" }
                th scope="col" { "point" }
                th.number scope="col" { "ratio [95 %]" }
                th scope="col" { "ratio " (scale.axis()) }
                th.number scope="col" { "before" }
                th.number scope="col" { "now" }
                th scope="col" { "why" }
            } }
            tbody { @for point in points.iter().take(MAX_ROWS) { (row(point, settings, scale)) } }
        }
    };
    html! {
        (scrolling(label, &table))
        (and_more(points.len().saturating_sub(MAX_ROWS), "points"))
    }
}

fn row(point: &PointVerdict, settings: &Settings, scale: &Scale) -> Markup {
    html! {
        tr {
            td.verdict-cell.(class(point.verdict)) data-label="verdict" {
                span { span aria-hidden="true" { (sign(point.verdict)) } " " (point.label()) }
            }
            th.point scope="row" {
                (point.key.name()) " "
                span.quiet { (settings.apart(&point_axes(&point.key.point))) }
            }
            td.number data-label="ratio" { (ratio(point)) }
            td { (scale.plot(point)) }
            td.number data-label="before" { (units::seconds(point.base.median_s, 3)) }
            td.number data-label="now" { (units::seconds(point.new.median_s, 3)) }
            td.words data-label="why" { (point.reason.escaped().at_most(SENTENCE)) (code(point)) }
        }
    }
}

/// Note on changed machine code; unchanged code is part of the reason.
fn code(point: &PointVerdict) -> Markup {
    let words = match (point.verdict, point.code) {
        (Verdict::Slower | Verdict::Faster, Code::Changed) => "; the machine code changed",
        _ => "",
    };
    html! { (words) }
}

/// Next steps without repeats: commands are long, and meant to be copied.
fn next(comparison: &Comparison) -> Markup {
    let steps = steps(comparison);
    let hints = hints(comparison);
    html! {
        @if !steps.is_empty() || !hints.is_empty() {
            h3 { "What to do next" }
            @for hint in &hints { p { (hint) } }
            ul { @for step in &steps { li { code { (step) } } } }
        }
    }
}

/// Points with a wrong output that were right in the base: they must not be overlooked.
fn wrong(comparison: &Comparison) -> Markup {
    let points: Vec<_> = comparison.wrong().collect();
    html! {
        @if !points.is_empty() {
            p.note { strong { (counted(points.len(), "point")) " of the base: wrong output now, or \
                failed" } }
            (partners(&points))
        }
    }
}

fn unmatched(comparison: &Comparison) -> Markup {
    let lost = comparison.only_base.iter().filter(|point| !point.is_wrong());
    let sides: [(&str, Vec<&Unmatched>); 2] = [
        ("in the base only", lost.collect()),
        ("in this run only", comparison.only_new.iter().collect()),
    ];
    html! {
        @for (side, points) in sides {
            @if !points.is_empty() {
                details {
                    summary { (counted(points.len(), "point")) " " (side) }
                    (partners(&points))
                }
            }
        }
    }
}

fn partners(points: &[&Unmatched]) -> Markup {
    let settings = Settings::from_points(points.iter().map(|point| point_axes(&point.key.point)));
    html! {
        ul.notes {
            @for point in points.iter().take(MAX_ROWS) {
                li { (point.key.name()) " "
                    span.quiet { (settings.apart(&point_axes(&point.key.point))) } ": " (point.reason.escaped().at_most(SENTENCE)) }
            }
        }
        (and_more(points.len().saturating_sub(MAX_ROWS), "points"))
    }
}

fn percent(fraction: f64) -> String {
    // To a tenth: 1 %, 2.5 %.
    format!("{} %", (fraction * 1000.0).round() / 10.0)
}

const WIDTH: f64 = 220.0;
const HEIGHT: f64 = 24.0;
/// Margin for the markers at the ends.
const MARGIN: f64 = 8.0;
/// Ratios further from 1 than this factor are clipped.
const MAX_RATIO: f64 = 4.0;

/// A logarithmic scale around 1.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// The natural logarithm of the ratio at the right end.
    reach: f64,
    /// The smallest change that counts, as a fraction.
    min_effect: f64,
}

impl Scale {
    /// A scale for all intervals, and the band of irrelevant changes.
    pub fn for_points<'a>(points: impl Iterator<Item = &'a PointVerdict>, min_effect: f64) -> Self {
        let ends = points.flat_map(|point| {
            let (low, high) = ends(point);
            [low, high, point.ratio]
        });
        let far = ends.map(|ratio| ratio.ln().abs()).filter(|far| far.is_finite());
        let smallest = (1.0 + 3.0 * min_effect).ln();
        Scale { reach: far.fold(smallest, f64::max).min(MAX_RATIO.ln()), min_effect }
    }

    fn x(&self, ratio: f64) -> f64 {
        let position = (ratio.ln() / self.reach).clamp(-1.0, 1.0);
        WIDTH / 2.0 + position * (WIDTH / 2.0 - MARGIN)
    }

    /// The ends of the scale and its middle, over the plots.
    pub fn axis(&self) -> Markup {
        let low = (-self.reach).exp();
        let high = self.reach.exp();
        let number = |ratio| units::significant(ratio, 3);
        html! {
            span.ends aria-hidden="true" {
                span { (number(low)) } span { "1" } span { (number(high)) }
            }
        }
    }

    /// The ratio of a point and its interval.
    pub fn plot(&self, point: &PointVerdict) -> Markup {
        let (low, high) = ends(point);
        let middle = HEIGHT / 2.0;
        let from = pixels(self.x(low));
        let to = pixels(self.x(high));
        let mark = marker(point.verdict, self.x(point.ratio));
        let left = self.x(1.0 - self.min_effect);
        let right = self.x(1.0 + self.min_effect);
        html! {
            svg.interval role="img" aria-label=(words(point)) width=(WIDTH) height=(HEIGHT)
                viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } {
                rect.band x=(pixels(left)) y="0" width=(pixels(right - left)) height=(HEIGHT) {}
                path.one d={ "M" (pixels(self.x(1.0))) " 0V" (HEIGHT) } {}
                @if point.ratio.is_finite() {
                    path.whisker d={ "M" (from) " " (middle) "H" (to) } {}
                    path class={ "mark " (class(point.verdict)) } d=(mark) {}
                }
            }
        }
    }
}

/// The numbers, for screen readers.
fn words(point: &PointVerdict) -> String {
    let missing = match point.interval {
        Some(_) => "",
        None => ", too few samples for an interval",
    };
    format!("{}{missing}", ratio(point))
}

/// The class of a verdict's colour.
pub fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Slower => "slower",
        Verdict::Inconclusive => "inconclusive",
        Verdict::Faster => "faster",
        Verdict::Same => "same",
    }
}

/// The sign of a verdict, because some readers can't distinguish colours.
pub fn sign(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Slower => "▲",
        Verdict::Inconclusive => "◆",
        Verdict::Faster => "▼",
        Verdict::Same => "●",
    }
}

/// The sign as an outline around `x`.
fn marker(verdict: Verdict, x: f64) -> String {
    let corners: &[(f64, f64)] = match verdict {
        Verdict::Slower => &[(-5.5, 4.5), (5.5, 4.5), (0.0, -5.5)],
        Verdict::Faster => &[(-5.5, -4.5), (5.5, -4.5), (0.0, 5.5)],
        Verdict::Inconclusive => &[(-5.0, 0.0), (0.0, -5.0), (5.0, 0.0), (0.0, 5.0)],
        Verdict::Same => &[(-3.5, -3.5), (3.5, -3.5), (3.5, 3.5), (-3.5, 3.5)],
    };
    let at = |(dx, dy): &(f64, f64)| format!("{} {}", pixels(x + dx), pixels(HEIGHT / 2.0 + dy));
    let points: Vec<String> = corners.iter().map(at).collect();
    format!("M{}Z", points.join("L"))
}

fn ends(point: &PointVerdict) -> (f64, f64) {
    point.interval.map_or((point.ratio, point.ratio), |i| (i.low, i.high))
}

#[cfg(test)]
mod tests {
    use super::super::super::facts::fixture::comparison;
    use super::*;

    #[test]
    fn one_is_in_the_middle_and_extremes_stay_inside() {
        let mut points = comparison(&[Verdict::Slower, Verdict::Faster]).points;
        points[0].ratio = 1e6;
        points[1].ratio = 0.0;
        let scale = Scale::for_points(points.iter(), 0.01);
        assert_eq!(scale.x(1.0), WIDTH / 2.0);
        assert_eq!(scale.x(1e6), WIDTH - MARGIN);
        assert_eq!(scale.x(0.0), MARGIN);
    }

    #[test]
    fn a_plot_says_its_numbers() {
        let point = &comparison(&[Verdict::Slower]).points[0];
        let plot = Scale::for_points([point].into_iter(), 0.01).plot(point).into_string();
        assert!(plot.contains("aria-label=\"1.080 [1.050, 1.110]\""), "{plot}");
    }
}
