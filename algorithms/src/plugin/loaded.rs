//! The plugins of this process.

use std::collections::HashSet;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::contract::Contracts;
use super::library::{PluginError, PluginProblem, leak};
use super::loaded_variant::{LoadedVariant, PluginInfo, Quarantine};
use super::{library, table};
use crate::device::{Backend, Device};

/// A plugin with its variants.
struct LoadedPlugin {
    info: &'static PluginInfo,
    variants: Vec<&'static LoadedVariant>,
}

static LOADED: Mutex<Vec<LoadedPlugin>> = Mutex::new(Vec::new());

fn loaded() -> MutexGuard<'static, Vec<LoadedPlugin>> {
    LOADED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Context in which a plugin's variants are validated.
pub(crate) struct LoadContext {
    /// The contracts of the tasks.
    pub(crate) contracts: Contracts,
    /// Returns the owner of an existing variant of that name.
    pub(crate) holder_of: fn(&LoadedVariant) -> Option<String>,
    /// Returns the variants of a task that others can be compared with.
    pub(crate) natives_of: fn(&str) -> Vec<&'static str>,
}

/// Loads a plugin for as long as the process lives, and adds its variants to those of their tasks.
/// A file that is already loaded is not loaded again. `fingerprint` is a hash of it.
pub(crate) fn load(
    path: &Path,
    fingerprint: String,
    context: &LoadContext,
) -> Result<&'static PluginInfo, PluginError> {
    let real = path.canonicalize().map_err(|error| PluginError {
        path: path.to_owned(),
        problem: error.to_string().into(),
    })?;
    if let Some(info) = plugins().into_iter().find(|info| info.path == real) {
        return Ok(info);
    }
    let loaded = load_new(&real, fingerprint, context);
    loaded.map_err(|problem| PluginError { path: real, problem })
}

fn load_new(
    path: &Path,
    fingerprint: String,
    context: &LoadContext,
) -> Result<&'static PluginInfo, PluginProblem> {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let (made_for, table) = library::open(path, &file)?;
    let table = table.ok_or_else(|| "recobench_plugin gives NULL".to_owned())?;
    let (name, version) = table::name_and_version(table)?;
    let info = leak(PluginInfo {
        file: file.into_owned(),
        name: name.to_owned(),
        version: version.to_owned(),
        path: path.to_owned(),
        fingerprint,
    });
    let variants = table::variants(table, made_for, info, &context.contracts)?;
    check_names(&variants, context.holder_of)?;
    check_natives(&variants, context.natives_of)?;
    let variants = variants.into_iter().map(leak).collect();
    loaded().push(LoadedPlugin { info, variants });
    Ok(info)
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
