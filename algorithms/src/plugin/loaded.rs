//! The plugins of this process.

use std::collections::HashSet;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::library::{self, leak};
use super::loaded_variant::{Condemnation, LoadedVariant, PluginInfo};
use super::{PluginError, table};
use crate::device::{Backend, Device};
use crate::registry;

/// The tasks that take plugins: those with an input in `recobench.h`.
const TASKS: [&str; 2] = ["sort", "gather"];

/// A plugin with its variants.
struct LoadedPlugin {
    info: &'static PluginInfo,
    variants: Vec<&'static LoadedVariant>,
}

static LOADED: Mutex<Vec<LoadedPlugin>> = Mutex::new(Vec::new());

fn loaded() -> MutexGuard<'static, Vec<LoadedPlugin>> {
    LOADED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Loads a plugin for as long as the process lives; from now on its variants are
/// among those of their tasks. A file that is loaded already is not loaded again.
/// `fingerprint` is a hash of it.
///
/// # Errors
/// If it is no plugin that can be used. A bad plugin may end the process.
pub fn load(path: &Path, fingerprint: String) -> Result<&'static PluginInfo, PluginError> {
    let real = path
        .canonicalize()
        .map_err(|error| PluginError::NotALibrary {
            path: path.to_owned(),
            problem: error.to_string(),
        })?;
    if let Some(info) = plugins().into_iter().find(|info| info.path == real) {
        return Ok(info);
    }
    let path = real.as_path();
    let wrong = |problem| PluginError::Table {
        path: path.to_owned(),
        problem,
    };
    let file = real.file_name().unwrap_or_default().to_string_lossy();
    let table = library::open(path, &file)?;
    let table = table.ok_or_else(|| wrong("recobench_plugin gives NULL".to_owned()))?;
    let (name, version) = table::name_and_version(table).map_err(wrong)?;
    let info = leak(PluginInfo {
        file: file.into_owned(),
        name: name.to_owned(),
        version: version.to_owned(),
        path: path.to_owned(),
        fingerprint,
    });
    let variants = table::variants(table, info).map_err(wrong)?;
    check_tasks(&variants).map_err(wrong)?;
    check_names(&variants, path)?;
    let variants = variants.into_iter().map(leak).collect();
    loaded().push(LoadedPlugin { info, variants });
    Ok(info)
}

/// The plugins that are loaded.
pub fn plugins() -> Vec<&'static PluginInfo> {
    loaded().iter().map(|plugin| plugin.info).collect()
}

/// Whether a plugin has variants for a backend.
pub fn any_for(backend: Backend) -> bool {
    let loaded = loaded();
    let mut variants = loaded.iter().flat_map(|plugin| &plugin.variants);
    variants.any(|variant| variant.backend == backend)
}

/// Has a variant refused on a device from now on, without calling it.
pub fn condemn(
    (task, name): (&str, &str),
    plugin: &PluginInfo,
    device: Device,
    condemnation: Condemnation,
) {
    let is_meant = |variant: &&&LoadedVariant| {
        (variant.task, variant.name) == (task, name) && variant.plugin == plugin
    };
    let loaded = loaded();
    let variants = loaded.iter().flat_map(|plugin| &plugin.variants);
    for variant in variants.filter(is_meant) {
        variant.verdicts().push((device, condemnation.clone()));
    }
}

/// The variants of a task.
pub(crate) fn variants_of(task: &str) -> Vec<&'static LoadedVariant> {
    let loaded = loaded();
    let variants = loaded.iter().flat_map(|plugin| &plugin.variants);
    variants
        .copied()
        .filter(|variant| variant.task == task)
        .collect()
}

fn check_tasks(variants: &[LoadedVariant]) -> Result<(), String> {
    let unknown = variants
        .iter()
        .find(|variant| !TASKS.contains(&variant.task));
    unknown.map_or(Ok(()), |variant| {
        let (name, task, known) = (variant.name, variant.task, TASKS.join(", "));
        Err(format!(
            "variant \"{name}\" is for the task \"{task}\"; plugins can be for {known}"
        ))
    })
}

/// Names are unique within task and backend.
fn check_names(variants: &[LoadedVariant], path: &Path) -> Result<(), PluginError> {
    let mut own = HashSet::new();
    for variant in variants {
        let doubled = !own.insert((variant.task, variant.backend, variant.name));
        let other = if doubled {
            Some("in the same plugin".to_owned())
        } else {
            holder_of(variant)
        };
        if let Some(other) = other {
            return Err(PluginError::NameTaken {
                path: path.to_owned(),
                task: variant.task.to_owned(),
                backend: variant.backend,
                name: variant.name.to_owned(),
                other,
            });
        }
    }
    Ok(())
}

/// Who has a variant of this name already.
fn holder_of(variant: &LoadedVariant) -> Option<String> {
    let infos = registry::task(variant.task)?.variants();
    let same = infos
        .into_iter()
        .find(|info| (info.backend, info.name) == (variant.backend, variant.name))?;
    // Whoever brings a variant that is not here takes the place that is kept for it.
    if same.unavailable_reason.is_some() {
        return None;
    }
    Some(same.plugin.map_or_else(
        || "that bench has itself".to_owned(),
        |plugin| format!("of {}", plugin.path.display()),
    ))
}
