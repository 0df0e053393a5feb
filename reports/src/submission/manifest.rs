//! Packed folders: the files of a run with their hashes.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use text::Untrusted;

use super::{Finding, Rule};
use crate::clock::now;
use crate::store::{RUN, SAMPLES, SUMMARY, StoreError, open_file, read_versioned, write_json};

/// Name of the manifest.
pub const MANIFEST: &str = "manifest.json";
/// Version of its layout.
const VERSION: u32 = 1;
/// Files of a submission.
const FILES: [&str; 3] = [RUN, SAMPLES, SUMMARY];

/// `manifest.json`: the files of a packed run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Manifest {
    /// Version of the layout: 1.
    pub schema_version: u32,
    /// Version of the program that packed it.
    pub packed_by: String,
    /// UTC, RFC 3339.
    pub packed: String,
    /// The files, in the order of their names.
    pub files: Vec<PackedFile>,
}

/// A file of a packed run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PackedFile {
    /// Its name.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// SHA-256 of its content, in hexadecimal.
    pub sha256: String,
}

impl PackedFile {
    fn new(folder: &Path, name: &str) -> Result<Self, StoreError> {
        let path = folder.join(name);
        let mut file = open_file(&path)?;
        let mut hash = Hashing { hash: Sha256::new(), bytes: 0 };
        io::copy(&mut file, &mut hash).map_err(|source| StoreError::io(&path, source))?;
        let digest = hash.hash.finalize();
        Ok(PackedFile {
            name: name.to_owned(),
            bytes: hash.bytes,
            sha256: digest.iter().map(|byte| format!("{byte:02x}")).collect(),
        })
    }
}

/// Writer that hashes.
struct Hashing {
    hash: Sha256,
    bytes: u64,
}

impl io::Write for Hashing {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.hash.update(buffer);
        self.bytes += buffer.len() as u64;
        Ok(buffer.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Copies the files of a run into a new folder, with a manifest. The manifest is written last: a
/// folder without it is not a packed one.
///
/// # Errors
/// If a file can't be read or written, or the folder has one already.
pub fn pack(run: &Path, out: &Path) -> Result<Manifest, StoreError> {
    files::create_folder(out).map_err(|source| StoreError::io(out, source))?;
    if names(out)?.next().is_some() {
        return Err(StoreError::Occupied(out.to_owned()));
    }
    for name in FILES {
        let mut source = open_file(&run.join(name))?;
        let path = out.join(name);
        let copied = File::create_new(&path).and_then(|mut file| {
            io::copy(&mut source, &mut file)?;
            file.sync_all()
        });
        copied.map_err(|source| StoreError::io(&path, source))?;
    }
    let files: Result<Vec<_>, _> = FILES.iter().map(|name| PackedFile::new(out, name)).collect();
    let manifest = Manifest {
        schema_version: VERSION,
        packed_by: env!("CARGO_PKG_VERSION").to_owned(),
        packed: now(),
        files: files?,
    };
    write_json(&out.join(MANIFEST), &manifest)?;
    Ok(manifest)
}

/// Names of the files of a folder.
fn names(folder: &Path) -> Result<impl Iterator<Item = String>, StoreError> {
    let entries = fs::read_dir(folder).map_err(|source| StoreError::io(folder, source))?;
    let paths: Result<Vec<PathBuf>, _> = entries.map(|entry| Ok(entry?.path())).collect();
    let mut paths = paths.map_err(|source| StoreError::io(folder, source))?;
    paths.sort();
    let name = |path: PathBuf| Some(path.file_name()?.to_string_lossy().into_owned());
    Ok(paths.into_iter().filter_map(name))
}

/// Compares a packed folder with its manifest; no findings for a folder without one.
pub(super) fn check(folder: &Path) -> Vec<Finding> {
    if !folder.join(MANIFEST).exists() {
        return Vec::new();
    }
    compared(folder).unwrap_or_else(|error| vec![Finding::unreadable(&error)])
}

fn compared(folder: &Path) -> Result<Vec<Finding>, StoreError> {
    let manifest: Manifest = read_versioned(&folder.join(MANIFEST), VERSION)?;
    let mut problems = Vec::new();
    for packed in &manifest.files {
        // A name could lead out of the folder.
        if !FILES.contains(&packed.name.as_str()) {
            problems.push(format!("{MANIFEST}: {} is not a file of a run", packed.name.quoted()));
            continue;
        }
        match PackedFile::new(folder, &packed.name) {
            Ok(found) if found == *packed => {}
            Ok(found) => problems.push(format!(
                "{} was changed after packing: {} bytes with the SHA-256 {} instead of {} with {}",
                packed.name.escaped(),
                found.bytes,
                short(&found.sha256),
                packed.bytes,
                short(&packed.sha256)
            )),
            Err(StoreError::NoRun(_)) => {
                problems.push(format!("{} is missing, but in the manifest", packed.name.escaped()));
            }
            Err(error) => problems.push(error.to_string()),
        }
    }
    let is_listed = |name: &str| manifest.files.iter().any(|packed| packed.name == name);
    let lacking = FILES.iter().filter(|name| !is_listed(name));
    problems.extend(lacking.map(|name| format!("{MANIFEST}: it lacks {name}")));
    let further = names(folder)?.filter(|name| name != MANIFEST && !is_listed(name));
    problems.extend(further.map(|name| format!("{} is not in the manifest", name.escaped())));
    Ok(problems.into_iter().map(|problem| Finding::new(Rule::Files, problem)).collect())
}

/// First digits of a hash.
fn short(hash: &str) -> String {
    hash.chars().take(12).collect::<String>().escaped().to_string()
}
