//! Changes that were reviewed and accepted.

use super::point_history::{HistoryPoint, PointHistory};
use crate::aliases::ALIASES;

/// Tolerance in runs before and after an accepted run, which is only the most likely position of
/// the change.
const NEARBY: usize = 2;

/// An accepted change, which is not reported again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AcceptedShift {
    /// The first run after the change: its id, or a prefix of it.
    pub run: String,
    /// Tasks; empty for all.
    pub tasks: Vec<String>,
    /// Variants; empty for all.
    pub variants: Vec<String>,
    /// Devices; empty for all.
    pub devices: Vec<String>,
    /// Required values of axes.
    pub params: Vec<(String, String)>,
    /// Reason, for later readers.
    pub note: String,
}

impl AcceptedShift {
    /// True if this accepts a change of a history at that run.
    pub fn covers(&self, history: &PointHistory, first: usize) -> bool {
        let from = first.saturating_sub(NEARBY);
        let runs = history.entries.iter().skip(from).take(first - from + NEARBY + 1);
        self.is_about(history) && runs.into_iter().any(|entry| self.is_meant(entry))
    }

    fn is_meant(&self, entry: &HistoryPoint) -> bool {
        !self.run.is_empty() && entry.run.starts_with(&self.run)
    }

    fn is_about(&self, history: &PointHistory) -> bool {
        let point = &history.point;
        let among = |names: &[String], name: &String| names.is_empty() || names.contains(name);
        let of = [point.algorithm.as_str(), &point.device];
        let is_it = |name: &String| {
            *name == point.variant || ALIASES.former(of, &point.variant).any(|old| old == name)
        };
        let mut params = self.params.iter();
        among(&self.tasks, &point.algorithm)
            && (self.variants.is_empty() || self.variants.iter().any(is_it))
            && among(&self.devices, &point.device)
            && params.all(|(name, value)| point.params.get(name) == Some(value))
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    fn history() -> PointHistory {
        fixture::history("a", &[(20, 1.0)])
    }

    fn accepted(run: &str) -> AcceptedShift {
        AcceptedShift { run: run.into(), ..AcceptedShift::default() }
    }

    #[test]
    fn a_change_may_be_a_run_or_two_from_the_accepted_one() {
        let covers = |run: &str, first| accepted(run).covers(&history(), first);
        let covered: Vec<usize> = (0..20).filter(|first| covers("night-10", *first)).collect();
        assert_eq!(covered, [8, 9, 10, 11, 12]);
        assert!(covers("night-00", 1) && covers("night-19", 19));
        assert!(!covers("", 5) && !covers("elsewhere", 5));
    }

    #[test]
    fn it_may_be_of_some_points_only() {
        let covers = |change: fn(&mut AcceptedShift)| {
            let mut shift = accepted("night-10");
            change(&mut shift);
            shift.covers(&history(), 10)
        };
        assert!(covers(|shift| shift.tasks = vec!["sort".into()]));
        assert!(!covers(|shift| shift.tasks = vec!["sts".into()]));
        assert!(covers(|shift| shift.variants = vec!["b".into(), "a".into()]));
        assert!(!covers(|shift| shift.variants = vec!["b".into()]));
        assert!(!covers(|shift| shift.devices = vec!["cuda:0".into()]));
        assert!(covers(|shift| shift.params = vec![("n".into(), "1".into())]));
        assert!(!covers(|shift| shift.params = vec![("n".into(), "2".into())]));
    }
}
