//! The tasks of this program, which [`run`](crate::run) is given.

mod reserved;

use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use tasks::data_set::DataSet;
use tasks::external::ExternalVariant;
use tasks::open_loop::OpenLoop;
use tasks::plugin::{PluginError, PluginInfo};
use tasks::program_task::ProgramTask;
use tasks::registry::{BuiltInSuite, PresetItems, PublishedFigures, Registry};
use tasks::task::Task;
use text::Untrusted;

pub use reserved::ReservedName;
pub(crate) use reserved::{ReservedNames, check_command_line};

/// The tasks of this program, once they are set.
#[derive(Clone, Copy)]
struct OwnTasks {
    registry: &'static Registry,
    /// Collects the names that tasks of plugins can't have.
    reserved: fn() -> ReservedNames,
}

static OWN: Mutex<Option<OwnTasks>> = Mutex::new(None);

/// Those of a program that has set none.
static UNSET: LazyLock<Registry> = LazyLock::new(unset);

fn lock() -> MutexGuard<'static, Option<OwnTasks>> {
    OWN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn own() -> OwnTasks {
    lock().unwrap_or_else(|| OwnTasks { registry: &UNSET, reserved: ReservedNames::default })
}

/// Sets the tasks of this program, and what collects the names that no further task can have; those
/// that were set first stay.
pub(crate) fn set(registry: Registry, reserved: fn() -> ReservedNames) {
    lock().get_or_insert_with(|| OwnTasks { registry: Box::leak(Box::new(registry)), reserved });
}

/// The tasks of this program, those of plugins last.
fn registry() -> &'static Registry {
    own().registry
}

/// A plugin that can't be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// It is not a usable plugin.
    #[error(transparent)]
    Plugin(#[from] PluginError),
    /// It brings a task with a name that is taken.
    #[error("plugin {}: {source}", path.escaped())]
    Reserved {
        /// The plugin.
        path: PathBuf,
        /// The name.
        source: ReservedName,
    },
}

/// Loads a plugin, and adds its tasks: see [`Registry::load_plugin`].
///
/// # Errors
/// If it is not a usable plugin. A bad plugin may end the process.
pub(crate) fn load_plugin(
    path: &Path,
    fingerprint: String,
) -> Result<&'static PluginInfo, LoadError> {
    let mut with_plugin = registry().clone();
    let info = with_plugin.load_plugin(path, fingerprint)?;
    adopt(with_plugin, path)?;
    Ok(info)
}

/// Adds external programs: see [`Registry::add_programs`].
///
/// # Errors
/// If a name is taken, or a task accepts wrong outputs.
pub(crate) fn add_programs(
    info: &'static PluginInfo,
    tasks: Vec<ProgramTask>,
    variants: Vec<ExternalVariant>,
) -> Result<(), LoadError> {
    let mut with_programs = registry().clone();
    with_programs.add_programs(info, tasks, variants)?;
    adopt(with_programs, &info.path)
}

/// Replaces the tasks of this program by those with a plugin, unless one has a reserved name.
fn adopt(with_plugin: Registry, path: &Path) -> Result<(), LoadError> {
    let OwnTasks { registry, reserved } = own();
    let added = &with_plugin.tasks()[registry.tasks().len()..];
    if added.is_empty() {
        return Ok(());
    }
    let names = reserved();
    for task in added {
        let checked = names.check(*task);
        checked.map_err(|source| LoadError::Reserved { path: path.to_owned(), source })?;
    }
    *lock() = Some(OwnTasks { registry: Box::leak(Box::new(with_plugin)), reserved });
    Ok(())
}

/// No tasks, but for tests.
#[cfg(not(test))]
fn unset() -> Registry {
    Registry::default()
}

#[cfg(test)]
fn unset() -> Registry {
    use tasks::registry::TaskSet;

    // Those of several experiments, which the root package has.
    const OF_ALL: &[BuiltInSuite] = tasks::built_in_suites!(
        "../../suites",
        [
            "smoke",
            "nightly",
            "thesis",
            "selftest",
            "gpu-nightly",
            "gpu-break-even",
            "gpu-portability",
            "score",
            "gpu-score"
        ]
    );
    const PUBLISHED: PublishedFigures = PublishedFigures {
        suite: "thesis",
        figures: include_str!("../../published/figures.csv"),
        values: include_str!("../../published/values.csv"),
        claims: include_str!("../../published/claims.csv"),
        streams: include_str!("../../published/streams.csv"),
    };
    let of_all = TaskSet { suites: OF_ALL, published: Some(PUBLISHED), ..TaskSet::new(&[]) };
    let all = [
        of_all,
        algorithms_sts::TASKS,
        algorithms_tpc::TASKS,
        algorithms_lhcb::TASKS,
        algorithms_memory::TASKS,
    ];
    Registry::new(&all).expect("names are unique")
}

/// All tasks in their listed order.
pub(crate) fn tasks() -> &'static [&'static dyn Task] {
    registry().tasks()
}

/// The task with this name.
pub(crate) fn task(name: &str) -> Option<&'static dyn Task> {
    registry().task(name)
}

/// All tasks whose inputs can be streamed, in their listed order.
pub(crate) fn open_loop_tasks() -> &'static [&'static dyn OpenLoop] {
    registry().open_loop_tasks()
}

/// The task with this name, if its inputs can be streamed.
pub(crate) fn open_loop_task(name: &str) -> Option<&'static dyn OpenLoop> {
    registry().open_loop_task(name)
}

/// All built-in suites in their listed order.
pub(crate) fn suites() -> &'static [BuiltInSuite] {
    registry().suites()
}

/// Published figures that the tasks can be compared with.
pub(crate) fn published() -> Option<PublishedFigures> {
    registry().published()
}

/// Sizes of interactions in the data of presets.
pub(crate) fn presets() -> &'static [PresetItems] {
    registry().presets()
}

/// Experiment of a task, if it is of one.
pub(crate) fn experiment(task: &str) -> Option<&'static str> {
    registry().experiment(task)
}

/// All data sets in their listed order.
pub(crate) fn data_sets() -> &'static [&'static dyn DataSet] {
    registry().data_sets()
}

/// The data set with this name.
pub(crate) fn data_set(name: &str) -> Option<&'static dyn DataSet> {
    registry().data_set(name)
}
