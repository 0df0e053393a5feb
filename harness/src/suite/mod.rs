//! Suites: many tasks, axes, devices and threads in one file.
//!
//! | module | holds |
//! |---|---|
//! | `budget` | time, divided fairly over the points |
//! | `built_in` | the suites that come with the binary |
//! | `document` | a TOML document as keys and words with their places |
//! | `plugins` | the libraries that a suite names |
//! | `problems` | all that is wrong, with lines |
//! | `read` | the whole file |
//! | `settings` | the keys that are named as flags are |
//! | `task`, `wish`, `exclude`, `names` | what a `[[task]]` asks for |
//! | `expand`, `hash` | points, and a name for all of them |
//! | `shard` | a part of a suite for each of several machines |

pub(crate) mod budget;
pub mod built_in;
#[cfg(test)]
mod coverage;
pub(crate) mod document;
mod exclude;
mod expand;
mod hash;
mod names;
mod plugins;
pub(crate) mod problems;
pub(crate) mod read;
mod settings;
mod shard;
mod task;
#[cfg(test)]
mod tests;
mod wish;

use std::path::Path;
use std::time::Duration;

use algorithms::task::Task;
use reports::rank::Rank;
use reports::record::Point;
use reports::shape;
use reports::table::Format;
use toml::de::DeTable;

use crate::failure::Failure;
use crate::plan::Plan;
use crate::platform::gpus::problem_of;
use crate::request::{AxisValues, MeasureRequest, Outputs, Source};
use document::Section;
use problems::Problems;

pub use expand::SuiteInput;
pub use plugins::plugins_of;
pub use problems::{Problem, SuiteError};
pub use settings::Settings;

/// A suite: checked, and expanded into points.
pub struct Suite {
    /// Its name: results of shards are merged by it.
    pub name: String,
    /// What it is for, in a line.
    pub description: String,
    /// A hash of all its points with their seeds and sampling: equal hashes
    /// are the same suite.
    pub hash: String,
    /// What is measured, part by part.
    pub parts: Vec<Part>,
}

/// A product of axes, or of an include: what one measuring command can do, but
/// for the points that are excluded.
pub struct Part {
    /// The task.
    pub task: &'static dyn Task,
    /// The values of its axes.
    pub axes: AxisValues,
    /// Where to run and how to sample.
    pub settings: Settings,
    /// The inputs with the points to be measured, at least one each.
    pub inputs: Vec<SuiteInput>,
}

impl Suite {
    /// Reads a suite: a file, or else the built-in suite of that name.
    ///
    /// # Errors
    /// If there is none, or all that is wrong with it.
    pub fn open(suite: &Path) -> Result<Self, SuiteError> {
        Suite::parse(&suite.display().to_string(), &built_in::text(suite)?)
    }

    /// Reads a suite from its text; `path` is for messages.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub fn parse(path: &str, text: &str) -> Result<Self, SuiteError> {
        let (document, errors) = DeTable::parse_recoverable(text);
        read::syntax(&errors).refuse(path, text)?;
        let mut problems = Problems::default();
        let suite = read::suite(Section::root(&document), &mut problems);
        problems.refuse(path, text)?;
        Ok(suite)
    }

    /// The points that `keep` takes, and inputs and parts that have any. The hash stays
    /// that of the whole suite.
    #[must_use]
    pub fn restricted(mut self, keep: impl Fn(&Point) -> bool) -> Self {
        for part in &mut self.parts {
            for input in &mut part.inputs {
                input.points.retain(&keep);
            }
            part.inputs.retain(|input| !input.points.is_empty());
        }
        self.parts.retain(|part| !part.inputs.is_empty());
        self
    }

    /// Leaves out the parts of which nothing can run here, unless that is all; says which.
    pub fn leave_out_unusable(&mut self) -> Vec<String> {
        let problem = |part: &Part| {
            let devices = part.settings.devices.iter();
            let problems: Option<Vec<String>> = devices
                .map(|&device| Some(format!("{device}: {}", problem_of(device)?)))
                .collect();
            problems.map(|problems| problems.join("; "))
        };
        if self.parts.iter().all(|part| problem(part).is_some()) {
            return Vec::new();
        }
        let mut left_out = Vec::new();
        self.parts.retain(|part| match problem(part) {
            Some(problem) => {
                let points = shape::phrase("points", &part.points().count().to_string());
                let task = part.task.name();
                left_out.push(format!("left out: {points} of {task}: {problem}"));
                false
            }
            None => true,
        });
        left_out
    }

    /// All points, in the order of the file.
    pub fn points(&self) -> impl Iterator<Item = &Point> {
        self.parts.iter().flat_map(Part::points)
    }

    /// The measuring commands of its parts.
    pub fn requests(&self, command: &[String]) -> Vec<MeasureRequest> {
        let request = |part: &Part| part.request(command);
        self.parts.iter().map(request).collect()
    }

    /// What is to be measured of each of its requests.
    ///
    /// # Errors
    /// What can't be measured here.
    pub fn plans(&self, requests: &[MeasureRequest]) -> Result<Vec<Plan>, Failure> {
        let parts = self.parts.iter().zip(requests);
        let plan = parts.map(|(part, request)| {
            let mut plan = Plan::new(request)?;
            plan.retain(|point| part.keeps(point));
            Ok(plan)
        });
        plan.collect()
    }

    /// The time that all points take at most, but for checking and preparing.
    pub fn time_at_most(&self) -> Duration {
        let times = self.parts.iter().map(Part::time_at_most);
        times.fold(Duration::ZERO, Duration::saturating_add)
    }
}

impl Part {
    /// All points.
    pub fn points(&self) -> impl Iterator<Item = &Point> + Clone {
        self.inputs.iter().flat_map(|input| &input.points)
    }

    /// Whether a point is to be measured: part of the product, not excluded,
    /// and of this shard.
    pub fn keeps(&self, point: &Point) -> bool {
        let of_input = |input: &&SuiteInput| input.params == point.params;
        let mut inputs = self.inputs.iter().filter(of_input);
        inputs.any(|input| input.points.contains(point))
    }

    /// The time that its points take at most, but for checking and preparing.
    pub fn time_at_most(&self) -> Duration {
        let points = u32::try_from(self.points().count()).unwrap_or(u32::MAX);
        self.settings.max_time.saturating_mul(points)
    }

    /// The measuring command that has all its points, and those excluded.
    pub fn request(&self, command: &[String]) -> MeasureRequest {
        let settings = self.settings.clone();
        MeasureRequest {
            task: self.task,
            source: Source::Generated(self.axes.clone()),
            variants: settings.variants,
            devices: settings.devices,
            threads: settings.threads,
            places: settings.places,
            binds: settings.binds,
            caches: settings.caches,
            seed: settings.seed,
            samples: settings.samples,
            max_time: settings.max_time,
            precision: settings.precision,
            out: None,
            format: Outputs::only(Format::Table),
            rank: Rank::Total,
            store: None,
            budget: None,
            dry_run: false,
            config: None,
            charts: false,
            quiet: true,
            profile: false,
            counters: false,
            plugins: Vec::new(),
            command: command.to_vec(),
        }
    }
}
