//! The folder: opening, creating, locking.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::draft::{self, Draft};
use super::{HistoryError, durable};
use crate::store::read_text;

/// The version of the store's layout; run folders have one of their own.
pub(super) const STORE_VERSION: u32 = 1;
const MANIFEST: &str = "store.json";
/// What a store consists of beside its manifest.
const PARTS: [&str; 10] = [
    "runs",
    "bases",
    "executables",
    "incoming",
    "accepted",
    "accepted-shifts.toml",
    "trash",
    "selftest",
    "index.csv",
    "lock",
];

/// A folder with runs.
#[derive(Clone, Debug)]
pub struct Store {
    root: PathBuf,
}

/// The part that all JSON files of a store have.
#[derive(Serialize, Deserialize)]
struct Versioned {
    schema_version: u32,
}

impl Store {
    /// Opens a store that is there.
    ///
    /// # Errors
    /// If there is none, or one of another version.
    pub fn open(root: &Path) -> Result<Self, HistoryError> {
        let store = Store { root: root.to_owned() };
        let manifest = store.root.join(MANIFEST);
        match store.read_json::<Versioned>(&manifest, STORE_VERSION)? {
            Some(_) => Ok(store),
            None if is_free(root)? => Err(HistoryError::Missing(store.root)),
            None => Err(HistoryError::NotAStore(store.root)),
        }
    }

    /// Opens a store, and makes it first if there is none.
    ///
    /// # Errors
    /// If the folder can't be written, holds something else or a store of
    /// another version.
    pub fn create_or_open(root: &Path) -> Result<Self, HistoryError> {
        match Store::open(root) {
            Err(HistoryError::Missing(_)) => {}
            opened => return opened,
        }
        let store = Store { root: root.to_owned() };
        durable::create_folder(&store.runs_folder())?;
        // Whoever makes the same store at the same time writes the same.
        let manifest = Versioned { schema_version: STORE_VERSION };
        store.replace_json(&store.root.join(MANIFEST), &manifest)?;
        Store::open(root)
    }

    /// Where it is.
    pub fn root(&self) -> &Path {
        &self.root
    }

    pub(super) fn runs_folder(&self) -> PathBuf {
        self.root.join("runs")
    }

    /// The folder of a run, whether it is there or not.
    pub(super) fn run_folder(&self, id: &str) -> PathBuf {
        self.runs_folder().join(id)
    }

    pub(super) fn accepted_folder(&self) -> PathBuf {
        self.root.join("accepted")
    }

    /// A folder for something that is being written.
    pub(super) fn draft(&self) -> Result<Draft, HistoryError> {
        Draft::begin(&self.root.join("incoming"))
    }

    /// A folder for something that is being deleted.
    pub(super) fn bin(&self) -> Result<Draft, HistoryError> {
        Draft::begin(&self.root.join("trash"))
    }

    /// Removes what killed writers left.
    pub(super) fn sweep(&self) {
        draft::sweep(&self.root.join("incoming"));
        draft::sweep(&self.root.join("trash"));
    }

    /// Keeps others from accepting and deleting while the file is held.
    pub(super) fn lock(&self) -> Result<File, HistoryError> {
        let path = self.root.join("lock");
        let lock = || {
            let mut options = File::options();
            let file = options.create(true).append(true).open(&path)?;
            file.lock()?;
            Ok(file)
        };
        lock().map_err(|source| HistoryError::io(&path, source))
    }

    /// Replaces a file as a whole, and waits until it is on disk.
    pub(super) fn replace(&self, path: &Path, bytes: &[u8]) -> Result<(), HistoryError> {
        if let Some(folder) = path.parent() {
            durable::create_folder(folder)?;
        }
        let draft = self.draft()?;
        let new = draft.path("new");
        durable::write_new(&new, bytes)?;
        durable::rename(&new, path)
    }

    pub(super) fn replace_json(
        &self,
        path: &Path,
        value: &impl Serialize,
    ) -> Result<(), HistoryError> {
        let text = serde_json::to_string_pretty(value);
        let text = text.map_err(|error| HistoryError::format(path, error))?;
        self.replace(path, (text + "\n").as_bytes())
    }

    /// A JSON file of a known version; `None` if it is not there.
    pub(super) fn read_json<T: DeserializeOwned>(
        &self,
        path: &Path,
        known: u32,
    ) -> Result<Option<T>, HistoryError> {
        match fs::metadata(path) {
            Err(error) if is_missing(error.kind()) => Ok(None),
            _ => parse_json(path, &read_text(path)?, known).map(Some),
        }
    }
}

/// A JSON file that begins with the version of its layout.
pub(super) fn parse_json<T: DeserializeOwned>(
    path: &Path,
    text: &str,
    known: u32,
) -> Result<T, HistoryError> {
    let damaged = |error| HistoryError::format(path, error);
    let Versioned { schema_version } = serde_json::from_str(text).map_err(damaged)?;
    if schema_version != known {
        return Err(HistoryError::Version { path: path.to_owned(), found: schema_version, known });
    }
    serde_json::from_str(text).map_err(damaged)
}

fn is_missing(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// Whether a store may be made here: nothing is there, or what a writer that
/// was killed while it made the store left.
fn is_free(root: &Path) -> Result<bool, HistoryError> {
    let entries = match fs::read_dir(root) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(true),
        Err(error) if error.kind() == ErrorKind::NotADirectory => return Ok(false),
        entries => entries.map_err(|source| HistoryError::unreadable(root, source))?,
    };
    let is_part = |name: &str| PARTS.contains(&name);
    Ok(entries.flatten().all(|entry| entry.file_name().to_str().is_some_and(is_part)))
}

#[cfg(test)]
mod tests {
    use super::super::testing::folder;
    use super::*;

    #[test]
    fn a_store_is_made_once_and_opened_later() {
        let folder = folder();
        let root = folder.path().join("results/store");
        let missing = Store::open(&root).expect_err("nothing is there");
        assert!(matches!(missing, HistoryError::Missing(_)), "{missing}");
        Store::create_or_open(&root).expect("made");
        Store::create_or_open(&root).expect("opened");
        Store::open(&root).expect("opened");
    }

    #[test]
    fn a_store_that_was_half_made_is_completed() {
        let folder = folder();
        fs::create_dir_all(folder.path().join("runs")).expect("made");
        fs::create_dir_all(folder.path().join("incoming")).expect("made");
        Store::create_or_open(folder.path()).expect("completed");
    }

    #[test]
    fn folders_of_others_are_left_alone() {
        let folder = folder();
        fs::write(folder.path().join("thesis.tex"), "precious").expect("written");
        for opened in [
            Store::open(folder.path()),
            Store::create_or_open(folder.path()),
            Store::create_or_open(&folder.path().join("thesis.tex")),
        ] {
            let refusal = opened.expect_err("foreign");
            assert!(matches!(refusal, HistoryError::NotAStore(_)), "{refusal}");
        }
        assert_eq!(fs::read_dir(folder.path()).expect("readable").count(), 1);
    }

    #[test]
    fn a_store_of_another_version_is_refused_with_the_version() {
        let folder = folder();
        let manifest = folder.path().join(MANIFEST);
        fs::write(&manifest, r#"{"schema_version": 7}"#).expect("written");
        let refusal = Store::create_or_open(folder.path()).expect_err("unknown");
        assert!(refusal.to_string().contains("schema version 7"), "{refusal}");
        fs::write(&manifest, r#"{"schema_ver"#).expect("written");
        let refusal = Store::open(folder.path()).expect_err("damaged");
        assert!(matches!(refusal, HistoryError::Format { .. }), "{refusal}");
    }
}
