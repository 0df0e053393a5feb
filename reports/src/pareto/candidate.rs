//! Settings of a run with their speed and quality.

use statistics::{Interval, Items};
use text::Untrusted;

use crate::rank::TOTAL;
use crate::record::{About, Better, MetricRecord, Parts, QualityRow, Quantities, SummaryRow};
use crate::shape;

/// Speed of all tasks: their items over the median time.
pub const ITEMS_PER_S: &str = "items_per_s";
/// Median time of a run.
const MEDIAN_S: &str = "median_s";

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
    /// True if it follows from the time of a run.
    pub is_speed: bool,
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
        let own = |label: &str, better| Goal {
            metric: metric.to_owned(),
            label: label.to_owned(),
            better,
            ideal: None,
            is_speed: true,
        };
        match metric {
            ITEMS_PER_S => return Ok(own("items per second", Better::Higher)),
            MEDIAN_S => return Ok(own("median time [s]", Better::Lower)),
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
    /// should be small.
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
            let found = declared.iter().find(|(name, _)| name == metric);
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
        Goal { metric, label, better: *better, ideal: *ideal, is_speed: *about == About::Speed }
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
    /// Names that are preferred, in this order.
    const COMMON: [&str; 3] = ["efficiency", "ghosts", "fakes"];
    let rank = |name: &str| COMMON.iter().position(|common| *common == name);
    let of_direction = |better: Better| {
        let shares = declared.iter();
        let shares = shares.filter(|(_, record)| record.unit.is_empty() && record.better == better);
        shares.min_by_key(|(name, _)| rank(name).unwrap_or(COMMON.len()))
    };
    let found = [Better::Higher, Better::Lower].into_iter().filter_map(of_direction);
    found.map(|(name, record)| Goal::new(name, record)).collect()
}

/// A setting of a run: variant, device, threads and parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Candidate {
    /// Variant and device.
    pub name: String,
    /// The parameters that vary, as text.
    pub setting: String,
    /// Its point: see the rows of the run.
    pub point_id: String,
    /// A value for each goal.
    pub figures: Vec<Figure>,
}

/// A value with its interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// The value.
    pub value: f64,
    /// Its 95 % interval, if there is one.
    pub interval: Option<Interval>,
    /// Kind of its items.
    pub items: Items,
    /// Sums of the parts of the data, which are the same for all settings.
    pub parts: Parts,
}

/// The settings of a run that have all figures, and the reasons why others lack some.
pub fn candidates(
    rows: &[SummaryRow],
    quality: &[QualityRow],
    goals: &[Goal],
) -> (Vec<Candidate>, Vec<String>) {
    let whole: Vec<&SummaryRow> = rows.iter().filter(|row| row.stage == TOTAL).collect();
    let common = shape::common(whole.iter().map(|row| shape::axes(row)));
    let mut found = Vec::new();
    let mut missing = Vec::new();
    for row in whole {
        let mut axes = shape::axes(row);
        axes.retain(|axis| !common.contains(axis));
        let name = shape::name(row);
        let setting = shape::phrases(&axes);
        let point_id = row.point().id();
        let figures = goals.iter().map(|goal| figure(row, quality, &point_id, goal));
        match figures.collect::<Result<Vec<_>, String>>() {
            Ok(figures) => found.push(Candidate { name, setting, point_id, figures }),
            Err(reason) => missing.push(shape::joined([&name, &setting, &reason])),
        }
    }
    (found, missing)
}

fn figure(
    row: &SummaryRow,
    quality: &[QualityRow],
    point_id: &str,
    goal: &Goal,
) -> Result<Figure, String> {
    let Some(median) = row.valid_median() else {
        return Err(if row.note.is_empty() { "no time".to_owned() } else { row.note.clone() });
    };
    if goal.is_speed {
        let value = match goal.metric.as_str() {
            ITEMS_PER_S => row.items_per_s,
            MEDIAN_S => Some(median),
            name => row.metrics.number(name),
        };
        let value = value.ok_or_else(|| format!("no {}", goal.label))?;
        let ends = row.ci95_low_s.zip(row.ci95_high_s);
        let interval = ends.map(|(low, high)| match goal.better {
            Better::Lower => Interval { low, high }.times(value / median),
            _ => Interval { low: value * median / high, high: value * median / low },
        });
        return Ok(Figure { value, interval, items: Items::Numbers, parts: Parts::default() });
    }
    let mut own = quality.iter().filter(|known| known.point_id == point_id);
    let known = own.find(|known| known.metric == goal.metric);
    let known = known.ok_or_else(|| format!("no {}: the truth is not known", goal.label))?;
    Ok(Figure {
        value: known.value,
        interval: known.bounds(),
        items: known.items(),
        parts: known.parts.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::fixture::row;
    use crate::record::{Declared, FigureKind};

    fn quantities() -> Quantities {
        let metric = |name: &str, about, better| {
            let label = name.to_owned();
            let record = MetricRecord { label, about, better, ..MetricRecord::default() };
            ("task".to_owned(), name.to_owned(), record)
        };
        let metrics = Declared::new([
            metric("clones", About::Quality, Better::Lower),
            metric("efficiency", About::Quality, Better::Higher),
            metric("ghosts", About::Quality, Better::Lower),
            metric("ns_per_digi", About::Speed, Better::Lower),
            metric("events", About::Work, Better::Neutral),
        ]);
        Quantities { metrics, ..Quantities::default() }
    }

    #[test]
    fn goals_have_defaults_and_unknown_ones_are_refused_with_those_that_exist() {
        let names = |metrics: &[String]| -> Result<Vec<String>, String> {
            let goals = Goal::qualities(&quantities(), "task", metrics);
            let goals = goals.map_err(|error| error.to_string())?;
            Ok(goals.into_iter().map(|goal| goal.metric).collect())
        };
        assert_eq!(names(&[]).expect("defaults"), ["efficiency", "ghosts"]);
        assert_eq!(names(&["clones".into()]).expect("known"), ["clones"]);
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

    #[test]
    fn settings_without_all_figures_are_named() {
        let goals = [
            Goal::speed(&quantities(), "task", MEDIAN_S).expect("known"),
            Goal::qualities(&quantities(), "task", &["ghosts".into()]).expect("known").remove(0),
        ];
        let rows = [row("a", "n=1", 2.0), row("a", "n=2", 1.0)];
        let parts = "1/4".parse().expect("parts");
        let quality = QualityRow::new(&rows[0].point(), "ghosts", FigureKind::Share, 0.25, parts);
        let (found, missing) = candidates(&rows, &[quality], &goals);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].figures[0].value, 2.0);
        assert_eq!(found[0].figures[1].value, 0.25);
        assert!(missing[0].ends_with("no ghosts: the truth is not known"), "{missing:?}");
    }
}
