//! Interfaces of kernels, made from their sources: a launcher that does not fit does not
//! compile.
//!
//! Each kernel file, and each header that one includes, becomes a module of Rust with its
//! constants and structs. Each kernel that is exported has a struct of its arguments there,
//! and a `Kernel` by which it is launched. What the images say (`images`) has to agree.

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

use evaluate::Known;
use parse::Declarations;

/// A file with what it declares.
pub struct File {
    /// From the folder of the crate on.
    path: PathBuf,
    /// What it includes, from there on.
    includes: Vec<PathBuf>,
    declared: Declarations,
    /// The constants that it can use: those of the headers, and its own.
    known: Known,
}

/// What is made of all kernel files, as Rust.
pub struct Generated {
    /// Their interfaces, and those of all headers of theirs.
    pub interfaces: String,
    /// The shaders that do the same: see `shaders`.
    pub shaders: String,
}

/// Makes them of all kernel files of the crate in `root`.
pub fn generate(root: &Path, kernels: &[PathBuf]) -> Result<Generated, Box<dyn Error>> {
    let mut files = BTreeMap::new();
    for kernel in kernels {
        read(root, kernel.strip_prefix(root)?, &mut files)?;
    }
    images::check(root, &mut files)?;
    Ok(Generated { interfaces: emit::modules(&files)?, shaders: shaders::table(root, &files)? })
}

/// Reads a file after all that it includes.
fn read(
    root: &Path,
    path: &Path,
    files: &mut BTreeMap<PathBuf, File>,
) -> Result<(), Box<dyn Error>> {
    if files.contains_key(path) {
        return Ok(());
    }
    let says = |problem: String| format!("{}: {problem}", path.display());
    let text = fs::read_to_string(root.join(path)).map_err(|error| says(error.to_string()))?;
    let declared = parse::parse(&text).map_err(says)?;
    let mut known = Known::default();
    let mut includes = Vec::new();
    // `portable.h` is the emulator's, and has nothing for launchers.
    let ours = declared.includes.iter().filter(|path| !path.ends_with("portable.h"));
    for include in ours {
        let found = found(root, path, include);
        let found = found.ok_or_else(|| says(format!("there is no {}", include.display())))?;
        read(root, &found, files)?;
        known.extend(&files[&found].known);
        includes.push(found);
    }
    known.learn(&declared);
    let path = path.to_owned();
    files.insert(path.clone(), File { path, includes, declared, known });
    Ok(())
}

/// What a file includes: it lies beside it, or where all share it.
fn found(root: &Path, path: &Path, include: &Path) -> Option<PathBuf> {
    let beside = path.with_file_name("").join(include);
    let shared = Path::new("kernels").join(include);
    let found = [beside, shared].into_iter().find(|path| root.join(path).exists())?;
    Some(without_dots(&found))
}

/// `a/../b` is `b`.
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
