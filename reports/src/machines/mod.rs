//! Machines side by side, from kept runs: rates for the same data, energy, price and scores.
//!
//! Reading order:
//!
//! | module | holds |
//! |---|---|
//! | `kind` | machines: the CPUs of a host, or a model of GPUs |
//! | `setting` | data of a task, and the fastest row of each machine for them |
//! | `collect` | rows of runs by data and machine, and rows that can't be compared |
//! | `geometric_mean` | mean of ratios with its interval |
//! | `score` | scores by the tasks of a fixed suite |
//! | `price` | prices of machines |
//! | `table` | output for people |
//! | `document` | output for programs |
//!
//! Nothing here reads a file: the caller reads runs, suites and prices.

mod collect;
mod document;
#[cfg(test)]
pub(crate) mod fixture;
mod geometric_mean;
mod kind;
mod price;
mod score;
mod setting;
mod table;
#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use document::MachinesDocument;
pub use kind::{ComparedMachine, MachineId};
pub use price::{MachinePrice, NodePrice};
pub use score::{MissingPoints, Score, ScoreSuite, SuiteData};
pub use setting::{DataKey, MachineRow, Setting};
pub(crate) use table::{detail_tables, left_out_table, overview, scores_table};

use statistics::RatioEstimate;
use text::Untrusted;

use crate::filter::PointFilter;
use crate::grouped::distinct;
use crate::rank::Rank;
use crate::record::{RunRecord, SummaryRow};
use collect::Collected;
use geometric_mean::LogRatio;

/// A kept run, without its samples.
#[derive(Clone, Debug)]
pub struct MeasuredRun {
    /// Its folder, for readers.
    pub folder: String,
    /// `run.json`.
    pub record: RunRecord,
    /// The rows of `summary.csv`.
    pub rows: Vec<SummaryRow>,
}

/// Rows or runs that are not compared.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LeftOut {
    /// Folder of the run.
    pub folder: String,
    /// Reason, with the number of rows.
    pub reason: String,
}

/// Settings of a comparison.
#[derive(Clone, Debug, Default)]
pub struct MachineOptions {
    /// Points to compare.
    pub points: PointFilter,
    /// Time by which variants are ranked.
    pub rank: Rank,
    /// Name of the reference machine, or a part of it; the first machine without one.
    pub reference: Option<String>,
    /// Suites that machines are scored by.
    pub suites: Vec<ScoreSuite>,
    /// Prices of nodes.
    pub prices: Vec<NodePrice>,
    /// Runs that could not be read, with the reasons.
    pub left_out: Vec<LeftOut>,
}

/// Machines side by side.
#[derive(Clone, Debug)]
pub struct MachineComparison {
    /// The machines, in the order of the runs.
    pub machines: Vec<ComparedMachine>,
    /// Price of each machine, if it is known.
    pub prices: Vec<Option<MachinePrice>>,
    /// Index of the machine that others are compared with.
    pub reference: usize,
    /// Time by which variants are ranked.
    pub rank: Rank,
    /// Data with the rows of the machines.
    pub settings: Vec<Setting>,
    /// Scores, if a machine has measured a suite of them.
    pub scores: Vec<Score>,
    /// Rows and runs that are not compared.
    pub left_out: Vec<LeftOut>,
    /// Notes on prices.
    pub notes: Vec<String>,
}

/// Runs that can't be compared.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the variants say what they hold")]
pub enum NotComparable {
    /// No machine has that name: the name, and the machines.
    #[error("--reference {}: no machine has that name; machines are {machines}", name.quoted())]
    UnknownReference { name: String, machines: String },
    /// Several machines have that part in their names: the part, and the machines.
    #[error("--reference {}: {machines} have that in their names; give one of them in full", name.quoted())]
    AmbiguousReference { name: String, machines: String },
    /// No row is valid: the reasons.
    #[error("no machine has a valid row:{0}")]
    Nothing(String),
}

impl MachineComparison {
    /// Compares the machines of runs.
    ///
    /// # Errors
    /// If no row can be compared, or the reference is not one of the machines.
    pub fn new(runs: &[MeasuredRun], options: MachineOptions) -> Result<Self, NotComparable> {
        let MachineOptions { points, rank, reference, suites, prices, mut left_out } = options;
        let Collected { machines, settings, left_out: rows, .. } =
            Collected::new(runs, &points, rank);
        left_out.extend(rows);
        if settings.is_empty() {
            let reasons = left_out.iter().map(|it| {
                let reason = it.reason.escaped().at_most(text::SENTENCE).to_string();
                format!("\n{}: {reason}", it.folder)
            });
            return Err(NotComparable::Nothing(reasons.collect()));
        }
        let reference = reference.map_or(Ok(0), |name| find(&machines, &name))?;
        let scores = suites.iter();
        let scores = scores.flat_map(|it| score::scores(it, &machines, &settings, reference));
        Ok(MachineComparison {
            scores: scores.collect(),
            prices: machines.iter().map(|machine| price::price(&prices, machine)).collect(),
            notes: price::unused(&prices, &machines),
            machines,
            reference,
            rank,
            settings,
            left_out,
        })
    }

    /// The tasks, in the order of the runs.
    pub fn tasks(&self) -> Vec<&str> {
        distinct(self.settings.iter().map(|setting| setting.data.task.as_str()))
    }

    /// Data of a task that several machines have processed; all of them if there is but one
    /// machine.
    pub fn shared(&self, task: &str) -> Vec<&Setting> {
        let min = self.machines.len().min(2);
        let settings = self.settings.iter().filter(|setting| setting.data.task == task);
        settings.filter(|setting| setting.rows.len() >= min).collect()
    }

    /// Rate of a machine over that of the reference for a task.
    pub fn task_ratio(&self, task: &str, machine: usize) -> Option<TaskRatio> {
        let shared = self.shared(task);
        let ratios = shared.iter().filter_map(|setting| setting.ratio(machine, self.reference));
        let ratios: Vec<LogRatio> = ratios.map(LogRatio::from).collect();
        let estimate = LogRatio::mean(&ratios)?.estimate();
        Some(TaskRatio { estimate, settings: ratios.len() })
    }

    /// Price of a machine in euros over a rate of a million items per second.
    pub fn eur_per_million_items_per_s(&self, row: &MachineRow) -> Option<f64> {
        let price = self.prices[row.machine].as_ref()?;
        Some(price.eur / (row.items_per_s() / 1e6))
    }

    /// Reasons to distrust the numbers of a machine.
    pub fn warnings(&self, machine: usize) -> Vec<String> {
        let it = &self.machines[machine];
        let busy = it.busy.iter().map(|folder| {
            format!(
                "{} was busy at the start of {}: its rates are too low or by chance; measure it again \
                 on an idle machine",
                it.name.escaped(),
                folder.escaped()
            )
        });
        let reference = &self.machines[self.reference];
        let builds = (it.builds != reference.builds).then(|| {
            format!(
                "{} was measured by other builds than {}: ratios include what changed between them",
                it.name.escaped(),
                reference.name.escaped()
            )
        });
        let hosts = (it.hosts.len() > 1).then(|| {
            format!("{} was measured in {}", it.name.escaped(), it.hosts.join("; ").escaped())
        });
        let [unlike, all] = self.unlike_choices(machine);
        let choices = (unlike > 0).then(|| {
            format!(
                "{} and {} were measured with different numbers of variants for {unlike} of {all} data: \
                 the fastest one may be missing on one side",
                it.name.escaped(),
                reference.name.escaped()
            )
        });
        busy.chain(builds).chain(choices).chain(hosts).collect()
    }

    /// Number of data for which a machine and the reference were measured with different numbers of
    /// variants of the same backend, and of all data that both processed.
    fn unlike_choices(&self, machine: usize) -> [usize; 2] {
        let shared = self.settings.iter();
        let shared = shared.filter_map(|it| Some([it.row(machine)?, it.row(self.reference)?]));
        let shared: Vec<_> = shared.collect();
        let is_unlike = |[own, reference]: &&[&MachineRow; 2]| {
            own.row.backend == reference.row.backend && own.variants != reference.variants
        };
        [shared.iter().filter(is_unlike).count(), shared.len()]
    }
}

/// Ratio of a task: the geometric mean over its data.
#[derive(Clone, Copy, Debug)]
pub struct TaskRatio {
    /// Rate over that of the reference.
    pub estimate: RatioEstimate,
    /// Number of data that both have.
    pub settings: usize,
}

/// The machine with a name, or the only one with it as a part of its name.
fn find(machines: &[ComparedMachine], name: &str) -> Result<usize, NotComparable> {
    let lower = name.to_lowercase();
    let named = |is: &dyn Fn(&str) -> bool| -> Vec<usize> {
        let all = machines.iter().enumerate();
        all.filter(|(_, it)| is(&it.name.to_lowercase())).map(|(index, _)| index).collect()
    };
    let list = |found: &[usize]| {
        let names = found.iter().map(|&it| machines[it].name.quoted().to_string());
        names.collect::<Vec<_>>().join(", ")
    };
    let exact = named(&|it| it == lower);
    let found = if exact.is_empty() { named(&|it| it.contains(&lower)) } else { exact };
    match found[..] {
        [index] => Ok(index),
        [] => {
            let all: Vec<usize> = (0..machines.len()).collect();
            Err(NotComparable::UnknownReference { name: name.to_owned(), machines: list(&all) })
        }
        _ => {
            Err(NotComparable::AmbiguousReference { name: name.to_owned(), machines: list(&found) })
        }
    }
}
