//! Shared libraries that may be plugins, and why one is not.

use std::path::{Path, PathBuf};

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use text::Untrusted;

use super::abi::{ABI, OLDEST_ABI, Table};
use super::calls::{Call, watched};
use crate::device::Backend;

const ABI_SYMBOL: &str = "recobench_plugin_abi";
const TABLE_SYMBOL: &str = "recobench_plugin";

type AbiFunction = unsafe extern "C" fn() -> u32;
type TableFunction = unsafe extern "C" fn() -> *const Table;

/// Opens a library for as long as the process lives. Returns the version of the header that it was
/// built for, and its table; `None` instead of a null table.
///
/// # Errors
/// If it is not a plugin of a supported version.
pub(super) fn open(
    path: &Path,
    file: &str,
) -> Result<(u32, Option<&'static Table>), PluginProblem> {
    let load = leak(Call::new(file, None, "load"));
    let library = leak(watched(load, || dlopen(path))?);
    let (abi, table) = functions(library)?;
    let describe = leak(Call::new(file, None, "recobench_plugin"));
    // SAFETY: functions of these names are of these types.
    let version = watched(describe, || unsafe { abi() });
    if !(OLDEST_ABI..=ABI).contains(&version) {
        return Err(PluginProblem::OtherVersion(version));
    }
    // SAFETY: the function of this name has this type, and the header requires the table to stay
    // where it is.
    Ok((version, watched(describe, || unsafe { table().as_ref() })))
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

/// Leaks a value of a plugin: its functions may be called until the process ends.
pub(super) fn leak<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
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
