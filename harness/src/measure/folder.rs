//! Where results go that are given no folder.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The last second that has four digits for its year.
const LAST: Duration = Duration::from_secs(253_402_300_799);

/// UTC, RFC 3339; of a clock that is before 1970 or after 9999 the nearest that can be written.
pub(crate) fn now() -> String {
    written(SystemTime::now())
}

/// What is wrong with the clock, if that is to be seen.
pub(crate) fn clock_problem() -> Option<String> {
    let now = SystemTime::now();
    (within(now) != now).then(|| {
        "the clock is before 1970 or after 9999: times of this record are not those of the run; \
         set the clock"
            .to_owned()
    })
}

fn within(time: SystemTime) -> SystemTime {
    time.clamp(UNIX_EPOCH, UNIX_EPOCH + LAST)
}

fn written(time: SystemTime) -> String {
    humantime::format_rfc3339_seconds(within(time)).to_string()
}

/// `results/20261120T093000Z-sort`, with a number behind it if that is taken.
/// Nothing is made: who makes it has to see that nobody else did meanwhile.
pub(crate) fn default_folder(name: &str) -> PathBuf {
    let base = timed(name);
    let free = numbered(&base).find(|path| !path.exists());
    free.unwrap_or(base)
}

/// The same as a new folder, which nobody else has.
///
/// # Errors
/// If it can't be made, with its path.
pub(crate) fn new_folder(name: &str) -> Result<PathBuf, (PathBuf, io::Error)> {
    claim(&timed(name))
}

fn timed(name: &str) -> PathBuf {
    let time = now().replace(['-', ':'], "");
    PathBuf::from(format!("results/{time}-{name}"))
}

/// `base`, `base-2`, `base-3`, …
fn numbered(base: &Path) -> impl Iterator<Item = PathBuf> {
    let name = base.display().to_string();
    let others = (2..).map(move |number| PathBuf::from(format!("{name}-{number}")));
    std::iter::once(base.to_owned()).chain(others)
}

/// Makes the first of the folders that is not there: looking and making are one.
fn claim(base: &Path) -> Result<PathBuf, (PathBuf, io::Error)> {
    if let Some(parent) = base.parent() {
        fs::create_dir_all(parent).map_err(|error| (parent.to_owned(), error))?;
    }
    for folder in numbered(base) {
        match fs::create_dir(&folder) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err((folder, error)),
            Ok(()) => return Ok(folder),
        }
    }
    Err((base.to_owned(), ErrorKind::AlreadyExists.into()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::thread;

    use super::*;

    #[test]
    fn any_clock_can_be_written() {
        let year = Duration::from_secs(366 * 86_400);
        assert_eq!(written(UNIX_EPOCH - year), "1970-01-01T00:00:00Z");
        assert_eq!(written(UNIX_EPOCH + LAST), "9999-12-31T23:59:59Z");
        assert_eq!(written(UNIX_EPOCH + LAST + year), "9999-12-31T23:59:59Z");
        assert_eq!(written(UNIX_EPOCH + year), "1971-01-02T00:00:00Z");
        assert_eq!(clock_problem(), None, "of this machine");
    }

    #[test]
    fn those_who_come_at_once_get_folders_of_their_own() {
        const COMERS: usize = 8;
        let parent = tempfile::tempdir().expect("a temporary folder");
        let base = parent.path().join("results/now-confirm");
        let folders: BTreeSet<PathBuf> = thread::scope(|scope| {
            let comers: Vec<_> = (0..COMERS).map(|_| scope.spawn(|| claim(&base))).collect();
            let claimed = comers.into_iter().map(|comer| comer.join().expect("no panic"));
            claimed.map(|folder| folder.expect("made")).collect()
        });
        assert_eq!(folders.len(), COMERS);
        assert!(folders.contains(&base) && folders.iter().all(|folder| folder.is_dir()));
    }

    #[test]
    fn what_cannot_be_made_is_named() {
        let parent = tempfile::tempdir().expect("a temporary folder");
        let file = parent.path().join("results");
        fs::write(&file, "").expect("written");
        let (path, _) = claim(&file.join("now")).expect_err("a file is no folder");
        assert_eq!(path, file);
    }
}
