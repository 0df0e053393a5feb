//! The folder of a store: opening, creation, exclusive writing, and hashes and copies of the files
//! of runs.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use super::HistoryError;
use crate::store::{
    QUALITY, RUN, SAMPLES, SUMMARY, StoreError, Versioned, open_file, read_versioned,
};

/// The version of the store's layout; run folders have their own.
pub(super) const STORE_VERSION: u32 = 1;
const MANIFEST: &str = "store.json";
const INCOMING: &str = "incoming";
const TRASH: &str = "trash";
/// Names in a store in addition to its manifest; earlier versions had an index.
const PARTS: [&str; 12] = [
    "runs",
    "bases",
    "executables",
    "plugins",
    INCOMING,
    "accepted",
    "accepted-shifts.toml",
    "machine-keys.json",
    TRASH,
    "selftest",
    "index.csv",
    "lock",
];

/// A folder with runs.
#[derive(Clone, Debug)]
pub struct Store {
    root: PathBuf,
}

/// Exclusive right to write to a store: a lock that the system releases when the process ends, for
/// any reason.
pub(super) struct Writer<'a> {
    store: &'a Store,
    _lock: File,
}

impl Store {
    /// Opens an existing store.
    ///
    /// # Errors
    /// If there is none, or one of another version.
    pub fn open(root: &Path) -> Result<Self, HistoryError> {
        let store = Store { root: root.to_owned() };
        match read_json::<Versioned>(&root.join(MANIFEST), STORE_VERSION)? {
            Some(_) => Ok(store),
            None if is_free(root)? => Err(HistoryError::Missing(store.root)),
            None => Err(HistoryError::NotAStore(store.root)),
        }
    }

    /// Opens a store, and creates it if there is none.
    ///
    /// # Errors
    /// If the folder can't be written, contains something else or a store of another version.
    pub fn create_or_open(root: &Path) -> Result<Self, HistoryError> {
        match Store::open(root) {
            Err(HistoryError::Missing(_)) => {}
            opened => return opened,
        }
        let store = Store { root: root.to_owned() };
        create_folder(&store.runs_folder())?;
        // A process that creates the store concurrently writes the same content.
        let manifest = Versioned { schema_version: STORE_VERSION };
        store.writer()?.replace_json(&root.join(MANIFEST), &manifest)?;
        Ok(store)
    }

    /// Path of the store.
    pub fn root(&self) -> &Path {
        &self.root
    }

    pub(super) fn runs_folder(&self) -> PathBuf {
        self.root.join("runs")
    }

    /// The folder of the run with an id, which need not exist.
    pub fn run_folder(&self, id: &str) -> PathBuf {
        self.runs_folder().join(id)
    }

    /// Checks that the store can be written. Waits until no other process writes to it.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn check_writable(&self) -> Result<(), HistoryError> {
        let writer = self.writer()?;
        create_folder(&self.runs_folder())?;
        write_new(&writer.draft("probe")?, b"")
    }

    /// Waits until no other process writes, and locks the store.
    pub(super) fn writer(&self) -> Result<Writer<'_>, HistoryError> {
        let path = self.root.join("lock");
        let lock = || {
            let file = File::options().create(true).append(true).open(&path)?;
            file.lock()?;
            Ok(file)
        };
        let lock = lock().map_err(|source| HistoryError::io(&path, source))?;
        let writer = Writer { store: self, _lock: lock };
        writer.clear();
        Ok(writer)
    }
}

impl Writer<'_> {
    /// Path for a file or folder that is still incomplete and never listed.
    pub(super) fn draft(&self, name: &str) -> Result<PathBuf, HistoryError> {
        self.work(INCOMING, name)
    }

    /// Removes a file or folder by one rename to the trash.
    pub(super) fn discard(&self, path: &Path) -> Result<(), HistoryError> {
        rename(path, &self.work(TRASH, "old")?)?;
        path.parent().map_or(Ok(()), sync_folder)?;
        let _ = fs::remove_dir_all(self.store.root.join(TRASH));
        Ok(())
    }

    /// Replaces a file atomically, and waits until it is on disk.
    pub(super) fn replace_json(
        &self,
        path: &Path,
        value: &impl Serialize,
    ) -> Result<(), HistoryError> {
        path.parent().map_or(Ok(()), create_folder)?;
        let draft = self.draft("file")?;
        write_json(&draft, value)?;
        rename(&draft, path)
    }

    /// Removes leftovers of this writer or of a killed one. Leftovers that can't be removed are
    /// harmless, as they are never listed.
    fn clear(&self) {
        for folder in [INCOMING, TRASH] {
            let _ = fs::remove_dir_all(self.store.root.join(folder));
        }
    }

    fn work(&self, folder: &str, name: &str) -> Result<PathBuf, HistoryError> {
        let folder = self.store.root.join(folder);
        create_folder(&folder)?;
        Ok(folder.join(name))
    }
}

impl Drop for Writer<'_> {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Reads a JSON file of a known version; `None` if it does not exist.
pub(super) fn read_json<T: DeserializeOwned>(
    path: &Path,
    known: u32,
) -> Result<Option<T>, HistoryError> {
    match read_versioned(path, known) {
        Ok(value) => Ok(Some(value)),
        Err(StoreError::NoRun(_)) => Ok(None),
        Err(StoreError::Format { path, problem }) => Err(HistoryError::Format { path, problem }),
        Err(error) => Err(error.into()),
    }
}

/// Writes a new JSON file, and waits until it is on disk.
pub(super) fn write_json(path: &Path, value: &impl Serialize) -> Result<(), HistoryError> {
    let text = serde_json::to_string_pretty(value);
    let text = text.map_err(|error| HistoryError::format(path, error))?;
    write_new(path, (text + "\n").as_bytes())
}

/// Writes a file that must not exist yet, and waits until it is on disk.
pub(super) fn write_new(path: &Path, bytes: &[u8]) -> Result<(), HistoryError> {
    let write = || {
        let mut file = File::create_new(path)?;
        file.write_all(bytes)?;
        file.sync_all()
    };
    write().map_err(|source| HistoryError::io(path, source))
}

/// Waits until the names in a folder are on disk.
pub(super) fn sync_folder(path: &Path) -> Result<(), HistoryError> {
    files::sync_folder(path).map_err(|source| HistoryError::io(path, source))
}

/// Renames a file or folder, and waits until that is on disk.
pub(super) fn rename(from: &Path, to: &Path) -> Result<(), HistoryError> {
    fs::rename(from, to).map_err(|source| HistoryError::io(to, source))?;
    to.parent().map_or(Ok(()), sync_folder)
}

/// Creates a folder and its parents as needed, and waits until they are on disk.
pub(super) fn create_folder(path: &Path) -> Result<(), HistoryError> {
    files::create_folder(path).map_err(|source| HistoryError::io(path, source))
}

/// Content of a folder; empty if it does not exist.
pub(super) fn entries(folder: &Path) -> Result<Vec<PathBuf>, HistoryError> {
    let read =
        || -> io::Result<_> { fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect() };
    match read() {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(vec![]),
        entries => entries.map_err(|source| {
            let path = folder.to_owned();
            HistoryError::Io { path, source, remedy: "" }
        }),
    }
}

/// True if a store may be created here: the folder is missing or empty, or contains only leftovers
/// of a writer that was killed while it created the store.
fn is_free(root: &Path) -> Result<bool, HistoryError> {
    if root.exists() && !root.is_dir() {
        return Ok(false);
    }
    let is_part = |path: &PathBuf| PARTS.iter().any(|part| path.ends_with(part));
    Ok(entries(root)?.iter().all(is_part))
}

/// Files of every run.
pub(super) const FILES: [&str; 3] = [RUN, SAMPLES, SUMMARY];

/// Optional files: counts of quality, and samples that runs of earlier versions repeated.
const OPTIONAL: [&str; 2] = ["disturbed.csv", QUALITY];

/// The files of a run, opened: the required ones, and optional ones that exist.
fn files(folder: &Path) -> impl Iterator<Item = Result<(&'static str, File), HistoryError>> {
    let optional = OPTIONAL.into_iter().filter(|name| folder.join(name).exists());
    let names = FILES.into_iter().chain(optional);
    names.map(|name| Ok((name, open_file(&folder.join(name))?)))
}

/// The SHA-256 of names, lengths and bytes of the files, in hexadecimal.
pub(super) fn hash(folder: &Path) -> Result<String, HistoryError> {
    let mut hash = Sha256::new();
    for file in files(folder) {
        let (name, file) = file?;
        hash.update(name.as_bytes());
        let read = add(&mut hash, file);
        read.map_err(|source| HistoryError::io(&folder.join(name), source))?;
    }
    Ok(hex(&hash.finalize()))
}

/// Hashes the length and the bytes of a file, block by block.
fn add(hash: &mut Sha256, file: File) -> io::Result<()> {
    hash.update(file.metadata()?.len().to_le_bytes());
    let mut file = BufReader::with_capacity(1 << 20, file);
    loop {
        let portion = file.fill_buf()?;
        if portion.is_empty() {
            return Ok(());
        }
        hash.update(portion);
        let count = portion.len();
        file.consume(count);
    }
}

/// Copies the files into a new folder, and waits until they are on disk.
pub(super) fn copy(from: &Path, to: &Path) -> Result<(), HistoryError> {
    create_folder(to)?;
    files(from).try_for_each(|file| {
        let (name, mut file) = file?;
        let path = to.join(name);
        let copied = File::create_new(&path).and_then(|mut copy| {
            io::copy(&mut file, &mut copy)?;
            copy.sync_all()
        });
        copied.map_err(|source| HistoryError::io(&path, source))
    })
}

/// A short hash of a text, in hexadecimal.
pub(crate) fn short_hash(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes())[..8])
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    use super::super::testing::{TestStore, folder};
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
    fn writers_wait_for_each_other_and_clear_what_killed_ones_left() {
        let fixture = TestStore::new();
        let left = fixture.store.root().join("incoming/1-dead-0");
        fs::create_dir_all(left.join("run")).expect("made");
        let first = fixture.store.writer().expect("alone");
        assert!(!left.exists());
        thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            let store = &fixture.store;
            scope.spawn(move || sender.send(store.writer().is_ok()));
            assert!(receiver.recv_timeout(Duration::from_millis(200)).is_err(), "two at once");
            drop(first);
            assert_eq!(receiver.recv(), Ok(true));
        });
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
