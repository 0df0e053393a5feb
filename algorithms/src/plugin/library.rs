//! A shared library that may be a plugin.

use std::path::Path;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use super::abi::{ABI, OLDEST_ABI, Table};
use super::calls::{Call, watched};
use super::error::PluginProblem;

const ABI_SYMBOL: &str = "recobench_plugin_abi";
const TABLE_SYMBOL: &str = "recobench_plugin";

type AbiFunction = unsafe extern "C" fn() -> u32;
type TableFunction = unsafe extern "C" fn() -> *const Table;

/// Opens a library, for as long as the process lives, and asks it for the version of the header
/// that it was made for, and for its table; `None` if it gives none.
///
/// # Errors
/// If it is no plugin of a version that is known.
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
    // SAFETY: as above; the header has the table stay where it is.
    Ok((version, watched(describe, || unsafe { table().as_ref() })))
}

/// All symbols at once, so that one that is missing is told now.
fn dlopen(path: &Path) -> Result<Library, String> {
    // SAFETY: whoever names a plugin wants its code to run. What goes wrong in it
    // is seen in another process first: see the trial in the harness.
    let opened = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) };
    opened.map_err(|error| words(&error))
}

/// What the dynamic linker says, without the path that it begins with.
fn words(error: &libloading::Error) -> String {
    let said = match error {
        libloading::Error::DlOpen { source } => source.to_string(),
        other => other.to_string(),
    };
    let after_path = said.split_once(": ").filter(|(start, _)| start.starts_with('/'));
    after_path.map_or(said.clone(), |(_, problem)| problem.to_owned())
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

/// A plugin stays until the process ends: its functions may be called until then.
pub(super) fn leak<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}
