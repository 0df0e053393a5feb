//! The tasks of this program, which [`run`](crate::run) is given.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tasks::data_set::DataSet;
use tasks::external::{ExternalVariant, ProgramTask};
use tasks::open_loop::OpenLoop;
use tasks::plugin::{PluginError, PluginInfo};
use tasks::registry::{BuiltInSuite, Registry};
use tasks::task::Task;

static REGISTRY: Mutex<Option<&Registry>> = Mutex::new(None);

fn lock() -> MutexGuard<'static, Option<&'static Registry>> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Sets the tasks of this program; those that were set first stay.
pub(crate) fn set(registry: Registry) {
    lock().get_or_insert_with(|| Box::leak(Box::new(registry)));
}

/// The tasks of this program, those of plugins last.
fn registry() -> &'static Registry {
    lock().get_or_insert_with(|| Box::leak(Box::new(default())))
}

/// Loads a plugin, and adds its tasks: see [`Registry::load_plugin`].
///
/// # Errors
/// If it is not a usable plugin. A bad plugin may end the process.
pub(crate) fn load_plugin(
    path: &Path,
    fingerprint: String,
) -> Result<&'static PluginInfo, PluginError> {
    let mut with_plugin = registry().clone();
    let info = with_plugin.load_plugin(path, fingerprint)?;
    if with_plugin.tasks().len() > tasks().len() {
        *lock() = Some(Box::leak(Box::new(with_plugin)));
    }
    Ok(info)
}

/// Adds external programs: see [`Registry::add_programs`].
///
/// # Errors
/// If a name is taken, or a task can't tell right from wrong.
pub(crate) fn add_programs(
    info: &'static PluginInfo,
    tasks: Vec<ProgramTask>,
    variants: Vec<ExternalVariant>,
) -> Result<(), PluginError> {
    let mut with_programs = registry().clone();
    with_programs.add_programs(info, tasks, variants)?;
    *lock() = Some(Box::leak(Box::new(with_programs)));
    Ok(())
}

/// No tasks, but for tests.
#[cfg(not(test))]
fn default() -> Registry {
    Registry::default()
}

#[cfg(test)]
fn default() -> Registry {
    use tasks::registry::TaskSet;

    macro_rules! suites {
        ($($name:literal),*) => {
            &[$(BuiltInSuite {
                name: $name,
                text: include_str!(concat!("../../suites/", $name, ".toml")),
            }),*]
        };
    }

    // Those of several experiments, which the root package has.
    const OF_ALL: &[BuiltInSuite] = suites![
        "smoke",
        "nightly",
        "thesis",
        "selftest",
        "gpu-nightly",
        "gpu-break-even",
        "gpu-portability"
    ];
    let of_all = TaskSet { suites: OF_ALL, ..TaskSet::new(&[]) };
    let all = [of_all, algorithms_sts::TASKS, algorithms_tpc::TASKS, algorithms_memory::TASKS];
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

/// All data sets in their listed order.
pub(crate) fn data_sets() -> &'static [&'static dyn DataSet] {
    registry().data_sets()
}

/// The data set with this name.
pub(crate) fn data_set(name: &str) -> Option<&'static dyn DataSet> {
    registry().data_set(name)
}
