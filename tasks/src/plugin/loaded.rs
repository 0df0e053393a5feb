//! The plugins of this process: shared libraries that are opened, and why one is not usable.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use text::Untrusted;

use super::abi::{ABI, OLDEST_ABI, Table};
use super::hooks::{Call, watched};
use super::loaded_task::LoadedTask;
use super::loaded_variant::{Contracts, LoadedVariant, PluginInfo, PluginKind, Quarantine, leak};
use super::task_abi::{TASKS_SINCE, TaskTable};
use super::task_problem::{TaskError, TaskProblem};
use super::{table, task_table};
use crate::device::{Backend, Device};

/// A plugin with its variants and tasks.
#[derive(Clone)]
pub(crate) struct LoadedPlugin {
    pub(crate) info: &'static PluginInfo,
    pub(crate) variants: Vec<&'static LoadedVariant>,
    pub(crate) tasks: Vec<&'static LoadedTask>,
}

static LOADED: Mutex<Vec<LoadedPlugin>> = Mutex::new(Vec::new());

fn loaded() -> MutexGuard<'static, Vec<LoadedPlugin>> {
    LOADED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Context in which a plugin's variants are validated.
pub(crate) struct LoadContext<'a> {
    /// The contracts of the tasks.
    pub(crate) contracts: Contracts,
    /// Returns the owner of an existing variant of that name.
    pub(crate) holder_of: &'a dyn Fn(&LoadedVariant) -> Option<String>,
    /// Returns the variants of a task that others can be compared with.
    pub(crate) natives_of: &'a dyn Fn(&str) -> Vec<&'static str>,
    /// Returns the owner of an existing task of that name.
    pub(crate) owner_of_task: &'a dyn Fn(&str) -> Option<String>,
    /// Tries a task on its hard inputs.
    pub(crate) try_task: fn(&'static LoadedTask) -> Result<(), TaskProblem>,
}

/// Loads a plugin for as long as the process lives, and adds its variants to those of their tasks.
/// Returns these, and tasks of its own. A file that is already loaded is not loaded again.
/// `fingerprint` is a hash of it.
pub(crate) fn load(
    path: &Path,
    fingerprint: String,
    context: &LoadContext<'_>,
) -> Result<LoadedPlugin, PluginError> {
    let real = path.canonicalize().map_err(|error| PluginError {
        path: path.to_owned(),
        problem: error.to_string().into(),
    })?;
    let known = loaded().iter().find(|plugin| plugin.info.path == real).cloned();
    if let Some(plugin) = known {
        return Ok(plugin);
    }
    let loaded = load_new(&real, fingerprint, context);
    loaded.map_err(|problem| PluginError { path: real, problem })
}

fn load_new(
    path: &Path,
    fingerprint: String,
    context: &LoadContext<'_>,
) -> Result<LoadedPlugin, PluginProblem> {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let opened = open(path, &file)?;
    let table = opened.table.ok_or_else(|| "recobench_plugin gives NULL".to_owned())?;
    let (name, version) = table::name_and_version(table)?;
    let info = leak(PluginInfo {
        file: file.into_owned(),
        name: name.to_owned(),
        version: version.to_owned(),
        path: path.to_owned(),
        fingerprint,
        kind: PluginKind::Library,
    });
    let tasks = opened.tasks.map_or(Ok(Vec::new()), |table| task_table::tasks(table, info))?;
    check_task_names(&tasks, context.owner_of_task)?;
    let own = tasks.iter().map(|task| &task.contract);
    let contracts = Contracts(context.contracts.0.iter().copied().chain(own).collect());
    let variants = table::variants(table, opened.version, info, &contracts)?;
    check_names(&variants, context.holder_of)?;
    check_natives(&variants, context.natives_of)?;
    for task in &tasks {
        try_task(task, &variants, context)?;
    }
    let variants = variants.into_iter().map(leak).collect();
    let plugin = LoadedPlugin { info, variants, tasks };
    loaded().push(plugin.clone());
    Ok(plugin)
}

/// Tries a task, which the library must have variants for.
fn try_task(
    task: &'static LoadedTask,
    variants: &[LoadedVariant],
    context: &LoadContext,
) -> Result<(), PluginProblem> {
    let tried = if variants.iter().any(|variant| variant.task == task.name) {
        (context.try_task)(task)
    } else {
        Err(TaskProblem::NoVariants)
    };
    tried.map_err(|problem| problem.of_task(task.name).into())
}

/// Adds a description of programs to the plugins that are loaded.
pub(crate) fn add(info: &'static PluginInfo) {
    loaded().push(LoadedPlugin { info, variants: Vec::new(), tasks: Vec::new() });
}

/// The plugins that are loaded.
pub fn plugins() -> Vec<&'static PluginInfo> {
    loaded().iter().map(|plugin| plugin.info).collect()
}

/// True if a plugin has variants for a backend.
pub fn any_for(backend: Backend) -> bool {
    let loaded = loaded();
    let mut variants = loaded.iter().flat_map(|plugin| &plugin.variants);
    variants.any(|variant| variant.backend == backend)
}

/// Refuses a variant on a device from now on, without calling it.
pub fn quarantine(
    task: &str,
    name: &str,
    plugin: &PluginInfo,
    device: Device,
    quarantine: Quarantine,
) {
    let is_meant = |variant: &&&LoadedVariant| {
        variant.task == task && variant.name == name && variant.plugin == plugin
    };
    let loaded = loaded();
    let variants = loaded.iter().flat_map(|plugin| &plugin.variants);
    for variant in variants.filter(is_meant) {
        variant.verdicts().push((device, quarantine.clone()));
    }
}

/// The variants of a task.
pub(crate) fn variants_of(task: &str) -> Vec<&'static LoadedVariant> {
    let loaded = loaded();
    let variants = loaded.iter().flat_map(|plugin| &plugin.variants);
    variants.copied().filter(|variant| variant.task == task).collect()
}

/// The plugin that brings a task.
pub(crate) fn plugin_of_task(name: &str) -> Option<&'static PluginInfo> {
    let loaded = loaded();
    let has_it = |plugin: &&LoadedPlugin| plugin.tasks.iter().any(|task| task.name == name);
    loaded.iter().find(has_it).map(|plugin| plugin.info)
}

/// Checks that names of tasks are unique.
fn check_task_names(
    tasks: &[&LoadedTask],
    owner_of_task: impl Fn(&str) -> Option<String>,
) -> Result<(), PluginProblem> {
    let mut own = HashSet::new();
    for task in tasks {
        let name = task.name;
        let is_new = own.insert(name);
        let other =
            if is_new { owner_of_task(name) } else { Some("in the same plugin".to_owned()) };
        if let Some(other) = other {
            return Err(TaskProblem::NameTaken { other }.of_task(name).into());
        }
    }
    Ok(())
}

/// Checks that names are unique within task and backend.
fn check_names(
    variants: &[LoadedVariant],
    holder_of: impl Fn(&LoadedVariant) -> Option<String>,
) -> Result<(), PluginProblem> {
    let mut own = HashSet::new();
    for variant in variants {
        let is_new = own.insert((variant.task, variant.backend, variant.name));
        let other = if is_new { holder_of(variant) } else { Some("in the same plugin".to_owned()) };
        if let Some(other) = other {
            return Err(PluginProblem::NameTaken {
                task: variant.task.to_owned(),
                backend: variant.backend,
                name: variant.name.to_owned(),
                other,
            });
        }
    }
    Ok(())
}

/// Checks that each variant to be compared with a native one names an existing one.
fn check_natives(
    variants: &[LoadedVariant],
    natives_of: impl Fn(&str) -> Vec<&'static str>,
) -> Result<(), PluginProblem> {
    for variant in variants {
        let Some(native) = variant.native else { continue };
        let known = natives_of(variant.task);
        if !known.contains(&native.variant) {
            return Err(PluginProblem::NoNative {
                task: variant.task.to_owned(),
                name: variant.name.to_owned(),
                native: native.variant.to_owned(),
                known,
            });
        }
    }
    Ok(())
}

const ABI_SYMBOL: &str = "recobench_plugin_abi";
const TABLE_SYMBOL: &str = "recobench_plugin";
const TASKS_SYMBOL: &str = "recobench_plugin_tasks";

type AbiFunction = unsafe extern "C" fn() -> u32;
type TableFunction = unsafe extern "C" fn() -> *const Table;
type TasksFunction = unsafe extern "C" fn() -> *const TaskTable;

/// A library that is open.
struct OpenedLibrary {
    /// Version of the header that it was built for.
    version: u32,
    /// Its variants; `None` instead of a null table.
    table: Option<&'static Table>,
    /// Its tasks, if it has any.
    tasks: Option<&'static TaskTable>,
}

/// Opens a library for as long as the process lives.
fn open(path: &Path, file: &str) -> Result<OpenedLibrary, PluginProblem> {
    let load = leak(Call::new(file, None, "load"));
    let library = leak(watched(load, || dlopen(path))?);
    let (abi, table) = functions(library)?;
    let describe = leak(Call::new(file, None, TABLE_SYMBOL));
    // SAFETY: functions of these names are of these types.
    let version = watched(describe, || unsafe { abi() });
    if !(OLDEST_ABI..=ABI).contains(&version) {
        return Err(PluginProblem::OtherVersion(version));
    }
    // SAFETY: the function of this name has this type, and the header requires the table to stay
    // where it is.
    let table = watched(describe, || unsafe { table().as_ref() });
    let tasks = if version < TASKS_SINCE { None } else { tasks(library, file)? };
    Ok(OpenedLibrary { version, table, tasks })
}

/// Returns the library's tasks, if it exports the function for them.
fn tasks(
    library: &'static Library,
    file: &str,
) -> Result<Option<&'static TaskTable>, PluginProblem> {
    // SAFETY: the function of this name has this type.
    let Ok(tasks) = (unsafe { library.get::<TasksFunction>(TASKS_SYMBOL) }) else {
        return Ok(None);
    };
    let describe = leak(Call::new(file, None, TASKS_SYMBOL));
    // SAFETY: the header requires the table to stay where it is.
    let table = watched(describe, || unsafe { tasks().as_ref() });
    let is_null = || format!("{TASKS_SYMBOL} gives NULL; don't export it without tasks").into();
    table.map(Some).ok_or_else(is_null)
}

/// Resolves all symbols at once, so that a missing one is reported now.
fn dlopen(path: &Path) -> Result<Library, String> {
    // SAFETY: a user names a plugin so that its code runs. Failures of it have been found in
    // another process before: see the trial in the harness.
    let opened = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) };
    opened.map_err(|error| words(&error))
}

/// Message of the dynamic linker, without the path at its start.
fn words(error: &libloading::Error) -> String {
    let message = match error {
        libloading::Error::DlOpen { source } => source.to_string(),
        other => other.to_string(),
    };
    let after_path = message.split_once(": ").filter(|(start, _)| start.starts_with('/'));
    after_path.map_or(message.clone(), |(_, problem)| problem.to_owned())
}

fn functions(library: &'static Library) -> Result<(AbiFunction, TableFunction), PluginProblem> {
    // SAFETY: functions of these names are of these types.
    let (abi, table) = unsafe {
        (library.get::<AbiFunction>(ABI_SYMBOL), library.get::<TableFunction>(TABLE_SYMBOL))
    };
    match (abi, table) {
        (Ok(abi), Ok(table)) => Ok((*abi, *table)),
        (abi, table) => {
            let missing = [(ABI_SYMBOL, abi.is_err()), (TABLE_SYMBOL, table.is_err())];
            let missing = missing.into_iter().filter(|(_, is_missing)| *is_missing);
            let missing = missing.map(|(symbol, _)| symbol).collect();
            Err(PluginProblem::MissingSymbols(missing))
        }
    }
}

/// A library that is not a usable plugin. See `docs/plugin.md`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("plugin {}: {problem}", path.escaped())]
pub struct PluginError {
    /// The file.
    pub path: PathBuf,
    /// Problem.
    pub problem: PluginProblem,
}

/// Reason why a library can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PluginProblem {
    /// No such file, not a library, or one for another machine, as the system reports it; or an
    /// invalid table.
    #[error("{0}")]
    Unusable(String),
    /// Functions that every plugin has are missing.
    #[error(
        "it lacks {}; a plugin exports recobench_plugin_abi and recobench_plugin: see recobench.h",
        _0.join(" and ")
    )]
    MissingSymbols(Vec<&'static str>),
    /// Built for another version of the interface.
    #[error(
        "made for version {0} of recobench.h, and this bench has version {ABI} and runs those from {OLDEST_ABI} on; compile it with the header of this bench"
    )]
    OtherVersion(u32),
    /// A variant whose name is taken.
    #[error(
        "its variant \"{name}\" ({task}, {backend}) has the name of one {other}; rename one of them"
    )]
    NameTaken {
        /// The task.
        task: String,
        /// The backend.
        backend: Backend,
        /// The name.
        name: String,
        /// Owner of the other variant: `of libother.so`, `that bench has itself`.
        other: String,
    },
    /// A task that can't be used.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// A variant that is to be compared with a missing one.
    #[error(
        "its variant {} is to be compared with {} of {task}, which bench does not have in CUDA; {}",
        name.quoted(),
        native.quoted(),
        instead_of_native(known)
    )]
    NoNative {
        /// The task.
        task: String,
        /// The variant.
        name: String,
        /// Name of the variant to compare with.
        native: String,
        /// Variants that it could be compared with.
        known: Vec<&'static str>,
    },
}

fn instead_of_native(known: &[&str]) -> String {
    match known {
        [] => "it has no such variants; set native to NULL".to_owned(),
        known => format!("native can be {}", known.join(", ")),
    }
}

impl From<String> for PluginProblem {
    fn from(problem: String) -> Self {
        PluginProblem::Unusable(problem)
    }
}
