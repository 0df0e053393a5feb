//! Descriptions of external programs: TOML files that `--plugin` takes, as shared libraries.
//!
//! | module | holds |
//! |---|---|
//! | this | reading a file, and its fingerprint |
//! | `keys` | keys that variants and tasks share |
//! | `variant` | `[[variant]]` |
//! | `task` | `[[task]]` |

mod keys;
mod task;
mod variant;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use tasks::external::{CommandTemplate, ExternalVariant};
use tasks::plugin::{PluginInfo, PluginKind};
use tasks::program_task::ProgramTask;
use text::Untrusted;

use super::{PluginFailure, read_file};
use crate::document::{self, InvalidDocument, Section};
use crate::platform::hash_text;
use crate::registry;

/// Ending of the names of such files.
const ENDING: &str = "toml";

/// True if a plugin is a description of programs.
pub(super) fn is_description(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == ENDING)
}

/// Reads a description, and adds its tasks and variants.
pub(super) fn load(path: &Path) -> Result<&'static PluginInfo, PluginFailure> {
    let Description { content, mut info, programs } = describe(path)?;
    info.fingerprint = fingerprint_of(&content, &programs.commands());
    let info: &'static PluginInfo = Box::leak(Box::new(info));
    let Programs { tasks, variants } = programs.of_plugin(info);
    registry::add_programs(info, tasks, variants)?;
    Ok(info)
}

/// Hash of a description and of the files that it names.
pub(super) fn fingerprint(path: &Path) -> Result<String, PluginFailure> {
    let Description { content, programs, .. } = describe(path)?;
    Ok(fingerprint_of(&content, &programs.commands()))
}

fn fingerprint_of(content: &str, commands: &[&CommandTemplate]) -> String {
    let files: BTreeSet<PathBuf> = commands.iter().flat_map(|command| command.files()).collect();
    let mut hash = Sha256::new();
    hash.update(content);
    for file in files {
        // An unreadable file can't be run either, which its first run reports.
        hash.update(std::fs::read(file).unwrap_or_default());
    }
    hash_text("external", &hash.finalize())
}

/// A description that was read.
struct Description {
    content: String,
    info: PluginInfo,
    programs: Programs,
}

/// The programs of a description.
#[derive(Default)]
struct Programs {
    tasks: Vec<ProgramTask>,
    variants: Vec<ExternalVariant>,
}

impl Programs {
    /// All commands.
    fn commands(&self) -> Vec<&CommandTemplate> {
        let tasks = self.tasks.iter();
        let of_tasks = tasks.flat_map(|task| task.generate.iter().chain([&task.reference]));
        of_tasks.chain(self.variants.iter().map(|variant| &variant.command)).collect()
    }

    /// These programs, of this plugin.
    fn of_plugin(mut self, info: &'static PluginInfo) -> Self {
        self.tasks.iter_mut().for_each(|task| task.plugin = info);
        self.variants.iter_mut().for_each(|variant| variant.plugin = info);
        self
    }
}

fn describe(path: &Path) -> Result<Description, PluginFailure> {
    let bytes = read_file(path)?;
    let unreadable = |problem: String| PluginFailure::Unreadable { path: path.to_owned(), problem };
    let content = String::from_utf8(bytes).map_err(|error| unreadable(error.to_string()))?;
    let real = path.canonicalize().map_err(|error| unreadable(error.to_string()))?;
    let folder = real.parent().unwrap_or(Path::new("/"));
    let file = real.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let programs = parse(&path.escaped().to_string(), &content, folder)?;
    let name = real.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let info = PluginInfo {
        path: real.clone(),
        file,
        name,
        version: String::new(),
        fingerprint: String::new(),
        kind: PluginKind::Programs,
    };
    Ok(Description { content, info, programs })
}

/// Parses a description; `path` is for messages, and `folder` that of the file.
fn parse(path: &str, content: &str, folder: &Path) -> Result<Programs, InvalidDocument> {
    document::read(path, content, |root| read(root, folder))
}

/// Keys of a description.
const KEYS: [&str; 2] = ["variant", "task"];

fn read(root: Section<'_>, folder: &Path) -> Programs {
    for entry in root.entries().filter(|entry| !KEYS.contains(&entry.key)) {
        entry.unknown("of a description of programs", &KEYS);
    }
    let variants = root.sections("variant");
    if variants.is_empty() {
        root.problem("it has no programs; add a [[variant]] with task, name and command");
    }
    let mut programs = Programs::default();
    for section in root.sections("task") {
        programs.tasks.extend(task::read(section, folder, &variants));
    }
    for section in variants {
        let variant = variant::read(section, folder, &programs.tasks);
        programs.variants.extend(variant);
    }
    programs
}

/// The plugin of a description that is not loaded yet.
fn unloaded() -> &'static PluginInfo {
    static UNLOADED: PluginInfo = PluginInfo {
        path: PathBuf::new(),
        file: String::new(),
        name: String::new(),
        version: String::new(),
        fingerprint: String::new(),
        kind: PluginKind::Programs,
    };
    &UNLOADED
}

#[cfg(test)]
mod tests;
