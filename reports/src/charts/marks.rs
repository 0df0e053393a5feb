//! Marks that several charts draw.

use super::scene::{At, Mark};
use plotters::style::RGBColor;

/// A whisker with caps: a vertical line from `low` to `high` at `x`.
pub fn whisker(x: f64, low: f64, high: f64, cap: f64, color: RGBColor) -> Vec<Mark> {
    let across = |y: f64| Mark::line((x - cap, y), (x + cap, y), color, 1);
    vec![
        Mark::line((x, low), (x, high), color, 1),
        across(low),
        across(high),
    ]
}

/// Points joined by a line; a single point has none.
pub fn polyline(points: &[At], color: RGBColor, width: u32) -> Option<Mark> {
    let points = points.to_vec();
    (points.len() > 1).then_some(Mark::Path {
        points,
        color,
        width,
    })
}
