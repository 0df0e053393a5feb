//! Machines side by side for people: ratios by task, rates by data, energy, prices, scores, and
//! what is left out.

use std::collections::BTreeSet;

use statistics::RatioEstimate;

use super::{MachineComparison, MachineRow, MissingPoints, Score, Setting, document};
use crate::frame::Frame;
use crate::grouped::distinct;
use crate::rank::{Rank, has_kernels};
use crate::screen::Screen;
use crate::shape::{self, Axes, AxisName};
use crate::table::{Side, Table, TableError, Tabular, known};
use crate::units;

/// Maximum number of missing points that a table names.
const MAX_NAMED: usize = 3;
/// Mark of ratios without an interval.
const UNSURE: &str = "?";

impl Tabular for MachineComparison {
    fn tables(&self, _: Screen) -> Vec<Table> {
        let first = std::iter::once(overview(self));
        let scores = (!self.scores.is_empty()).then(|| scores_table(self));
        let left_out = (!self.left_out.is_empty()).then(|| left_out_table(self));
        first.chain(detail_tables(self)).chain(scores).chain(left_out).collect()
    }

    fn frame(&self) -> Frame {
        document::frame(self)
    }

    fn json(&self) -> Result<String, TableError> {
        document::json(self)
    }
}

/// Tasks by machines: ratios to the reference.
pub(crate) fn overview(comparison: &MachineComparison) -> Table {
    let machines = comparison.machines.iter().map(|it| (it.name.as_str(), Side::Right));
    let columns: Vec<_> = std::iter::once(("task", Side::Left)).chain(machines).collect();
    let cell = |task: &str, machine: usize| {
        known(comparison.task_ratio(task, machine), |found| {
            let data =
                if found.settings == 1 { String::new() } else { format!(" ({})", found.settings) };
            ratio_words(found.estimate) + &data
        })
    };
    let is_compared = |task: &&str| {
        let machines = 0..comparison.machines.len();
        let ratios = machines.filter_map(|machine| comparison.task_ratio(task, machine));
        ratios.count() >= comparison.machines.len().min(2)
    };
    let rows = comparison.tasks().into_iter().filter(is_compared).map(|task| {
        let cells = (0..comparison.machines.len()).map(|machine| cell(task, machine));
        std::iter::once(task.to_owned()).chain(cells).collect::<Vec<_>>()
    });
    let warnings = (0..comparison.machines.len()).flat_map(|it| comparison.warnings(it));
    let warnings = warnings.map(|warning| format!("WARNING: {warning}"));
    let reference = &comparison.machines[comparison.reference].name;
    let rank = ranked(comparison).map_or(String::new(), |rank| format!(", {}", rank.sentence()));
    Table::new(&columns, rows)
        .under(format!("Rates relative to {reference}{rank}"))
        .with_notes(reading().into_iter().chain(warnings).chain(comparison.notes.clone()).collect())
}

fn reading() -> Vec<String> {
    vec![
        "fastest valid variant of each machine on equal data, by any number of threads; in \
         parentheses the number of data whose geometric mean it is"
            .to_owned(),
        format!("{UNSURE}: too few samples for an interval"),
    ]
}

/// The ranking, if it makes a difference.
fn ranked(comparison: &MachineComparison) -> Option<Rank> {
    let rows = comparison.settings.iter().flat_map(|it| &it.rows).map(|found| &found.row);
    let by_kernels = has_kernels(rows.clone());
    let on_gpu = comparison.machines.iter().any(|it| it.id.is_gpu());
    (by_kernels || on_gpu).then_some(comparison.rank)
}

/// `12.3 × ± 0.4 %`.
fn ratio_words(estimate: RatioEstimate) -> String {
    let times = units::times(estimate.ratio);
    match estimate.resolution() {
        Some(resolution) if resolution > 0.0 => format!("{times} ± {}", units::percent(resolution)),
        Some(_) => times,
        None => format!("{times} {UNSURE}"),
    }
}

/// Quantity of a row of a machine.
struct Quantity<'a> {
    /// Name, by the unit of the items.
    name: fn(&str) -> String,
    /// Value; `None` where it is not known.
    text: &'a dyn Fn(&Setting, &MachineRow) -> Option<String>,
}

/// Rates of each task by data, then energy and prices where they are known.
pub(crate) fn detail_tables(comparison: &MachineComparison) -> Vec<Table> {
    let rate = |setting: &Setting, found: &MachineRow| {
        let rate = units::count(found.items_per_s());
        let ratio = setting.ratio(found.machine, comparison.reference);
        let ratio = ratio.filter(|_| found.machine != comparison.reference);
        let ratio = ratio.map_or(String::new(), |it| format!(" = {}", units::times(it.ratio)));
        Some(format!("{rate}{ratio}, {}", shape::name(&found.row)))
    };
    let energy = |_: &Setting, found: &MachineRow| found.row.joules_per_item().map(units::joules);
    let price = |_: &Setting, found: &MachineRow| {
        Some(units::significant(comparison.eur_per_million_items_per_s(found)?, 3))
    };
    let quantities = [
        Quantity { name: |unit| format!("{unit}s per second"), text: &rate },
        Quantity { name: |unit| format!("energy per {unit}"), text: &energy },
        Quantity { name: |unit| format!("€ for a million {unit}s per second"), text: &price },
    ];
    let tasks = comparison.tasks();
    let of_tasks = |quantity: &Quantity<'_>| {
        tasks.iter().filter_map(|task| values(comparison, task, quantity)).collect::<Vec<_>>()
    };
    quantities.iter().flat_map(of_tasks).collect()
}

/// A table of the shared data of a task; `None` without a value.
fn values(comparison: &MachineComparison, task: &str, quantity: &Quantity<'_>) -> Option<Table> {
    let text = quantity.text;
    let shared = comparison.shared(task);
    let has_value =
        |setting: &&&Setting| setting.rows.iter().any(|found| text(setting, found).is_some());
    let settings: Vec<&Setting> = shared.iter().filter(has_value).copied().collect();
    let unit = &settings.first()?.item_unit;
    let all: Vec<Axes> = settings.iter().map(|setting| axes(setting)).collect();
    let common = shape::common(all.iter().cloned());
    let varying = varying(&all);
    let named = varying.iter().map(|axis| (axis.to_string(), Side::Right));
    let machines = comparison.machines.iter().map(|it| (it.name.clone(), Side::Right));
    let columns: Vec<(String, Side)> = named.chain(machines).collect();
    let rows = settings.iter().zip(&all).map(|(setting, axes)| {
        let value = |axis: &AxisName| axes.iter().find(|(name, _)| name == axis);
        let data = varying
            .iter()
            .map(|axis| known(value(axis), |(name, value)| shape::value(name, value)));
        let cells = (0..comparison.machines.len()).map(|machine| {
            let found = setting.row(machine).and_then(|found| text(setting, found));
            known(found, |text| text)
        });
        data.chain(cells).collect::<Vec<_>>()
    });
    let shape = shape::phrases(&common);
    let heading = format!("{task}: {}", (quantity.name)(unit));
    let heading = shape::joined([heading.as_str(), shape.as_str()]);
    Some(Table::new(&columns, rows).under(heading))
}

/// Axes of the data of a setting.
fn axes(setting: &Setting) -> Axes {
    let data = &setting.data;
    let given = (!data.given.is_empty()).then(|| (shape::GIVEN.into(), data.given.clone()));
    let cache = [("cache".into(), data.cache.clone())];
    shape::param_axes(&data.task, &data.params).into_iter().chain(cache).chain(given).collect()
}

/// Axes with several values, or that only some data have.
fn varying(all: &[Axes]) -> Vec<AxisName> {
    let names = distinct(all.iter().flatten().map(|(name, _)| name.clone()));
    let values = |axis: &AxisName| {
        let value = |axes: &Axes| {
            axes.iter().find(|(name, _)| name == axis).map(|(_, value)| value.clone())
        };
        all.iter().map(value).collect::<BTreeSet<Option<String>>>().len()
    };
    names.into_iter().filter(|axis| values(axis) > 1).collect()
}

/// Scores of the machines.
pub(crate) fn scores_table(comparison: &MachineComparison) -> Table {
    let columns = [
        ("machine", Side::Left),
        ("suite", Side::Left),
        ("experiment", Side::Left),
        ("tasks", Side::Right),
        ("score", Side::Right),
        ("relative to", Side::Left),
    ];
    let cells = |score: &Score| {
        [
            comparison.machines[score.machine].name.clone(),
            score.suite.clone(),
            score.experiment.clone().unwrap_or_else(|| "all".to_owned()),
            score.tasks.to_string(),
            known(score.value.as_ref().ok().copied(), ratio_words),
            known(score.reference.clone(), |name| name),
        ]
    };
    let of_all = comparison.scores.iter().filter(|score| score.experiment.is_none());
    let missing = of_all.filter_map(|score| {
        let name = &comparison.machines[score.machine].name;
        let suite = &score.suite;
        match score.value.as_ref().err()? {
            MissingPoints::OfMachine(points) => {
                let more = points.len().saturating_sub(MAX_NAMED);
                let more = if more > 0 { format!(", and {more} more") } else { String::new() };
                let named: Vec<&str> = points.iter().take(MAX_NAMED).map(String::as_str).collect();
                Some(format!(
                    "NO SCORE: {name} lacks {} of {suite}: {}{more}; measure it with bench run \
                     {suite}",
                    units::counted(points.len(), "point"),
                    named.join(", "),
                ))
            }
            MissingPoints::OfReference => {
                Some(format!("NO SCORE: no machine has all points of {suite} for {name}"))
            }
        }
    });
    Table::new(&columns, comparison.scores.iter().map(cells))
        .under("Scores: geometric mean over the tasks of a suite")
        .with_notes(missing.collect())
}

/// Rows and runs that are not compared.
pub(crate) fn left_out_table(comparison: &MachineComparison) -> Table {
    let columns = [("run", Side::Left), ("left out", Side::Left)];
    let rows = comparison.left_out.iter().map(|it| [it.folder.clone(), it.reason.clone()]);
    let alone = comparison.settings.iter().filter(|setting| setting.rows.len() == 1);
    let alone = alone.count();
    let note = (alone > 0 && comparison.machines.len() > 1).then(|| {
        format!(
            "{} measured on one machine only: CSV and JSON have them",
            units::counted(alone, "point")
        )
    });
    Table::new(&columns, rows).under("Left out").with_notes(note.into_iter().collect())
}
