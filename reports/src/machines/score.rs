//! Scores: geometric means over the tasks of a fixed suite, relative to a reference machine.

use statistics::RatioEstimate;

use super::geometric_mean::LogRatio;
use super::kind::ComparedMachine;
use super::setting::Setting;
use crate::grouped::{distinct, grouped};
use crate::record::{Params, Point};
use crate::shape;

/// Suite that machines of a kind are scored by.
#[derive(Clone, Debug)]
pub struct ScoreSuite {
    /// Its name, for `bench run`.
    pub name: String,
    /// True if it is for GPUs, false if it is for CPUs.
    pub is_for_gpus: bool,
    /// Its data, each once.
    pub data: Vec<SuiteData>,
}

/// Data of a suite.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SuiteData {
    /// The task.
    pub task: String,
    /// Experiment of the task.
    pub experiment: String,
    /// The data shape and the task's other axes.
    pub params: Params,
    /// State of the cache.
    pub cache: String,
    /// Seed of generated data.
    pub seed: u64,
}

impl SuiteData {
    /// Data of a point of a suite.
    pub fn new(point: &Point, experiment: &str, seed: u64) -> Self {
        SuiteData {
            task: point.algorithm.clone(),
            experiment: experiment.to_owned(),
            params: point.params.clone(),
            cache: point.cache.clone(),
            seed,
        }
    }

    /// True if these are the data of a setting.
    pub(super) fn is(&self, setting: &Setting) -> bool {
        let data = &setting.data;
        let SuiteData { task, experiment: _, params, cache, seed } = self;
        let own = (task, params, cache, seed);
        own == (&data.task, &data.params, &data.cache, &data.seed)
            && data.given.is_empty()
            && data.files.is_empty()
    }

    /// `sort (20 M digis · 24 segments)`.
    fn words(&self) -> String {
        let axes = shape::param_axes(&self.task, &self.params);
        format!("{} ({})", self.task, shape::phrases(&axes))
    }
}

/// Score of a machine for an experiment, or for all.
#[derive(Clone, Debug)]
pub struct Score {
    /// Index of the machine.
    pub machine: usize,
    /// Name of the suite.
    pub suite: String,
    /// Experiment; `None` for all.
    pub experiment: Option<String>,
    /// Name of the machine whose score is 1; `None` if no machine has all points.
    pub reference: Option<String>,
    /// Number of tasks.
    pub tasks: usize,
    /// The score, or the data that the machine or the reference lacks.
    pub value: Result<RatioEstimate, MissingPoints>,
}

/// Data of a suite that are not measured with an interval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MissingPoints {
    /// By the machine.
    OfMachine(Vec<String>),
    /// By any machine that could be the reference.
    OfReference,
}

/// Scores of the machines that have measured any point of a suite.
pub(super) fn scores(
    suite: &ScoreSuite,
    machines: &[ComparedMachine],
    settings: &[Setting],
    preferred: usize,
) -> Vec<Score> {
    let of_kind = (0..machines.len()).filter(|&it| machines[it].id.is_gpu() == suite.is_for_gpus);
    let has_any = |&machine: &usize| suite.data.iter().any(|it| measured(it, settings, machine));
    let scored: Vec<usize> = of_kind.filter(has_any).collect();
    let parts = parts(suite);
    let scores = scored.iter().flat_map(|&machine| {
        parts.iter().map(move |(experiment, data)| (machine, experiment.clone(), data))
    });
    let score = |(machine, experiment, data): (usize, Option<String>, &Vec<&SuiteData>)| {
        let is_complete = |other: &usize| missing(data, settings, *other).is_empty();
        let candidates = scored.iter().copied().filter(|other| *other == preferred);
        let mut candidates = candidates.chain(scored.iter().copied());
        let reference = candidates.find(|other| is_complete(other));
        let lacks = missing(data, settings, machine);
        let value = match reference {
            _ if !lacks.is_empty() => Err(MissingPoints::OfMachine(lacks)),
            None => Err(MissingPoints::OfReference),
            Some(reference) => mean(data, settings, machine, reference),
        };
        Score {
            machine,
            suite: suite.name.clone(),
            experiment,
            reference: reference.map(|reference| machines[reference].name.clone()),
            tasks: distinct(data.iter().map(|it| &it.task)).len(),
            value,
        }
    };
    scores.map(score).collect()
}

/// Data of each experiment, then of all.
fn parts(suite: &ScoreSuite) -> Vec<(Option<String>, Vec<&SuiteData>)> {
    let experiments = grouped(&suite.data, |it| it.experiment.clone()).into_iter();
    let all = (None, suite.data.iter().collect());
    experiments.map(|(name, data)| (Some(name), data)).chain([all]).collect()
}

/// True if a machine has measured the data with an interval.
fn measured(data: &SuiteData, settings: &[Setting], machine: usize) -> bool {
    let setting = settings.iter().find(|setting| data.is(setting));
    let row = setting.and_then(|setting| setting.row(machine));
    row.is_some_and(|row| row.rate_interval().is_some())
}

/// Data without a row of a machine, or without an interval.
fn missing(data: &[&SuiteData], settings: &[Setting], machine: usize) -> Vec<String> {
    let lacking = data.iter().filter(|it| !measured(it, settings, machine));
    lacking.map(|it| it.words()).collect()
}

/// Geometric mean over the tasks, of the geometric means over the data of each.
fn mean(
    data: &[&SuiteData],
    settings: &[Setting],
    machine: usize,
    reference: usize,
) -> Result<RatioEstimate, MissingPoints> {
    let tasks = grouped(data.iter().copied(), |it| it.task.clone()).into_iter();
    let of_tasks = tasks.filter_map(|(_, data)| {
        let ratio = |it: &SuiteData| {
            let setting = settings.iter().find(|setting| it.is(setting))?;
            Some(LogRatio::from(setting.ratio(machine, reference)?))
        };
        LogRatio::mean(&data.into_iter().filter_map(ratio).collect::<Vec<_>>())
    });
    let of_tasks: Vec<LogRatio> = of_tasks.collect();
    let mean = LogRatio::mean(&of_tasks).ok_or(MissingPoints::OfReference)?;
    Ok(mean.estimate())
}
