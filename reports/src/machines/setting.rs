//! Data that machines are compared on, and the fastest row of each machine for them.

use statistics::{Interval, RatioEstimate};

use crate::rank::RankedBy;
use crate::record::{InputRecord, Params, RunRecord, SummaryRow};
use crate::winners::timing;

/// Data of a task: rows with equal keys processed equal inputs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DataKey {
    /// The task.
    pub task: String,
    /// The data shape and the task's other axes.
    pub params: Params,
    /// State of the cache.
    pub cache: String,
    /// Kind of input; empty if all variants take the same.
    pub given: String,
    /// Seed of generated data.
    pub seed: u64,
    /// Files that the data were read from.
    pub files: Vec<String>,
}

impl DataKey {
    /// Data of a row.
    pub(super) fn new(record: &RunRecord, row: &SummaryRow) -> Self {
        let files = record.input(&row.params).map_or_else(Vec::new, paths);
        DataKey {
            task: row.algorithm.clone(),
            params: row.params.clone(),
            cache: row.cache.clone(),
            given: row.given.clone(),
            seed: record.seed,
            files,
        }
    }
}

fn paths(input: &InputRecord) -> Vec<String> {
    let options = input.options.iter().map(|(name, value)| format!("{name}={value}"));
    let files = std::iter::once(&input.path).chain(&input.further_paths).cloned();
    files.chain(options).collect()
}

/// Fastest row of a machine for some data.
#[derive(Clone, Debug)]
pub struct MachineRow {
    /// Index of the machine.
    pub machine: usize,
    /// The row: of the complete run, or of its kernels.
    pub row: SummaryRow,
    /// Folder of its run.
    pub folder: String,
    /// Number of variants that the machine was measured with: others could be faster.
    pub variants: usize,
}

impl MachineRow {
    /// Items per second.
    pub fn items_per_s(&self) -> f64 {
        let median = self.row.median_s.unwrap_or(f64::NAN);
        self.row.items as f64 / median
    }

    /// Interval of the items per second, if there are enough samples.
    pub fn rate_interval(&self) -> Option<Interval> {
        let Interval { low, high } = timing(&self.row, RankedBy::Time).interval?;
        let items = self.row.items as f64;
        Some(Interval { low: items / high, high: items / low })
    }

    /// Its rate over that of another machine for the same data.
    pub fn ratio_to(&self, reference: &MachineRow) -> RatioEstimate {
        if self.machine == reference.machine {
            let interval = Some(Interval { low: 1.0, high: 1.0 });
            return RatioEstimate { ratio: 1.0, interval };
        }
        // Times of equal work: the ratio of rates is the inverse.
        RatioEstimate::from_medians(
            timing(&self.row, RankedBy::Time),
            timing(&reference.row, RankedBy::Time),
        )
    }
}

/// Data with the rows of the machines that processed them.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The data.
    pub data: DataKey,
    /// Unit of the items.
    pub item_unit: String,
    /// One row for each machine, in the order of the machines.
    pub rows: Vec<MachineRow>,
}

impl Setting {
    /// Row of a machine.
    pub fn row(&self, machine: usize) -> Option<&MachineRow> {
        self.rows.iter().find(|row| row.machine == machine)
    }

    /// Rate of a machine over that of the reference, if both have one.
    pub fn ratio(&self, machine: usize, reference: usize) -> Option<RatioEstimate> {
        Some(self.row(machine)?.ratio_to(self.row(reference)?))
    }
}
