//! What all points share, said once, and what tells them apart.

use crate::record::SummaryRow;
use crate::shape::{self, Axes, AxisName};

/// What is said where only the absence of a placement tells points apart.
const NO_PLACEMENT: &str = "no placement";

/// The axes that all points of a set have with the same value.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    common: Axes,
}

impl Settings {
    /// What the points with these axes share.
    pub fn of(points: impl IntoIterator<Item = Axes>) -> Self {
        let common = shape::common(points);
        Settings { common }
    }

    /// What rows share.
    pub fn of_rows<'a>(rows: impl IntoIterator<Item = &'a SummaryRow>) -> Self {
        Settings::of(rows.into_iter().map(shape::axes))
    }

    /// What is common, in words.
    pub fn common(&self) -> String {
        shape::phrases(&self.common)
    }

    /// What tells a point from the others, in words; all if nothing does.
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
    fn what_is_common_is_not_repeated() {
        let rows =
            [row("a", "digis=1000;order=random", 1.0), row("a", "digis=1000;order=time", 1.0)];
        let settings = Settings::of_rows(&rows);
        assert_eq!(settings.common(), "1 k digis · 2 threads · cache hot");
        assert_eq!(settings.apart(&shape::axes(&rows[1])), "order time");
    }

    #[test]
    fn a_single_point_says_all() {
        let rows = [row("a", "digis=1000", 1.0)];
        let settings = Settings::of_rows(&rows);
        let words = "1 k digis · 2 threads · cache hot";
        assert_eq!(settings.apart(&shape::axes(&rows[0])), words);
    }

    #[test]
    fn threads_without_a_place_are_told_from_those_with_one() {
        let mut placed = row("a", "n=1", 1.0);
        placed.places = "cores".into();
        let rows = [row("a", "n=1", 1.0), placed];
        let settings = Settings::of_rows(&rows);
        assert_eq!(settings.apart(&shape::axes(&rows[0])), "no placement");
        assert_eq!(settings.apart(&shape::axes(&rows[1])), "places cores");
    }
}
