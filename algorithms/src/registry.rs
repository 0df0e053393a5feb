//! The list of all tasks, and plugins for them.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use text::Untrusted;

use crate::calibrate::Calibrate;
use crate::device::Backend;
use crate::memory_kinds::MemoryKinds;
use crate::plugin::loaded::{LoadContext, load, plugin_of_task};
use crate::plugin::loaded_task::LoadedTask;
use crate::plugin::loaded_variant::{Contracts, LoadedVariant};
use crate::plugin::{PluginError, PluginInfo};
use crate::plugin_session::{self_check, wrap};
use crate::sts::task::{STS, STS_CLUSTER, STS_CLUSTER_SORT, STS_COLLECT, STS_HITS, STS_PRESORT};
use crate::sts_events::StsEvents;
use crate::sts_sort::StsSort;
use crate::sts_unpack::StsUnpack;
use crate::task::{Task, TypedTask, VariantInfo};
use crate::tpc::Tpc;
use crate::tpc_cluster_finder::TpcClusterFinder;
use crate::tpc_decode::TpcDecode;
use crate::tpc_gather::TpcGather;
use crate::tpc_merge::TpcMerge;
use crate::tpc_noisy_pads::TpcNoisyPads;

static TASKS: &[&dyn Task] = &[
    &TypedTask(StsSort),
    &TypedTask(StsUnpack),
    &TypedTask(STS_PRESORT),
    &TypedTask(STS_CLUSTER),
    &TypedTask(STS_CLUSTER_SORT),
    &TypedTask(STS_HITS),
    &TypedTask(STS_COLLECT),
    &TypedTask(STS),
    &TypedTask(StsEvents),
    &TypedTask(TpcDecode),
    &TypedTask(TpcMerge),
    &TypedTask(TpcGather),
    &TypedTask(TpcNoisyPads),
    &TypedTask(TpcClusterFinder),
    &TypedTask(Tpc),
    &TypedTask(MemoryKinds),
    &TypedTask(Calibrate),
    #[cfg(test)]
    &TypedTask(crate::task::example::ChannelCounts),
];

/// All tasks in their listed order, with those that plugins added last.
static ALL: Mutex<&[&dyn Task]> = Mutex::new(TASKS);

fn all() -> MutexGuard<'static, &'static [&'static dyn Task]> {
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// All tasks in their listed order, those of plugins last. Loading a plugin adds to them.
pub fn tasks() -> &'static [&'static dyn Task] {
    *all()
}

/// The task with this name.
pub fn task(name: &str) -> Option<&'static dyn Task> {
    tasks().iter().copied().find(|task| task.name() == name)
}

/// Loads a plugin for as long as the process lives, adds its variants to those of their tasks, and
/// its tasks to the list. A file that is already loaded is not loaded again. `fingerprint` is a hash
/// of it.
///
/// # Errors
/// If it is not a usable plugin. A bad plugin may end the process.
pub fn load_plugin(path: &Path, fingerprint: String) -> Result<&'static PluginInfo, PluginError> {
    let contracts = tasks().iter().filter_map(|task| task.contract()).collect();
    let context = LoadContext {
        contracts: Contracts(contracts),
        holder_of,
        natives_of,
        owner_of_task,
        try_task: self_check,
    };
    let plugin = load(path, fingerprint, &context)?;
    let is_new = |loaded: &&&LoadedTask| task(loaded.name).is_none();
    add(plugin.tasks.iter().filter(is_new).map(|loaded| wrap(loaded)).collect());
    Ok(plugin.info)
}

/// Adds tasks to the list.
fn add(new: Vec<&'static dyn Task>) {
    if !new.is_empty() {
        let mut all = all();
        *all = [*all, &new].concat().leak();
    }
}

/// Returns the owner of an existing task of this name.
fn owner_of_task(name: &str) -> Option<String> {
    task(name)?;
    Some(plugin_of_task(name).map_or_else(
        || "that bench has itself".to_owned(),
        |plugin| format!("of {}", plugin.path.escaped()),
    ))
}

/// Variants that kernels of plugins can be compared with: the built-in CUDA variants of a task that
/// are written idiomatically.
fn natives_of(task_name: &str) -> Vec<&'static str> {
    let infos = task(task_name).map_or_else(Vec::new, |task| task.variants());
    let is_native = |info: &&VariantInfo| {
        info.backend == Backend::Cuda
            && info.native.is_none()
            && info.plugin.is_none()
            && info.unavailable_reason.is_none()
    };
    infos.iter().filter(is_native).map(|info| info.name).collect()
}

/// Returns the owner of an existing variant of this name.
fn holder_of(variant: &LoadedVariant) -> Option<String> {
    let mut infos = task(variant.task)?.variants().into_iter();
    let same = infos.find(|info| (info.backend, info.name) == (variant.backend, variant.name))?;
    // A listed variant that is not loaded is replaced by the plugin's.
    if same.unavailable_reason.is_some() {
        return None;
    }
    Some(same.plugin.map_or_else(
        || "that bench has itself".to_owned(),
        |plugin| format!("of {}", plugin.path.escaped()),
    ))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::axis::Params;

    #[test]
    fn names_of_tasks_are_unique() {
        let names: HashSet<_> = tasks().iter().map(|task| task.name()).collect();
        assert_eq!(names.len(), tasks().len());
    }

    #[test]
    fn names_of_variants_are_unique_on_each_backend() {
        for task in tasks() {
            let variants = task.variants();
            assert!(!variants.is_empty(), "{} has no variants", task.name());
            let names: HashSet<_> = variants.iter().map(|v| (v.backend, v.name)).collect();
            assert_eq!(names.len(), variants.len(), "{}", task.name());
        }
    }

    #[test]
    fn names_of_axes_are_unique_and_their_defaults_valid() {
        for task in tasks() {
            let names: HashSet<_> = task.axes().iter().map(|axis| axis.name).collect();
            assert_eq!(names.len(), task.axes().len(), "{}", task.name());
            for axis in task.axes() {
                let parsed = axis.default.map(|text| axis.parse(text));
                assert!(!matches!(parsed, Some(Err(_))), "{}", axis.name);
            }
            let plan = task.plan(Params::default());
            assert!(plan.is_ok(), "{}: {:?}", task.name(), plan.err());
        }
    }

    /// In one test, because references take longer to compute than checks.
    #[test]
    fn every_check_refuses_a_no_op_and_an_output_with_one_element_mutated() {
        for task in tasks() {
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
