//! Interfaces of kernels, generated from their sources, so that a launcher that does not fit does
//! not compile.
//!
//! Each kernel file, and each header that one includes, becomes a Rust module with its constants
//! and structs. Each exported kernel has a struct of its arguments there, and a `Kernel` to launch
//! it. The interfaces must agree with the compiled images (`images`).

mod emit;
mod evaluate;
mod images;
mod layout;
mod parse;
mod shaders;

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use evaluate::KnownConstants;
use parse::Declarations;

/// Folder of the device layer.
const DEVICE: &str = "src/device";

/// A file with its declarations.
pub struct File {
    /// Path from the folder of the crate.
    path: PathBuf,
    /// Included files, as paths from that folder.
    includes: Vec<PathBuf>,
    declared: Declarations,
    /// Constants that it can use: those of its headers, and its own.
    known: KnownConstants,
}

/// Generated Rust code of all kernel files.
pub struct Generated {
    /// Interfaces of the kernels of tasks, and of all their headers.
    pub interfaces: String,
    /// Interfaces of the kernels of the device layer, which the tasks are above.
    pub device_interfaces: String,
    /// Shaders of the same kernels: see `shaders`.
    pub shaders: String,
}

/// Generates the code for all kernel files of the crate in `root`.
pub fn generate(root: &Path, kernels: &[PathBuf]) -> Result<Generated, Box<dyn Error>> {
    let mut files = BTreeMap::new();
    for kernel in kernels {
        read(root, kernel.strip_prefix(root)?, &mut files)?;
    }
    images::check(root, &mut files)?;
    let shaders = shaders::table(root, &files)?;
    let is_of_device = |path: &PathBuf| path.starts_with(DEVICE);
    let (of_device, of_tasks) = files.into_iter().partition(|(path, _)| is_of_device(path));
    Ok(Generated {
        interfaces: emit::modules(&of_tasks)?,
        device_interfaces: emit::modules(&of_device)?,
        shaders,
    })
}

/// Reads a file after all files that it includes.
fn read(
    root: &Path,
    path: &Path,
    files: &mut BTreeMap<PathBuf, File>,
) -> Result<(), Box<dyn Error>> {
    if files.contains_key(path) {
        return Ok(());
    }
    let in_file = |problem: String| format!("{}: {problem}", path.display());
    let text = fs::read_to_string(root.join(path)).map_err(|error| in_file(error.to_string()))?;
    let declared = parse::parse(&text).map_err(in_file)?;
    let mut known = KnownConstants::default();
    let mut includes = Vec::new();
    // `portable.h` belongs to the emulator, and has no declarations for launchers.
    let own_includes = declared.includes.iter().filter(|path| !path.ends_with("portable.h"));
    for include in own_includes {
        let found = found(root, path, include);
        let found = found.ok_or_else(|| in_file(format!("there is no {}", include.display())))?;
        read(root, &found, files)?;
        known.extend(&files[&found].known);
        includes.push(found);
    }
    known.learn(&declared);
    let path = path.to_owned();
    files.insert(path.clone(), File { path, includes, declared, known });
    Ok(())
}

/// Finds an included file: in the folder of the including one, or among the shared headers.
fn found(root: &Path, path: &Path, include: &Path) -> Option<PathBuf> {
    let local = path.with_file_name("").join(include);
    let shared = Path::new("kernels").join(include);
    let found = [local, shared].into_iter().find(|path| root.join(path).exists())?;
    Some(without_dots(&found))
}

/// Simplifies `a/../b` to `b`.
fn without_dots(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path {
        if part == ".." {
            clean.pop();
        } else {
            clean.push(part);
        }
    }
    clean
}
