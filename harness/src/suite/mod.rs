//! Suites: many tasks, axes, devices and threads in one file.
//!
//! | module | holds |
//! |---|---|
//! | this | the suite file: name, defaults and tasks |
//! | `built_in` | the built-in suites |
//! | `settings` | keys with the names of flags |
//! | `task` | content of a `[[task]]`, and what it excludes |
//! | `part` | the points of a product of axes, and shards for several machines |

pub mod built_in;
mod part;
mod settings;
mod task;

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use generators_common::DataError;
use reports::record::Point;
use reports::units;
use sha2::{Digest, Sha256};
use tasks::device::Device;
use text::Untrusted;

use crate::document::{self, Entry, Section};
pub use crate::document::{InvalidDocument, Problem};
use crate::measure::share;
use crate::plan::{Plan, PlanError, missing_devices};
use crate::platform::Exit;
use crate::request::values::and_more;
use crate::request::{MeasureRequest, Settings};
pub use part::{Part, SuiteInput};
pub(crate) use settings::measurable_device;
use task::Parts;
pub(crate) use task::{axis_values, known_task};

/// Error of reading a suite.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// Neither a file nor a built-in suite.
    #[error("unknown suite: there is no file {} and no built-in suite of that name; {instead}", Path::new(name).escaped())]
    Unknown {
        /// Requested name.
        name: String,
        /// Suggested names.
        instead: String,
    },
    /// A file that can't be read.
    #[error("{}: {source}", path.escaped())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// A file that makes no sense.
    #[error(transparent)]
    Invalid(#[from] InvalidDocument),
}

impl SuiteError {
    /// Returns the exit code.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            SuiteError::Unknown { .. } | SuiteError::Invalid(_) => Exit::Usage,
            SuiteError::Unreadable { .. } => Exit::Failed,
        }
    }
}

/// A suite: checked, and expanded into points.
pub struct Suite {
    /// Its name: results of shards are merged by it.
    pub name: String,
    /// Purpose, in one line.
    pub description: String,
    /// Hash of all its points with their seeds and sampling: suites with equal hashes are equal.
    pub hash: String,
    /// Parts to measure.
    pub parts: Vec<Part>,
}

/// The text of a suite, read once: a pipe can't be read again, and a file may change meanwhile.
pub struct SuiteFile {
    /// Libraries that the suite names, as paths from the folder of its file. They have to be loaded
    /// before the suite is parsed, because it may name their variants.
    pub plugins: Vec<PathBuf>,
    name: String,
    text: String,
}

impl SuiteFile {
    /// Reads a file, or else the built-in suite of that name.
    ///
    /// # Errors
    /// If there is no such suite, or its list of plugins is not valid.
    pub fn read(suite: &Path) -> Result<Self, SuiteError> {
        let name = suite.escaped().to_string();
        let text = built_in::text(suite)?;
        let plugins = document::read(&name, &text, |root| {
            root.entry("plugins").map_or_else(Vec::new, Entry::texts)
        })?;
        let folder = suite.parent().unwrap_or(Path::new(""));
        let plugins = plugins.iter().map(|plugin| folder.join(plugin)).collect();
        Ok(SuiteFile { plugins, name, text })
    }

    /// Parses the suite.
    ///
    /// # Errors
    /// All its problems.
    pub fn suite(&self) -> Result<Suite, SuiteError> {
        Suite::parse(&self.name, &self.text)
    }
}

/// The parts of a suite that can't be measured here.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// A note for each part, with the reason.
    pub notes: Vec<String>,
    /// The devices that they were to run on.
    pub devices: Vec<Device>,
}

impl Suite {
    /// Reads a suite from its text; `path` is for messages.
    ///
    /// # Errors
    /// All its problems.
    pub fn parse(path: &str, text: &str) -> Result<Self, SuiteError> {
        Ok(document::read(path, text, read_suite)?)
    }

    /// Keeps the points accepted by `keep`, and inputs and parts that have any. The hash remains that
    /// of the complete suite.
    #[must_use]
    pub fn restricted(mut self, keep: impl Fn(&Point) -> bool) -> Self {
        for part in &mut self.parts {
            part.retain(&keep);
        }
        self.parts.retain(|part| !part.inputs.is_empty());
        self
    }

    /// Adds variants: to each part those that `additional` returns for any of its points, with all of
    /// their points. The hash remains that of the suite.
    ///
    /// # Errors
    /// If an input is not valid.
    pub fn with_variants(
        mut self,
        additional: impl Fn(&Point) -> Vec<&'static str>,
    ) -> Result<Self, DataError> {
        let parts = self.parts.into_iter().map(|part| part.with_variants(&additional));
        self.parts = parts.collect::<Result<_, _>>()?;
        Ok(self)
    }

    /// Replaces the devices of all parts.
    ///
    /// # Errors
    /// If an input is not valid.
    pub fn on(mut self, devices: &[Device]) -> Result<Self, DataError> {
        let parts = self.parts.into_iter().map(|part| part.on(devices));
        self.parts = parts.collect::<Result<_, _>>()?;
        Ok(self)
    }

    /// Removes the parts that can't run here, unless none can. Returns the removed parts.
    pub fn leave_out_unusable(&mut self) -> LeftOut {
        let mut left_out = LeftOut::default();
        if self.parts.iter().all(|part| part.unusable().is_some()) {
            return left_out;
        }
        self.parts.retain(|part| {
            let Some(problem) = part.unusable() else {
                return true;
            };
            let points = units::counted(part.points().count(), "point");
            let note = format!("left out: {points} of {}: {problem}", part.task.name());
            left_out.notes.push(note);
            left_out.devices.extend(missing_devices(&part.settings.devices));
            false
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

    /// Returns the plan of each request.
    pub(crate) fn plans(&self, requests: &[MeasureRequest]) -> Result<Vec<Plan>, PlanError> {
        let parts = self.parts.iter().zip(requests);
        let plan = parts.map(|(part, request)| {
            let mut plan = Plan::new(request)?;
            plan.retain(|point| part.keeps(point));
            Ok(plan)
        });
        plan.collect()
    }

    /// The most that a point may take so that all of them fit into the budget.
    /// Points whose own limit is lower leave the rest to the others.
    pub fn share(&self, budget: Duration) -> Duration {
        let limits = self.parts.iter().flat_map(|part| {
            let limit = part.settings.max_time;
            std::iter::repeat_n(limit, part.points().count())
        });
        share(limits.collect(), budget)
    }
}

/// The keys of the document.
const KEYS: [&str; 5] = ["name", "description", "plugins", "defaults", "task"];

/// Checks and expands the document.
fn read_suite(root: Section<'_>) -> Suite {
    for entry in root.entries().filter(|entry| !KEYS.contains(&entry.key)) {
        entry.unknown("of a suite", &KEYS);
    }
    let name = suite_name(root);
    let description = root.entry("description").and_then(Entry::word);
    let defaults = root.entry("defaults").and_then(Entry::section);
    let defaults = settings::defaults(defaults);
    let tasks = root.sections("task").into_iter();
    let mut parts: Parts = tasks.flat_map(|it| task::read(it, &defaults)).collect();
    check_points(root, &parts);
    // A device may have no variants of a task; others have.
    parts.retain(|(_, part)| part.points().next().is_some());
    let parts: Vec<_> = parts.into_iter().map(|(_, part)| part).collect();
    Suite {
        name,
        description: description.map_or(String::new(), |word| word.text),
        hash: hash(&parts),
        parts,
    }
}

/// The name, which becomes part of the names of folders.
fn suite_name(root: Section<'_>) -> String {
    let Some(entry) = root.entry("name") else {
        root.problem("this suite has no name; begin with name = \"…\"");
        return String::new();
    };
    let Some(word) = entry.word() else {
        return String::new();
    };
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if word.text.is_empty() || word.text.starts_with('.') || !word.text.chars().all(allowed) {
        word.problem(
            "use letters, digits, dashes and underscores in the name: folders are named after it",
        );
    }
    word.text
}

/// Takes down points that are there twice, and a suite without any.
fn check_points(root: Section<'_>, parts: &Parts<'_>) {
    let mut first = HashMap::new();
    for (number, (section, part)) in parts.iter().enumerate() {
        let points = part.points();
        let twice = points.filter(|&point| *first.entry(point).or_insert(number) != number);
        if let [point, rest @ ..] = &twice.collect::<Vec<_>>()[..] {
            section.problem(measured_twice(point, rest.len()));
        }
    }
    if first.is_empty() && root.problem_count() == 0 {
        root.problem("no point is left to be measured: is there a [[task]]?");
    }
}

fn measured_twice(point: &Point, more: usize) -> String {
    let variant = &point.variant;
    let params = &point.params;
    let threads = units::counted(point.threads, "thread");
    let also = and_more("", more, 0);
    format!(
        "{variant} with {threads} and {params}{also} would be measured twice: an earlier task or \
         include has it"
    )
}

/// A hash of all points with their seeds and sampling, whatever their order: shards of the
/// same suite have the same.
fn hash(parts: &[Part]) -> String {
    let mut lines = Vec::new();
    for part in parts {
        let Settings { seed, samples, max_time, precision, .. } = &part.settings;
        let range = samples.unwrap_or_default();
        let time = max_time.as_nanos();
        let sampling = format!("{seed} {}..{} {time} {precision}", range.min, range.max);
        let points = part.points();
        lines.extend(points.map(|point| format!("{} {sampling}\n", point.id())));
    }
    lines.sort_unstable();
    let hash = Sha256::digest(lines.concat());
    hash[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;
