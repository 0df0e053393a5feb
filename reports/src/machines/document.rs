//! Machines side by side for programs: rows, and a document with everything.

use serde::Serialize;

use super::{LeftOut, MachineComparison, MachineRow, MissingPoints, Score, Setting};
use crate::frame::{Frame, json_text};
use crate::record::Params;
use crate::row::{Record, row};
use crate::table::TableError;

row! {
    /// Rate of a machine for some data.
    #[derive(Serialize)]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    pub(crate) struct MachinePoint<'a> {
        /// The task.
        algorithm: &'a str,
        /// Name of the machine.
        machine: &'a str,
        /// Fastest variant.
        variant: &'a str,
        /// Number of variants that the machine was measured with.
        variants: usize,
        /// `cpu`, `cuda:0`.
        device: &'a str,
        /// Threads on the host.
        threads: usize,
        /// Stage of the time: `total` or `kernel`.
        stage: &'a str,
        /// The data shape and the task's other axes.
        params: &'a Params,
        /// State of the cache.
        cache: &'a str,
        /// Kind of input; empty if all variants take the same.
        given: &'a str,
        /// Seed of generated data.
        seed: u64,
        /// Number of items.
        items: u64,
        /// Unit of the items.
        item_unit: &'a str,
        /// Items per second.
        items_per_s: f64,
        /// Lower end of its 95 % interval; unknown for few samples.
        items_per_s_low: Option<f64>,
        /// Upper end of its 95 % interval; unknown for few samples.
        items_per_s_high: Option<f64>,
        /// Rate over that of the reference machine, if that has one.
        ratio: Option<f64>,
        /// Lower end of its 95 % interval.
        ratio_low: Option<f64>,
        /// Upper end of its 95 % interval.
        ratio_high: Option<f64>,
        /// Joules per item, if they were measured.
        j_per_item: Option<f64>,
        /// Price over a rate of a million items per second, if the price is given.
        eur_per_million_items_per_s: Option<f64>,
        /// Folder of the run.
        run: &'a str,
        /// Id of the point in the run.
        point_id: String,
    }
}

impl<'a> MachinePoint<'a> {
    fn new(comparison: &'a MachineComparison, setting: &'a Setting, found: &'a MachineRow) -> Self {
        let ratio = setting.ratio(found.machine, comparison.reference);
        let ratio_interval = ratio.and_then(|ratio| ratio.interval);
        let interval = found.rate_interval();
        MachinePoint {
            algorithm: &setting.data.task,
            machine: &comparison.machines[found.machine].name,
            variant: &found.row.variant,
            variants: found.variants,
            device: &found.row.device,
            threads: found.row.threads,
            stage: &found.row.stage,
            params: &setting.data.params,
            cache: &setting.data.cache,
            given: &setting.data.given,
            seed: setting.data.seed,
            items: found.row.items,
            item_unit: &setting.item_unit,
            items_per_s: found.items_per_s(),
            items_per_s_low: interval.map(|interval| interval.low),
            items_per_s_high: interval.map(|interval| interval.high),
            ratio: ratio.map(|ratio| ratio.ratio),
            ratio_low: ratio_interval.map(|interval| interval.low),
            ratio_high: ratio_interval.map(|interval| interval.high),
            j_per_item: found.row.joules_per_item(),
            eur_per_million_items_per_s: comparison.eur_per_million_items_per_s(found),
            run: &found.folder,
            point_id: found.row.point().id(),
        }
    }
}

/// All points of all machines, also those that one machine alone has.
fn points(comparison: &MachineComparison) -> impl Iterator<Item = (&Setting, &MachineRow)> {
    comparison.settings.iter().flat_map(|it| it.rows.iter().map(move |row| (it, row)))
}

/// The rows of all points.
pub(super) fn frame(comparison: &MachineComparison) -> Frame {
    let records = points(comparison).map(|(setting, found)| {
        let point = MachinePoint::new(comparison, setting, found);
        Record::from(point).spread("axis", setting.data.params.iter())
    });
    Frame::like_first(records)
}

/// JSON of machines side by side.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct MachinesDocument<'a> {
    /// Name of the reference machine.
    reference: &'a str,
    /// Time by which variants are ranked: `total` or `kernel`.
    rank: &'a str,
    /// The machines, in the order of the runs.
    machines: Vec<MachineDocument<'a>>,
    /// Rates of the machines, by data.
    points: Vec<MachinePoint<'a>>,
    /// Ratios of the machines, by task.
    tasks: Vec<TaskDocument<'a>>,
    /// Scores; empty if no machine has measured a suite of them.
    scores: Vec<ScoreDocument<'a>>,
    /// Rows and runs that are not compared.
    left_out: &'a [LeftOut],
    /// Notes on prices.
    notes: &'a [String],
}

/// A machine.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct MachineDocument<'a> {
    /// Its name.
    name: &'a str,
    /// True for a GPU, false for the CPUs of a machine.
    gpu: bool,
    /// CPUs of the hosts of a GPU.
    hosts: &'a [String],
    /// Builds of the program that measured it.
    builds: &'a [String],
    /// Price in euros, if it is given: of the node, or of its share of one GPU.
    price_eur: Option<f64>,
    /// Name of the price in its file.
    price_of: Option<&'a str>,
    /// Reasons to distrust its numbers.
    warnings: Vec<String>,
}

/// Ratio of a machine for a task.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct TaskDocument<'a> {
    /// The task.
    task: &'a str,
    /// Name of the machine.
    machine: &'a str,
    /// Geometric mean of the ratios of rates to the reference machine.
    ratio: f64,
    /// Lower end of its 95 % interval.
    ratio_low: Option<f64>,
    /// Upper end of its 95 % interval.
    ratio_high: Option<f64>,
    /// Number of data that both machines have.
    settings: usize,
}

/// Score of a machine.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ScoreDocument<'a> {
    /// Name of the machine.
    machine: &'a str,
    /// Name of the suite.
    suite: &'a str,
    /// Experiment; `null` for all.
    experiment: Option<&'a str>,
    /// Name of the machine whose score is 1.
    reference: Option<&'a str>,
    /// Number of tasks.
    tasks: usize,
    /// The score; `null` if points are missing.
    score: Option<f64>,
    /// Lower end of its 95 % interval.
    score_low: Option<f64>,
    /// Upper end of its 95 % interval.
    score_high: Option<f64>,
    /// Points of the suite that the machine lacks.
    missing: &'a [String],
}

impl<'a> ScoreDocument<'a> {
    fn new(comparison: &'a MachineComparison, score: &'a Score) -> Self {
        let value = score.value.as_ref().ok();
        let interval = value.and_then(|value| value.interval);
        ScoreDocument {
            machine: &comparison.machines[score.machine].name,
            suite: &score.suite,
            experiment: score.experiment.as_deref(),
            reference: score.reference.as_deref(),
            tasks: score.tasks,
            score: value.map(|value| value.ratio),
            score_low: interval.map(|interval| interval.low),
            score_high: interval.map(|interval| interval.high),
            missing: match &score.value {
                Err(MissingPoints::OfMachine(points)) => points,
                _ => &[],
            },
        }
    }
}

/// Everything as JSON.
pub(super) fn json(comparison: &MachineComparison) -> Result<String, TableError> {
    let all = || 0..comparison.machines.len();
    let machine = |index: usize| {
        let it = &comparison.machines[index];
        let price = comparison.prices[index].as_ref();
        MachineDocument {
            name: &it.name,
            gpu: it.id.is_gpu(),
            hosts: &it.hosts,
            builds: &it.builds,
            price_eur: price.map(|price| price.eur),
            price_of: price.map(|price| price.from.as_str()),
            warnings: comparison.warnings(index),
        }
    };
    let of_task = |task: &'_ str, index: usize| {
        let found = comparison.task_ratio(task, index)?;
        let interval = found.estimate.interval;
        Some((found.estimate.ratio, interval, found.settings))
    };
    let tasks = comparison.tasks().into_iter().flat_map(|task| {
        all().filter_map(move |index| {
            let (ratio, interval, settings) = of_task(task, index)?;
            Some(TaskDocument {
                task,
                machine: &comparison.machines[index].name,
                ratio,
                ratio_low: interval.map(|interval| interval.low),
                ratio_high: interval.map(|interval| interval.high),
                settings,
            })
        })
    });
    let point = |(setting, found)| MachinePoint::new(comparison, setting, found);
    let document = MachinesDocument {
        reference: &comparison.machines[comparison.reference].name,
        rank: comparison.rank.name(),
        machines: all().map(machine).collect(),
        points: points(comparison).map(point).collect(),
        tasks: tasks.collect(),
        scores: comparison.scores.iter().map(|it| ScoreDocument::new(comparison, it)).collect(),
        left_out: &comparison.left_out,
        notes: &comparison.notes,
    };
    Ok(json_text(&document)?)
}
