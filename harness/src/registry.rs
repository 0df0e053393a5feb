//! The tasks of this program, which [`run`](crate::run) is given.

use std::sync::OnceLock;

use tasks::data_set::DataSet;
use tasks::registry::Registry;
use tasks::task::Task;

static REGISTRY: OnceLock<Registry> = OnceLock::new();

/// Sets the tasks of this program; those that were set first stay.
pub(crate) fn set(registry: Registry) {
    let _ = REGISTRY.set(registry);
}

/// The tasks of this program.
pub(crate) fn registry() -> &'static Registry {
    REGISTRY.get_or_init(default)
}

/// No tasks, but for tests.
#[cfg(not(test))]
fn default() -> Registry {
    Registry::default()
}

#[cfg(test)]
fn default() -> Registry {
    let all = [algorithms_sts::TASKS, algorithms_tpc::TASKS, algorithms_memory::TASKS];
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

/// All data sets in their listed order.
pub(crate) fn data_sets() -> &'static [&'static dyn DataSet] {
    registry().data_sets()
}

/// The data set with this name.
pub(crate) fn data_set(name: &str) -> Option<&'static dyn DataSet> {
    registry().data_set(name)
}
