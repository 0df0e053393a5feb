//! Metrics that settings are compared by.

use statistics::Interval;
use text::Untrusted;

use crate::record::{About, Better, MetricRecord, Quantities};
use crate::units;

/// Significant digits of values without a unit.
const DIGITS: usize = 4;

/// Speed of all tasks: their items over the median time.
pub const ITEMS_PER_S: &str = "items_per_s";
/// Names of the share of found objects that are not real.
const GHOSTS: [&str; 2] = ["ghosts", "fakes"];
/// Median time of a run.
pub(super) const MEDIAN_S: &str = "median_s";

/// A metric that settings are compared by.
#[derive(Clone, Debug, PartialEq)]
pub struct Goal {
    /// Its name among the metrics of a run.
    pub metric: String,
    /// Its name in tables and charts, with the unit.
    pub label: String,
    /// The direction of improvement.
    pub better: Better,
    /// The best value, where nearer is better.
    pub ideal: Option<f64>,
    /// The quantity.
    pub quantity: Quantity,
}

/// Quantity that settings are compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Items over the median time of a run.
    ItemsPerSecond,
    /// The median time.
    MedianTime,
    /// A metric of the task that follows from the time.
    OtherSpeed,
    /// A metric of quality.
    Quality,
}

/// A metric that a task does not have.
#[derive(Debug, thiserror::Error)]
pub enum ParetoError {
    /// Unknown metric of speed.
    #[error("--speed {}: {task} has no such metric; use {}", metric.escaped(), known.join(", "))]
    #[expect(missing_docs, reason = "the message says what they hold")]
    Speed { task: String, metric: String, known: Vec<String> },
    /// Unknown metric of quality.
    #[error("--quality {}: {task} has no such metric; use {}", metric.escaped(), known.join(", "))]
    #[expect(missing_docs, reason = "the message says what they hold")]
    Quality { task: String, metric: String, known: Vec<String> },
    /// Task without the truth.
    #[error("{task} has no metric of quality, as the truth of its input is not known; tasks that \
        have: {}", others.join(", "))]
    #[expect(missing_docs, reason = "the message says what they hold")]
    NoQuality { task: String, others: Vec<String> },
}

impl Goal {
    /// The metric of speed of this name.
    ///
    /// # Errors
    /// If the task has none of this name; the error lists those that it has.
    pub fn speed(quantities: &Quantities, task: &str, metric: &str) -> Result<Self, ParetoError> {
        let own = |label: &str, better, quantity| Goal {
            metric: metric.to_owned(),
            label: label.to_owned(),
            better,
            ideal: None,
            quantity,
        };
        match metric {
            ITEMS_PER_S => {
                return Ok(own("items per second", Better::Higher, Quantity::ItemsPerSecond));
            }
            MEDIAN_S => return Ok(own("median time", Better::Lower, Quantity::MedianTime)),
            _ => {}
        }
        let declared = declared(quantities, task, |record| record.about == About::Speed);
        let found = declared.iter().find(|(name, _)| *name == metric);
        found.map(|(name, record)| Goal::new(name, record)).ok_or_else(|| {
            let names = declared.iter().map(|(name, _)| (*name).to_owned());
            let known = [ITEMS_PER_S, MEDIAN_S].map(str::to_owned).into_iter().chain(names);
            ParetoError::Speed { task: task.into(), metric: metric.into(), known: known.collect() }
        })
    }

    /// The metrics of quality of these names; by default a share that should be large, and one that
    /// should be small. `ghosts` and `fakes` are the same to tasks that have only one of them.
    ///
    /// # Errors
    /// If the task has none of a name; the error lists those that it has.
    pub fn qualities(
        quantities: &Quantities,
        task: &str,
        metrics: &[String],
    ) -> Result<Vec<Self>, ParetoError> {
        let is_quality = |record: &MetricRecord| {
            record.about == About::Quality && record.better != Better::Neutral
        };
        let declared = declared(quantities, task, is_quality);
        if metrics.is_empty() {
            return Ok(defaults(&declared));
        }
        let find = |metric: &String| {
            let named = |wanted: &str| declared.iter().find(|(name, _)| *name == wanted);
            let alike = if GHOSTS.contains(&metric.as_str()) { &GHOSTS[..] } else { &[] };
            let found = named(metric).or_else(|| alike.iter().find_map(|name| named(name)));
            found.map(|(name, record)| Goal::new(name, record)).ok_or_else(|| {
                let known = declared.iter().map(|(name, _)| (*name).to_owned()).collect();
                ParetoError::Quality { task: task.into(), metric: metric.clone(), known }
            })
        };
        metrics.iter().map(find).collect()
    }

    fn new(name: &str, record: &MetricRecord) -> Self {
        let MetricRecord { unit, label, better, ideal, about, .. } = record;
        let label = if unit.is_empty() { label.clone() } else { format!("{label} [{unit}]") };
        let metric = name.to_owned();
        let is_speed = *about == About::Speed;
        let quantity = if is_speed { Quantity::OtherSpeed } else { Quantity::Quality };
        Goal { metric, label, better: *better, ideal: *ideal, quantity }
    }

    /// A value as text, with its unit where the label has none.
    pub fn words(&self, value: f64) -> String {
        match self.quantity {
            Quantity::ItemsPerSecond => units::rate(value),
            Quantity::MedianTime => units::seconds(value, 3),
            Quantity::OtherSpeed | Quantity::Quality => {
                units::trimmed(&units::significant(value, DIGITS)).to_owned()
            }
        }
    }

    /// A value that is larger for a better result.
    pub(super) fn score(&self, value: f64) -> f64 {
        match self.better {
            Better::Higher | Better::Neutral => value,
            Better::Lower => -value,
            Better::Near => -(value - self.ideal.unwrap_or_default()).abs(),
        }
    }

    /// True if an interval contains the ideal value.
    pub(super) fn holds_ideal(&self, ends: Interval) -> bool {
        let ideal = self.ideal.filter(|_| self.better == Better::Near);
        ideal.is_some_and(|ideal| ends.low <= ideal && ideal <= ends.high)
    }
}

/// Declared metrics of a task by name.
fn declared<'a>(
    quantities: &'a Quantities,
    task: &'a str,
    is_wanted: impl Fn(&MetricRecord) -> bool,
) -> Vec<(&'a str, &'a MetricRecord)> {
    let all = quantities.metrics.of_task(task);
    all.filter(|(_, record)| is_wanted(record)).map(|(name, record)| (name, &**record)).collect()
}

/// The first share of each direction; the efficiency and the ghosts or fakes of most tasks.
fn defaults(declared: &[(&str, &MetricRecord)]) -> Vec<Goal> {
    // These names are preferred, in this order.
    let common = ["efficiency", GHOSTS[0], GHOSTS[1]];
    let rank = |name: &str| common.iter().position(|common| *common == name);
    let of_direction = |better: Better| {
        let shares = declared.iter();
        let shares = shares.filter(|(_, record)| record.unit.is_empty() && record.better == better);
        shares.min_by_key(|(name, _)| rank(name).unwrap_or(common.len()))
    };
    let found = [Better::Higher, Better::Lower].into_iter().filter_map(of_direction);
    found.map(|(name, record)| Goal::new(name, record)).collect()
}

/// Quantities of a task for tests.
#[cfg(test)]
pub(super) fn quantities() -> Quantities {
    let metric = |name: &str, about, better| {
        let label = name.to_owned();
        let record = MetricRecord { label, about, better, ..MetricRecord::default() };
        ("task".to_owned(), name.to_owned(), record)
    };
    let metrics = crate::record::Declared::new([
        metric("clones", About::Quality, Better::Lower),
        metric("efficiency", About::Quality, Better::Higher),
        metric("ghosts", About::Quality, Better::Lower),
        metric("ns_per_digi", About::Speed, Better::Lower),
        metric("events", About::Work, Better::Neutral),
    ]);
    Quantities { metrics, ..Quantities::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goals_have_defaults_and_unknown_ones_are_refused_with_those_that_exist() {
        let names = |metrics: &[String]| -> Result<Vec<String>, String> {
            let goals = Goal::qualities(&quantities(), "task", metrics);
            let goals = goals.map_err(|error| error.to_string())?;
            Ok(goals.into_iter().map(|goal| goal.metric).collect())
        };
        assert_eq!(names(&[]).expect("defaults"), ["efficiency", "ghosts"]);
        assert_eq!(names(&["clones".into()]).expect("known"), ["clones"]);
        assert_eq!(names(&["fakes".into()]).expect("as ghosts"), ["ghosts"]);
        let unknown = names(&["events".into()]).expect_err("no quality");
        assert_eq!(
            unknown,
            "--quality events: task has no such metric; use clones, efficiency, ghosts"
        );
        let speed = |name: &str| Goal::speed(&quantities(), "task", name);
        assert_eq!(speed("ns_per_digi").expect("known").better, Better::Lower);
        assert_eq!(speed(ITEMS_PER_S).expect("known").better, Better::Higher);
        let unknown = speed("clones").expect_err("no speed").to_string();
        assert!(unknown.ends_with("use items_per_s, median_s, ns_per_digi"), "{unknown}");
    }
}
