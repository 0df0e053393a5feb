//! A folder for the files of readers that need paths; in memory, where the system supports it.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::{TempDir, tempdir, tempdir_in};

/// Nothing is written to a disk there.
const IN_MEMORY: &str = "/dev/shm";

/// A folder of this thread.
pub(crate) struct Scratch(TempDir);

thread_local! {
    static SCRATCH: Scratch = Scratch(folder());
}

fn folder() -> TempDir {
    // A fuzzer sets another folder, and leaves its files there.
    let in_memory =
        || if std::env::var_os("TMPDIR").is_some() { tempdir() } else { tempdir_in(IN_MEMORY) };
    in_memory().or_else(|_| tempdir()).expect("a folder")
}

pub(crate) fn with(read: impl FnOnce(&Scratch) -> bool) -> bool {
    SCRATCH.with(read)
}

impl Scratch {
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn file(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).expect("written");
        path
    }

    /// A folder in which nothing is.
    pub(crate) fn folder(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        if path.exists() {
            fs::remove_dir_all(&path).expect("removed");
        }
        fs::create_dir(&path).expect("made");
        path
    }
}

/// Reads a file, writes the result to another one of that name, and checks that it reads back as
/// the same.
pub(crate) fn comes_back<T, E>(
    scratch: &Scratch,
    name: &str,
    input: &[u8],
    read: impl Fn(&Path) -> Result<T, E>,
    write: impl Fn(&Path, &T) -> Result<(), E>,
) -> bool
where
    T: PartialEq,
    E: std::fmt::Display,
{
    let value = match read(&scratch.file(name, input)) {
        Ok(value) => value,
        Err(error) => return refused(&error, name),
    };
    let again = scratch.path(&format!("again-{name}"));
    write(&again, &value).unwrap_or_else(|error| panic!("what was read is written: {error}"));
    let read = read(&again).unwrap_or_else(|error| panic!("what was written is read: {error}"));
    assert!(read == value, "what is read is what was written");
    true
}

/// A refusal has to name the file.
pub(crate) fn refused(error: &impl std::fmt::Display, name: &str) -> bool {
    let error = error.to_string();
    assert!(error.contains(name), "{error}");
    false
}
