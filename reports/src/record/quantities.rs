//! Axes and metrics of a run: kinds, units, labels and directions.
//!
//! Tasks declare them, `run.json` stores them, and all outputs read them from there.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::de::IntoDeserializer;
use serde::de::value::Error as ValueError;
use serde::{Deserialize, Serialize};

/// Separator of a task and a name that tasks of the run declare differently.
const OF_TASK: char = '.';

/// An axis, as its task declares it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AxisRecord {
    /// The kind of its values.
    pub kind: AxisKind,
    /// The unit of its values in `params`; empty without one.
    pub unit: String,
    /// The name in tables and charts; for a count, the counted things, in the plural.
    pub label: String,
    /// True for a flag that goes with `--input`.
    #[serde(default, skip_serializing_if = "is_false")]
    pub with_input: bool,
}

// serde passes references.
#[expect(clippy::trivially_copy_pass_by_ref)]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// The kind of an axis' values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum AxisKind {
    /// A number of things, which the label names.
    Count,
    /// An integer that is not a count: an index, a threshold.
    Integer,
    /// A part of a whole.
    Share,
    /// Any number.
    Number,
    /// In hertz.
    Frequency,
    /// In nanoseconds.
    Duration,
    /// An order of arrival.
    Order,
    /// A distribution over segments.
    Skew,
    /// A file or folder.
    Path,
    /// `yes` or `no`.
    Switch,
    /// A name.
    Choice,
    /// A text, or a kind unknown to this version.
    #[default]
    #[serde(other)]
    Text,
}

impl AxisKind {
    /// The kind of this name in records; [`AxisKind::Text`] for an unknown one.
    pub fn named(name: &str) -> Self {
        let kind: Result<Self, ValueError> = AxisKind::deserialize(name.into_deserializer());
        kind.unwrap_or_default()
    }
}

/// A metric, as its task declares it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MetricRecord {
    /// Its unit; empty for a share or a ratio.
    pub unit: String,
    /// The name in tables and charts, without the unit.
    pub label: String,
    /// A sentence that defines it.
    pub meaning: String,
    /// The direction of improvement.
    pub better: Better,
    /// The best value, where `better` is `near`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ideal: Option<f64>,
    /// The subject of the metric.
    pub about: About,
}

/// The direction in which a metric improves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Better {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
    /// Nearer to the ideal value is better.
    Near,
    /// Neither is better.
    #[default]
    #[serde(other)]
    Neutral,
}

/// The subject of a metric.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum About {
    /// Time, rates, and hardware counters.
    Speed,
    /// The quality of the output, if the true result is known.
    Quality,
    /// The input, the output and the resources of a variant.
    #[default]
    #[serde(other)]
    Work,
}

/// Declarations by name, or by `TASK.NAME` if tasks differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared<T>(BTreeMap<String, Arc<T>>);

impl<T> Default for Declared<T> {
    fn default() -> Self {
        Declared(BTreeMap::new())
    }
}

impl<T: Clone + PartialEq> Declared<T> {
    /// From all declarations of some tasks: task, name, declaration.
    pub fn new(all: impl IntoIterator<Item = (String, String, T)>) -> Self {
        let mut by_name: BTreeMap<String, Vec<(String, T)>> = BTreeMap::new();
        for (task, name, declaration) in all {
            by_name.entry(name).or_default().push((task, declaration));
        }
        let mut declared = BTreeMap::new();
        for (name, of_tasks) in by_name {
            let agree = of_tasks.iter().all(|(_, other)| *other == of_tasks[0].1);
            for (task, declaration) in of_tasks {
                let key = if agree { name.clone() } else { format!("{task}{OF_TASK}{name}") };
                declared.insert(key, Arc::new(declaration));
            }
        }
        Declared(declared)
    }

    /// From the content of `run.json`.
    pub fn from_record(record: &BTreeMap<String, T>) -> Self {
        let shared =
            |(key, declaration): (&String, &T)| (key.clone(), Arc::new(declaration.clone()));
        Declared(record.iter().map(shared).collect())
    }

    /// The content for `run.json`.
    pub fn record(&self) -> BTreeMap<String, T> {
        self.0.iter().map(|(key, shared)| (key.clone(), T::clone(shared))).collect()
    }

    /// The declaration of a name by a task.
    pub fn get(&self, task: &str, name: &str) -> Option<&Arc<T>> {
        self.0.get(&format!("{task}{OF_TASK}{name}")).or_else(|| self.0.get(name))
    }

    /// All declarations for a task, by name.
    pub fn of_task<'a>(&'a self, task: &'a str) -> impl Iterator<Item = (&'a str, &'a Arc<T>)> {
        self.0.iter().filter_map(move |(key, declaration)| match key.split_once(OF_TASK) {
            None => Some((key.as_str(), declaration)),
            Some((of, name)) => (of == task).then_some((name, declaration)),
        })
    }
}

/// Declarations of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Quantities {
    /// The axes of its tasks.
    pub axes: Declared<AxisRecord>,
    /// The metrics.
    pub metrics: Declared<MetricRecord>,
}

impl Quantities {
    /// Merges the declarations of several runs, each with its tasks.
    pub fn merged<'a>(
        runs: impl IntoIterator<Item = (&'a Quantities, Vec<&'a str>)> + Clone,
    ) -> Self {
        Quantities {
            axes: merged(runs.clone(), |quantities| &quantities.axes),
            metrics: merged(runs, |quantities| &quantities.metrics),
        }
    }
}

fn merged<'a, T: Clone + PartialEq + 'a>(
    runs: impl IntoIterator<Item = (&'a Quantities, Vec<&'a str>)>,
    part: fn(&Quantities) -> &Declared<T>,
) -> Declared<T> {
    let of_run = |(quantities, tasks): (&'a Quantities, Vec<&'a str>)| {
        tasks.into_iter().flat_map(move |task| {
            let all = part(quantities).of_task(task);
            all.map(move |(name, it)| (task.to_owned(), name.to_owned(), T::clone(it)))
        })
    };
    Declared::new(runs.into_iter().flat_map(of_run))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(kind: AxisKind, unit: &str) -> AxisRecord {
        AxisRecord { kind, unit: unit.into(), label: "noise".into(), with_input: false }
    }

    #[test]
    fn kinds_have_the_names_of_records_and_unknown_ones_are_texts() {
        let kinds = ["order", "duration", "angle"].map(AxisKind::named);
        assert_eq!(kinds, [AxisKind::Order, AxisKind::Duration, AxisKind::Text]);
    }

    fn declaration(task: &str, kind: AxisKind, unit: &str) -> (String, String, AxisRecord) {
        (task.into(), "noise".into(), axis(kind, unit))
    }

    #[test]
    fn tasks_that_agree_share_a_name_and_others_have_one_each() {
        let rate = declaration("sts", AxisKind::Frequency, "Hz");
        let alike = Declared::new([rate.clone(), declaration("sort", AxisKind::Frequency, "Hz")]);
        assert_eq!(alike.record().into_keys().collect::<Vec<_>>(), ["noise"]);
        let unlike = Declared::new([rate, declaration("decode", AxisKind::Share, "")]);
        assert_eq!(unlike.record().into_keys().collect::<Vec<_>>(), ["decode.noise", "sts.noise"]);
        let kind = |task| unlike.get(task, "noise").map(|axis| axis.kind);
        assert_eq!(kind("sts"), Some(AxisKind::Frequency));
        assert_eq!(kind("decode"), Some(AxisKind::Share));
        assert_eq!(kind("tpc"), None);
    }

    #[test]
    fn merged_runs_keep_the_meaning_of_each_task() {
        let run = |(task, kind, unit): (&str, AxisKind, &str)| Quantities {
            axes: Declared::new([declaration(task, kind, unit)]),
            ..Quantities::default()
        };
        let runs = [("sts", AxisKind::Frequency, "Hz"), ("decode", AxisKind::Share, "")];
        let [sts, decode] = runs.map(run);
        let merged = Quantities::merged([(&sts, vec!["sts"]), (&decode, vec!["decode"])]);
        let kind = |task| merged.axes.get(task, "noise").map(|axis| axis.kind);
        assert_eq!(kind("sts"), Some(AxisKind::Frequency));
        assert_eq!(kind("decode"), Some(AxisKind::Share));
    }

    #[test]
    fn kinds_of_newer_versions_are_texts() {
        let axis: AxisRecord =
            serde_json::from_str(r#"{"kind": "matrix", "unit": "", "label": "m"}"#).expect("read");
        assert_eq!(axis.kind, AxisKind::Text);
    }
}
