//! Common axes of all points, which are printed once, and those that distinguish points.

use crate::record::SummaryRow;
use crate::shape::{self, Axes, AxisName};

/// Label of points that differ from others only by having no placement.
const NO_PLACEMENT: &str = "no placement";

/// The axes that have the same value for all points of a set.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    common: Axes,
}

impl Settings {
    /// Common axes of points.
    pub fn from_points(points: impl IntoIterator<Item = Axes>) -> Self {
        let common = shape::common(points);
        Settings { common }
    }

    /// Common axes of rows.
    pub fn from_rows<'a>(rows: impl IntoIterator<Item = &'a SummaryRow>) -> Self {
        Settings::from_points(rows.into_iter().map(shape::axes))
    }

    /// The common axes as text.
    pub fn common(&self) -> String {
        shape::phrases(&self.common)
    }

    /// The axes that distinguish a point from the others as text; all axes if none differ.
    pub fn apart(&self, axes: &Axes) -> String {
        let is_own = |axis: &&(AxisName, String)| !self.common.contains(axis);
        let own: Axes = axes.iter().filter(is_own).cloned().collect();
        match (own.is_empty(), shape::phrases(&own)) {
            (true, _) => self.common(),
            (false, words) if words.is_empty() => NO_PLACEMENT.to_owned(),
            (false, words) => words,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::row;
    use super::*;

    #[test]
    fn common_axes_are_not_repeated() {
        let rows =
            [row("a", "digis=1000;order=random", 1.0), row("a", "digis=1000;order=time", 1.0)];
        let settings = Settings::from_rows(&rows);
        assert_eq!(settings.common(), "1 k digis · 2 threads · cache hot");
        assert_eq!(settings.apart(&shape::axes(&rows[1])), "order time");
    }

    #[test]
    fn a_single_point_says_all() {
        let rows = [row("a", "digis=1000", 1.0)];
        let settings = Settings::from_rows(&rows);
        let words = "1 k digis · 2 threads · cache hot";
        assert_eq!(settings.apart(&shape::axes(&rows[0])), words);
    }

    #[test]
    fn threads_without_a_place_are_distinguished() {
        let mut placed = row("a", "n=1", 1.0);
        placed.cpu_sets = "cores".into();
        let rows = [row("a", "n=1", 1.0), placed];
        let settings = Settings::from_rows(&rows);
        assert_eq!(settings.apart(&shape::axes(&rows[0])), "no placement");
        assert_eq!(settings.apart(&shape::axes(&rows[1])), "places cores");
    }
}
