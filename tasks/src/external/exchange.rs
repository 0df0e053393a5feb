//! Files that programs get of an input.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use generators_common::DataError;
use tempfile::TempDir;
use text::Untrusted;

use crate::algorithm::Semantics;

/// An input as programs need it.
pub(crate) trait InputOfPrograms: Sync {
    /// Writes the input to a file.
    fn write_input(&self, path: &Path) -> Result<(), DataError>;
    /// Writes the smallest input that can be made of it, by removing parts.
    fn write_smallest(&self, path: &Path) -> Result<(), DataError>;
    /// Writes the right output for these semantics to a file.
    fn write_right_output(&self, semantics: Semantics, path: &Path) -> Result<(), DataError>;
}

/// Files of an input: each is written when it is first needed, and all are removed with the input.
#[derive(Default)]
pub(crate) struct Exchange(Mutex<State>);

#[derive(Default)]
struct State {
    folder: Option<TempDir>,
    files: BTreeMap<String, Result<PathBuf, String>>,
    /// Variants whose comparisons were tried on the right output.
    tried: BTreeSet<&'static str>,
}

/// A file of an input.
#[derive(Clone, Copy, Debug)]
pub(super) enum ExchangedFile {
    Input,
    Smallest,
    RightOutput(Semantics),
}

impl Exchange {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True the first time that it is called for a variant.
    pub(super) fn is_first_of(&self, variant: &'static str) -> bool {
        self.state().tried.insert(variant)
    }

    /// A file with this ending, which is written unless it is there.
    ///
    /// # Errors
    /// If it can't be written.
    pub(super) fn file(
        &self,
        input: &dyn InputOfPrograms,
        file: ExchangedFile,
        ending: &str,
    ) -> Result<PathBuf, String> {
        let (name, what) = match file {
            ExchangedFile::Input => (format!("input.{ending}"), "the input"),
            ExchangedFile::Smallest => (format!("smallest.{ending}"), "the smallest input"),
            ExchangedFile::RightOutput(semantics) => {
                (format!("right-{semantics}.{ending}"), "the right output")
            }
        };
        let mut state = self.state();
        let State { folder, files, .. } = &mut *state;
        if let Some(known) = files.get(&name) {
            return known.clone();
        }
        let folder = match folder {
            Some(folder) => folder,
            none => none.insert(new_folder()?),
        };
        let path = folder.path().join(&name);
        let written = match file {
            ExchangedFile::Input => input.write_input(&path),
            ExchangedFile::Smallest => input.write_smallest(&path),
            ExchangedFile::RightOutput(semantics) => input.write_right_output(semantics, &path),
        };
        let protected = written.and_then(|()| protect(&path));
        let written = protected.map(|()| path).map_err(|problem| {
            format!("{what} can't be written as a file of the type {ending}: {problem}")
        });
        files.insert(name, written.clone());
        written
    }
}

/// Keeps programs from writing into a file that later runs read, too.
fn protect(path: &Path) -> Result<(), DataError> {
    let protected = fs::metadata(path).and_then(|file| {
        let mut permissions = file.permissions();
        permissions.set_readonly(true);
        fs::set_permissions(path, permissions)
    });
    protected.map_err(|error| DataError::io(path, error))
}

/// A new folder, which is removed when it is dropped.
pub(crate) fn new_folder() -> Result<TempDir, String> {
    let folder = tempfile::Builder::new().prefix("recobench-").tempdir();
    folder.map_err(|problem| {
        let place = std::env::temp_dir();
        format!("no folder can be made in {} ({problem}); set TMPDIR", place.escaped())
    })
}
