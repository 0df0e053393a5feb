//! Ratios with their intervals, drawn around 1 on one scale for all.

use maud::{Markup, html};

use super::super::facts::verdict::ratio;
use super::parts::pixels;
use crate::compare::{PointVerdict, Verdict};
use crate::units;

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
