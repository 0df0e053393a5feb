//! Marks that several charts draw.

use super::scene::{At, Mark};
use plotters::style::RGBColor;

/// A whisker with caps: a vertical line from `low` to `high` at `x`.
pub fn whisker(x: f64, low: f64, high: f64, cap: f64, color: RGBColor) -> Vec<Mark> {
    let across = |y: f64| Mark::line((x - cap, y), (x + cap, y), color, 1);
    vec![Mark::line((x, low), (x, high), color, 1), across(low), across(high)]
}

/// Points joined by a line; a single point has none.
pub fn polyline(points: &[At], color: RGBColor, width: u32) -> Option<Mark> {
    let points = points.to_vec();
    (points.len() > 1).then_some(Mark::Path { points, color, width })
}

/// Points joined by a dashed line.
pub fn dashes(points: &[At], color: RGBColor, width: u32) -> Vec<Mark> {
    let pieces = points.windows(2).flat_map(|ends| pieces(ends[0], ends[1]));
    pieces.map(|(from, to)| Mark::line(from, to, color, width)).collect()
}

/// The dashes between two points, the last one cut where the line ends.
fn pieces(from: At, to: At) -> Vec<(At, At)> {
    const DASH: f64 = 6.0;
    const PERIOD: f64 = 10.0;
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy);
    let at = |pixels: f64| {
        let share = (pixels / length).min(1.0);
        (from.0 + dx * share, from.1 + dy * share)
    };
    let count = (length / PERIOD).ceil() as usize;
    let starts = (0..count).map(|i| i as f64 * PERIOD);
    starts.map(|start| (at(start), at(start + DASH))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_begin_and_end_with_their_line() {
        let dashes = pieces((0.0, 0.0), (0.0, 50.0));
        assert_eq!(dashes.len(), 5);
        assert_eq!(dashes[4], ((0.0, 40.0), (0.0, 46.0)));
        let short = pieces((0.0, 0.0), (12.0, 0.0));
        assert_eq!(short[1], ((10.0, 0.0), (12.0, 0.0)));
    }
}
