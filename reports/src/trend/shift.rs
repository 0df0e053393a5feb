//! State of each change of a level, and changes that were reviewed and accepted.

use serde::Serialize;

use super::levels::{Level, SeriesLevels, ShiftLimits, levels};
use super::{HistoryPoint, PointHistory};
use crate::aliases::ALIASES;
use crate::rank::RankedBy;
use crate::record::Code;

/// A history with its levels, and the changes between them.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Trend {
    /// The measured point with its runs.
    #[serde(flatten)]
    pub history: PointHistory,
    /// The minimum change of this series, relative to the time before.
    pub threshold: f64,
    /// At least one level, the earliest first.
    pub levels: Vec<Level>,
    /// The changes between them.
    pub shifts: Vec<Shift>,
}

/// A change from one level to the next.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Shift {
    /// The index of the first run of the new level in the history.
    pub first: usize,
    /// The level before, in the unit of the history.
    pub before_s: f64,
    /// The level after, in the unit of the history.
    pub after_s: f64,
    /// Probability of a change as significant in a series without a change.
    pub p_value: f64,
    /// Slower or faster.
    pub direction: Direction,
    /// Change of the code between the runs on both sides.
    pub code: Code,
    /// State of the change.
    pub standing: ShiftStatus,
}

/// Direction of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// The new level is higher.
    Slower,
    /// The new level is lower.
    Faster,
}

impl Direction {
    /// `slower` or `faster`.
    pub fn name(self) -> &'static str {
        self.name_by(RankedBy::Time)
    }

    /// `slower` or `faster`; of energies `more` or `less`.
    pub(super) fn name_by(self, by: RankedBy) -> &'static str {
        match (self, by) {
            (Direction::Slower, RankedBy::Time) => "slower",
            (Direction::Faster, RankedBy::Time) => "faster",
            (Direction::Slower, RankedBy::Energy) => "more",
            (Direction::Faster, RankedBy::Energy) => "less",
        }
    }
}

/// State of a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ShiftStatus {
    /// Not handled yet.
    Open,
    /// Accepted, with this note.
    Accepted(String),
    /// The time is back at its earlier level, or below.
    Undone,
}

impl Shift {
    /// `now` is the last level, reduced by the minimum change.
    fn between(
        before: &Level,
        after: &Level,
        now: f64,
        history: &PointHistory,
        accepted: &[AcceptedShift],
    ) -> Self {
        let first = after.runs.start;
        let fingerprint = |run: usize| history.entries[run].fingerprint.as_str();
        let is_slower = after.median_s > before.median_s;
        let mut accepted = accepted.iter();
        Shift {
            first,
            before_s: before.median_s,
            after_s: after.median_s,
            p_value: after.p_value.unwrap_or(1.0),
            direction: if is_slower { Direction::Slower } else { Direction::Faster },
            code: Code::from_fingerprints(fingerprint(first - 1), fingerprint(first)),
            standing: match accepted.find(|accepted| accepted.covers(history, first)) {
                Some(accepted) => ShiftStatus::Accepted(accepted.note.clone()),
                None if is_slower && now <= before.median_s => ShiftStatus::Undone,
                None => ShiftStatus::Open,
            },
        }
    }

    /// The new level over the one before.
    pub fn ratio(&self) -> f64 {
        self.after_s / self.before_s
    }

    /// True if the change needs attention.
    pub fn is_alarm(&self) -> bool {
        self.direction == Direction::Slower && self.standing == ShiftStatus::Open
    }
}

impl Trend {
    /// State of the changes between the levels of a history.
    fn new(history: PointHistory, levels: SeriesLevels, accepted: &[AcceptedShift]) -> Self {
        let SeriesLevels { levels, threshold } = levels;
        let now = levels.last().map_or(f64::NAN, |level| level.median_s) / (1.0 + threshold);
        let pairs = levels.windows(2);
        let shifts = pairs.map(|pair| Shift::between(&pair[0], &pair[1], now, &history, accepted));
        Trend { shifts: shifts.collect(), history, threshold, levels }
    }

    /// The changes that need attention.
    pub fn alarms(&self) -> impl Iterator<Item = &Shift> {
        self.shifts.iter().filter(|shift| shift.is_alarm())
    }

    /// The first run of a level.
    pub fn first_entry(&self, shift: &Shift) -> &HistoryPoint {
        &self.history.entries[shift.first]
    }
}

/// Finds the levels of histories, and the state of the changes between them. With more histories, a
/// change has to be more significant.
pub fn trends(
    histories: Vec<PointHistory>,
    limits: &ShiftLimits,
    accepted: &[AcceptedShift],
) -> Vec<Trend> {
    let seconds =
        |history: &PointHistory| history.entries.iter().map(|entry| entry.median_s).collect();
    let seconds: Vec<Vec<f64>> = histories.iter().map(seconds).collect();
    let histories = histories.into_iter().zip(levels(&seconds, limits));
    histories.map(|(history, levels)| Trend::new(history, levels, accepted)).collect()
}

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
    use super::super::fixture::{self, history};
    use super::*;

    fn trend(means: &[(usize, f64)], accepted: &[AcceptedShift]) -> Trend {
        trends(vec![history("a", means)], &ShiftLimits::default(), accepted).remove(0)
    }

    #[test]
    fn a_slower_level_is_an_alarm_until_it_is_accepted() {
        let means = [(30, 1.0), (10, 1.1)];
        let found = trend(&means, &[]);
        assert_eq!(found.alarms().count(), 1);
        let shift = &found.shifts[0];
        assert_eq!((shift.first, shift.direction), (30, Direction::Slower));
        assert_eq!(shift.code, Code::Changed);
        assert!((shift.ratio() - 1.1).abs() < 0.02);
        assert_eq!(found.first_entry(shift).run, "night-30");
        let accepted = AcceptedShift {
            run: "night-31".into(),
            note: "more work".into(),
            ..AcceptedShift::default()
        };
        let found = trend(&means, &[accepted]);
        assert_eq!(found.alarms().count(), 0);
        assert_eq!(found.shifts[0].standing, ShiftStatus::Accepted("more work".into()));
    }

    #[test]
    fn reverted_changes_raise_no_alarm() {
        let found = trend(&[(30, 1.0), (10, 1.1), (10, 1.0)], &[]);
        assert_eq!(found.shifts.len(), 2);
        assert_eq!(found.shifts[0].standing, ShiftStatus::Undone);
        assert_eq!(found.alarms().count(), 0);
    }

    #[test]
    fn partly_reverted_changes_raise_an_alarm() {
        let found = trend(&[(30, 1.0), (10, 1.3), (10, 1.1)], &[]);
        assert_eq!(found.alarms().count(), 1);
    }

    #[test]
    fn a_faster_level_raises_no_alarm() {
        let found = trend(&[(30, 1.0), (10, 0.9)], &[]);
        assert_eq!(found.shifts[0].direction, Direction::Faster);
        assert_eq!(found.alarms().count(), 0);
    }

    #[test]
    fn trends_keep_the_order_of_their_tracks() {
        let names = ["b", "a", "c"];
        let histories = names.map(|name| history(name, &[(10, 1.0)])).to_vec();
        let trends = trends(histories, &ShiftLimits::default(), &[]);
        let found: Vec<_> = trends.iter().map(|t| t.history.point.variant.as_str()).collect();
        assert_eq!(found, names);
    }

    fn accepted_history() -> PointHistory {
        fixture::history("a", &[(20, 1.0)])
    }

    fn accepted(run: &str) -> AcceptedShift {
        AcceptedShift { run: run.into(), ..AcceptedShift::default() }
    }

    #[test]
    fn a_change_may_be_a_run_or_two_from_the_accepted_one() {
        let covers = |run: &str, first| accepted(run).covers(&accepted_history(), first);
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
            shift.covers(&accepted_history(), 10)
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
