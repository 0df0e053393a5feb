//! The tasks of a program: a value, which the harness is given.

use std::collections::HashSet;
use std::fmt;
use std::hash::Hash;
use std::path::Path;

use text::Untrusted;

use crate::data_set::DataSet;
use crate::device::Backend;
use crate::external::{self, ExternalVariant};
use crate::open_loop::OpenLoop;
use crate::plugin::loaded::{LoadContext, load, plugin_of_task};
use crate::plugin::loaded_variant::{Contracts, LoadedVariant};
use crate::plugin::{self, PluginError, PluginInfo, PluginProblem, TaskProblem};
use crate::plugin_session::{self_check, wrap};
use crate::program_task::{self, ProgramTask};
use crate::task::{Task, VariantInfo};

/// Tasks that belong together, such as those of one experiment, with what comes with them.
#[derive(Clone, Copy)]
pub struct TaskSet {
    /// The tasks.
    pub tasks: &'static [&'static dyn Task],
    /// Name of the experiment that the tasks are of, if it is one: `CBM`.
    pub experiment: Option<&'static str>,
    /// Data that can be generated and written to files.
    pub data_sets: &'static [&'static dyn DataSet],
    /// Those of the tasks whose inputs can be streamed.
    pub open_loop: &'static [&'static dyn OpenLoop],
    /// Suites that come with the program.
    pub suites: &'static [BuiltInSuite],
    /// Published figures that the tasks can be compared with.
    pub published: Option<PublishedFigures>,
    /// Sizes of interactions in the data of presets.
    pub presets: &'static [PresetItems],
}

/// Items of an interaction in the data of a preset: plans of farms convert rates with them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PresetItems {
    /// Name of the preset: the value of the axis `preset`.
    pub preset: &'static str,
    /// Unit of the items, such as `digi`.
    pub item_unit: &'static str,
    /// Interactions per second of the preset.
    pub interactions_hz: f64,
    /// Mean number of items per interaction.
    pub items_per_interaction: f64,
    /// Source of the items.
    pub source: ItemSource,
}

/// Source of the items of a preset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemSource {
    /// Particles: the number of items grows with the rate of interactions.
    Particles,
    /// Mostly noise: the number of items per interaction holds at the preset's rate only.
    Noise,
}

/// Published figures, as tables in CSV, and the suite that measures their counterparts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublishedFigures {
    /// Name of the suite.
    pub suite: &'static str,
    /// A row for each figure.
    pub figures: &'static str,
    /// A row for each published number, with its counterpart.
    pub values: &'static str,
    /// A row for each claim.
    pub claims: &'static str,
    /// A row for each figure that streams are measured for.
    pub streams: &'static str,
}

/// A suite that comes with a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltInSuite {
    /// Its name.
    pub name: &'static str,
    /// Its text, in TOML.
    pub text: &'static str,
}

/// Suites by their names, from files of a folder beside the source:
/// `built_in_suites!("../suites", ["smoke", "nightly"])`.
#[macro_export]
macro_rules! built_in_suites {
    ($folder:literal, [$($name:literal),+ $(,)?]) => {
        &[$($crate::registry::BuiltInSuite {
            name: $name,
            text: include_str!(concat!($folder, "/", $name, ".toml")),
        }),+]
    };
}

impl TaskSet {
    /// A set of tasks alone.
    pub const fn new(tasks: &'static [&'static dyn Task]) -> Self {
        TaskSet {
            tasks,
            experiment: None,
            data_sets: &[],
            open_loop: &[],
            suites: &[],
            published: None,
            presets: &[],
        }
    }
}

impl TaskSet {
    /// Names of its tasks with their experiment.
    fn experiments(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let experiment = self.experiment;
        self.tasks.iter().filter_map(move |task| Some((task.name(), experiment?)))
    }
}

/// Tasks that can't be in one program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    /// Two tasks, or two data sets, of one name.
    #[error("two {what} are called {name}: rename one of them, or leave out its set")]
    SameName {
        /// Such as `tasks`.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// Two variants of a task on one backend, or two of its axes, have one name.
    #[error("the task {task} has two {what} called {name}: rename one of them")]
    SamePart {
        /// The task.
        task: &'static str,
        /// `variants` or `axes`.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A name that is no word of a command line and no name of a file.
    #[error(
        "the task {} has {what} called {}: use lower case letters, digits and dashes",
        task.quoted(), name.quoted()
    )]
    BadName {
        /// The task.
        task: &'static str,
        /// Such as `an axis`.
        what: &'static str,
        /// The name.
        name: &'static str,
    },
}

/// All tasks of a program, set by set.
#[derive(Clone, Default)]
pub struct Registry {
    tasks: Vec<&'static dyn Task>,
    /// Names of tasks with their experiment.
    experiments: Vec<(&'static str, &'static str)>,
    data_sets: Vec<&'static dyn DataSet>,
    open_loop: Vec<&'static dyn OpenLoop>,
    suites: Vec<BuiltInSuite>,
    published: Option<PublishedFigures>,
    presets: Vec<PresetItems>,
}

impl Registry {
    /// The tasks of these sets.
    ///
    /// # Errors
    /// If names are not unique.
    pub fn new(sets: &[TaskSet]) -> Result<Self, RegistryError> {
        let registry = Registry {
            tasks: sets.iter().flat_map(|set| set.tasks).copied().collect(),
            experiments: sets.iter().flat_map(TaskSet::experiments).collect(),
            data_sets: sets.iter().flat_map(|set| set.data_sets).copied().collect(),
            open_loop: sets.iter().flat_map(|set| set.open_loop).copied().collect(),
            suites: sets.iter().flat_map(|set| set.suites).copied().collect(),
            published: sets.iter().find_map(|set| set.published),
            presets: sets.iter().flat_map(|set| set.presets).copied().collect(),
        };
        let all =
            |what| move |name: &&str| RegistryError::SameName { what, name: name.to_string() };
        let data_sets = registry.data_sets.iter().map(|data| data.info().name);
        refuse_same(registry.tasks.iter().map(|task| task.name()), all("tasks"))?;
        refuse_same(data_sets, all("data sets"))?;
        let open_loop = registry.open_loop.iter().map(|task| task.name());
        refuse_same(open_loop, all("streamed tasks"))?;
        refuse_same(registry.suites.iter().map(|suite| suite.name), all("suites"))?;
        registry.tasks.iter().try_for_each(|task| check_names(*task))?;
        Ok(registry)
    }

    /// All tasks in their listed order.
    pub fn tasks(&self) -> &[&'static dyn Task] {
        &self.tasks
    }

    /// The task with this name.
    pub fn task(&self, name: &str) -> Option<&'static dyn Task> {
        self.tasks.iter().copied().find(|task| task.name() == name)
    }

    /// Experiment of a task, if it is of one.
    pub fn experiment(&self, task: &str) -> Option<&'static str> {
        let found = self.experiments.iter().find(|(name, _)| *name == task);
        found.map(|(_, experiment)| *experiment)
    }

    /// All tasks whose inputs can be streamed, in their listed order.
    pub fn open_loop_tasks(&self) -> &[&'static dyn OpenLoop] {
        &self.open_loop
    }

    /// The task with this name, if its inputs can be streamed.
    pub fn open_loop_task(&self, name: &str) -> Option<&'static dyn OpenLoop> {
        self.open_loop.iter().copied().find(|task| task.name() == name)
    }

    /// All suites in their listed order.
    pub fn suites(&self) -> &[BuiltInSuite] {
        &self.suites
    }

    /// Published figures: those of the first set that has any.
    pub fn published(&self) -> Option<PublishedFigures> {
        self.published
    }

    /// Sizes of interactions in the data of presets, set by set.
    pub fn presets(&self) -> &[PresetItems] {
        &self.presets
    }

    /// All data sets in their listed order.
    pub fn data_sets(&self) -> &[&'static dyn DataSet] {
        &self.data_sets
    }

    /// The data set with this name.
    pub fn data_set(&self, name: &str) -> Option<&'static dyn DataSet> {
        self.data_sets.iter().copied().find(|data| data.info().name == name)
    }

    /// Loads a plugin for as long as the process lives, and adds its variants to those of their
    /// tasks, and its tasks to this list. A file that is already loaded is not loaded again.
    /// `fingerprint` is a hash of it.
    ///
    /// # Errors
    /// If it is not a usable plugin. A bad plugin may end the process.
    pub fn load_plugin(
        &mut self,
        path: &Path,
        fingerprint: String,
    ) -> Result<&'static PluginInfo, PluginError> {
        let contracts = self.tasks.iter().filter_map(|task| task.contract()).collect();
        let context = LoadContext {
            contracts: Contracts(contracts),
            holder_of: &|variant| self.holder_of(variant),
            natives_of: &|task| self.natives_of(task),
            owner_of_task: &|task| self.owner_of_task(task),
            try_task: self_check,
        };
        let plugin = load(path, fingerprint, &context)?;
        for loaded in plugin.tasks {
            if self.task(loaded.name).is_none() {
                self.tasks.push(wrap(loaded));
            }
        }
        Ok(plugin.info)
    }

    /// Adds external programs: their variants to those of their tasks, and their tasks to this list,
    /// for as long as the process lives.
    ///
    /// # Errors
    /// If a name is taken, a variant is of no task or of one without output files, a task has no
    /// variants, or accepts wrong outputs.
    pub fn add_programs(
        &mut self,
        info: &'static PluginInfo,
        tasks: Vec<ProgramTask>,
        variants: Vec<ExternalVariant>,
    ) -> Result<(), PluginError> {
        let wrong = |problem| PluginError { path: info.path.clone(), problem };
        let mut with_tasks = self.clone();
        for task in tasks {
            let name = task.name;
            let task_problem = |problem: TaskProblem| wrong(problem.of_task(name).into());
            if let Some(other) = with_tasks.owner_of_task(name) {
                return Err(task_problem(TaskProblem::NameTaken { other }));
            }
            if !variants.iter().any(|variant| variant.task == name) {
                return Err(task_problem(TaskProblem::NoPrograms));
            }
            with_tasks.tasks.push(program_task::wrap(task).map_err(task_problem)?);
        }
        let mut own = HashSet::new();
        for variant in &variants {
            with_tasks.check_program(variant, &mut own).map_err(wrong)?;
        }
        *self = with_tasks;
        external::attach(variants);
        plugin::loaded::add(info);
        Ok(())
    }

    /// Checks that a program is a new variant of a task whose outputs are in files.
    fn check_program(
        &self,
        variant: &ExternalVariant,
        own: &mut HashSet<(&'static str, &'static str)>,
    ) -> Result<(), PluginProblem> {
        let ExternalVariant { task: task_name, name, .. } = *variant;
        let Some(task) = self.task(task_name) else {
            let known: Vec<&str> = self.tasks.iter().map(|task| task.name()).collect();
            return Err(PluginProblem::Unusable(format!(
                "its variant {} is for the task {}; there are {}",
                name.quoted(),
                task_name.quoted(),
                known.join(", ")
            )));
        };
        if task.output_files().is_none() {
            return Err(PluginProblem::Unusable(format!(
                "its variant {} is for {task_name}, whose outputs are in no files that a program \
                 could write; only tasks that bench process has can have programs",
                name.quoted()
            )));
        }
        let existing = task.variants().into_iter().find(|info| info.name == name);
        let other = match existing {
            Some(info) => Some(owner(info.plugin)),
            None if own.insert((task_name, name)) => None,
            None => Some("in the same file".to_owned()),
        };
        let Some(other) = other else { return Ok(()) };
        Err(PluginProblem::NameTaken {
            task: task_name.to_owned(),
            backend: Backend::Cpu,
            name: name.to_owned(),
            other,
        })
    }

    /// Returns the owner of an existing task of this name.
    fn owner_of_task(&self, name: &str) -> Option<String> {
        let variants = self.task(name)?.variants();
        // All variants of a task that a plugin brings are its own, or of later plugins.
        let of_programs = variants.first().and_then(|variant| variant.plugin);
        Some(owner(plugin_of_task(name).or(of_programs)))
    }

    /// Variants that kernels of plugins can be compared with: the built-in CUDA variants of a task
    /// that are written idiomatically.
    fn natives_of(&self, task: &str) -> Vec<&'static str> {
        let infos = self.task(task).map_or_else(Vec::new, |task| task.variants());
        let is_native = |info: &&VariantInfo| {
            info.backend == Backend::Cuda
                && info.native.is_none()
                && info.plugin.is_none()
                && info.unavailable_reason.is_none()
        };
        infos.iter().filter(is_native).map(|info| info.name).collect()
    }

    /// Returns the owner of an existing variant of this name.
    fn holder_of(&self, variant: &LoadedVariant) -> Option<String> {
        let mut infos = self.task(variant.task)?.variants().into_iter();
        let same =
            infos.find(|info| (info.backend, info.name) == (variant.backend, variant.name))?;
        // A listed variant that is not loaded is replaced by the plugin's.
        if same.unavailable_reason.is_some() {
            return None;
        }
        Some(owner(same.plugin))
    }
}

/// Owner of a task or a variant, for messages about a name that is taken.
fn owner(plugin: Option<&PluginInfo>) -> String {
    plugin.map_or_else(
        || "that bench has itself".to_owned(),
        |plugin| format!("of {}", plugin.path.escaped()),
    )
}

/// Refuses a task with two variants, or two axes, of one name, and names that can't be typed.
fn check_names(task: &dyn Task) -> Result<(), RegistryError> {
    let name = task.name();
    let is_word = |name: &str| {
        let is_allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        !name.is_empty() && name.chars().all(is_allowed) && !name.starts_with('-')
    };
    let variants = task.variants().into_iter().map(|variant| ("a variant", variant.name));
    let axes = task.axes().iter().chain(task.file_axes()).map(|axis| ("an axis", axis.name));
    let mut all = std::iter::once(("a name", name)).chain(variants).chain(axes);
    if let Some((what, bad)) = all.find(|(_, name)| !is_word(name)) {
        return Err(RegistryError::BadName { task: name, what, name: bad });
    }
    let part = |what| {
        move |part: &dyn fmt::Display| RegistryError::SamePart {
            task: name,
            what,
            name: part.to_string(),
        }
    };
    let variants = task.variants().into_iter();
    let on_backend = |variant: VariantInfo| format!("{} ({})", variant.name, variant.backend);
    refuse_same(variants.map(on_backend), |name| part("variants")(name))?;
    refuse_same(task.axes().iter().map(|axis| axis.name), |name| part("axes")(name))
}

/// Refuses items that are in a list twice.
fn refuse_same<T: Hash + Eq>(
    items: impl IntoIterator<Item = T>,
    error: impl Fn(&T) -> RegistryError,
) -> Result<(), RegistryError> {
    let mut known = HashSet::new();
    for item in items {
        if known.contains(&item) {
            return Err(error(&item));
        }
        known.insert(item);
    }
    Ok(())
}

/// Assertions about the tasks of any program.
#[cfg(any(test, feature = "testing"))]
pub mod testing {
    use super::{Registry, TaskSet};
    use crate::axis::Params;

    /// Asserts that names are unique, that all tasks have variants, and that defaults are valid.
    pub fn assert_sound(set: TaskSet) {
        Registry::new(&[set]).unwrap_or_else(|error| panic!("{error}"));
        for task in set.tasks {
            assert!(!task.variants().is_empty(), "{} has no variants", task.name());
            for axis in task.axes() {
                let parsed = axis.default.map(|text| axis.parse(text));
                assert!(!matches!(parsed, Some(Err(_))), "{}", axis.name);
            }
            let plan = task.plan(Params::default());
            assert!(plan.is_ok(), "{}: {:?}", task.name(), plan.err());
        }
    }

    /// Asserts that checks refuse what is left without any run, and right outputs with a change.
    pub fn assert_checked(set: TaskSet) {
        for task in set.tasks {
            let mut refused = 0;
            for (name, case) in task.hard_cases(1) {
                assert!(case.rejects_no_op(), "{}: {name}", task.name());
                let of_case = case.refused_mutants(1);
                refused +=
                    of_case.unwrap_or_else(|problem| panic!("{}: {name}: {problem}", task.name()));
            }
            assert!(refused > 50, "{}: {refused} were refused", task.name());
        }
    }
}
