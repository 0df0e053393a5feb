//! A file while it is written, and drafts of killed processes.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use super::target::sync_folder;
use super::target::{Links, Target, folder_of};

/// A file while it is written. Dropped, it leaves everything as it was.
pub struct AtomicFile(Kind);

enum Kind {
    Direct(File),
    Replace(TempFile),
}

/// A draft in the folder of the file that it will replace.
struct TempFile {
    file: File,
    draft: PathBuf,
    path: PathBuf,
    is_finished: bool,
}

impl AtomicFile {
    /// Starts to write a file.
    ///
    /// # Errors
    /// If nothing can be written there.
    pub fn new(path: &Path, links: Links) -> io::Result<Self> {
        let kind = match Target::resolve(path, links)? {
            Target::Direct(path) => Kind::Direct(OpenOptions::new().write(true).open(path)?),
            Target::Replace(path) => Kind::Replace(TempFile::new(path)?),
        };
        Ok(AtomicFile(kind))
    }

    /// Replaces the file with the draft. The content is on disk when this returns, as far as the
    /// system reports it.
    ///
    /// # Errors
    /// If it can't be replaced; the file is unchanged then, unless only the sync of the folder
    /// failed.
    pub fn finish(self) -> io::Result<()> {
        match self.0 {
            Kind::Direct(mut file) => file.flush(),
            Kind::Replace(draft) => draft.finish().map(drop),
        }
    }

    /// Replaces the file with the draft and returns the open file, for appending. It is locked as
    /// long as it is open.
    ///
    /// # Errors
    /// Those of [`AtomicFile::finish`].
    pub fn finish_open(self) -> io::Result<File> {
        match self.0 {
            Kind::Direct(file) => Ok(file),
            Kind::Replace(draft) => draft.finish(),
        }
    }
}

impl TempFile {
    fn new(path: PathBuf) -> io::Result<Self> {
        let beginning = beginning(path.file_name().ok_or(ErrorKind::IsADirectory)?);
        if path.is_dir() && !path.is_symlink() {
            return Err(ErrorKind::IsADirectory.into());
        }
        clean(&path);
        let there = fs::metadata(&path).ok().filter(|_| !path.is_symlink());
        let (file, draft) = locked(folder_of(&path), &beginning)?;
        let draft_file = TempFile { file, draft, path, is_finished: false };
        if let Some(there) = there {
            draft_file.keep_permissions(there.permissions())?;
        }
        Ok(draft_file)
    }

    /// Keeps the permissions of the replaced file. They are not set where they are equal already,
    /// because some file systems have no permissions to set.
    fn keep_permissions(&self, before: Permissions) -> io::Result<()> {
        if self.file.metadata()?.permissions() == before {
            return Ok(());
        }
        self.file.set_permissions(before)
    }

    fn finish(mut self) -> io::Result<File> {
        self.file.sync_all()?;
        // Before the name changes: then nothing may fail any more that leaves it changed.
        let file = self.file.try_clone()?;
        fs::rename(&self.draft, &self.path)?;
        self.is_finished = true;
        sync_folder(folder_of(&self.path))?;
        Ok(file)
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        if !self.is_finished {
            let _ = fs::remove_file(&self.draft);
        }
    }
}

/// Creates a locked draft, which cleaning does not remove. Before it is locked, another process may
/// have removed it.
fn locked(folder: &Path, beginning: &str) -> io::Result<(File, PathBuf)> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = NUMBER.fetch_add(1, Relaxed);
        let draft = folder.join(format!("{beginning}{}-{number}{ENDING}", std::process::id()));
        let file = match OpenOptions::new().append(true).create_new(true).open(&draft) {
            // Of a process on another machine, or of an earlier one with the same ID.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
            file => file?,
        };
        match file.try_lock() {
            Ok(()) if draft.exists() => return Ok((file, draft)),
            // Another process is removing it.
            Ok(()) | Err(TryLockError::WouldBlock) => {}
            // Some file systems have no locks: there no process removes drafts.
            Err(TryLockError::Error(_)) => return Ok((file, draft)),
        }
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            Kind::Direct(file) => file.write(bytes),
            Kind::Replace(draft) => draft.file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            Kind::Direct(file) => file.flush(),
            Kind::Replace(draft) => draft.file.flush(),
        }
    }
}

/// Ending of a draft's name, which no program that collects files looks for.
pub(crate) const ENDING: &str = ".draft";

/// Bytes of a file's name that are part of the names of its drafts: names have 255 bytes at most.
const MAX_BYTES: usize = 160;

/// Prefix of the names of all drafts of a file.
pub(crate) fn beginning(name: &OsStr) -> String {
    let name = name.to_string_lossy();
    format!(".{}.", &name[..name.floor_char_boundary(MAX_BYTES)])
}

/// Removes the abandoned drafts of a file: a process that writes one holds a lock. Drafts that
/// can't be removed are ignored.
pub fn clean(path: &Path) {
    let Some(name) = path.file_name() else { return };
    let Ok(entries) = fs::read_dir(folder_of(path)) else { return };
    let beginning = beginning(name);
    for entry in entries.flatten() {
        let other = entry.file_name();
        let other = other.to_string_lossy();
        let is_draft = other.starts_with(&beginning) && other.ends_with(ENDING);
        let is_free = || {
            let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
            is_file && File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok())
        };
        if is_draft && is_free() {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::process::Command;
    use std::thread;

    use super::*;
    use crate::{write, write_own};

    /// The names in a folder.
    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("readable");
        let names = entries.map(|entry| entry.expect("one").file_name());
        let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into()).collect();
        names.sort();
        names
    }

    fn text(path: &Path) -> String {
        fs::read_to_string(path).expect("readable")
    }

    #[test]
    fn the_old_content_is_there_until_the_new_one_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("report.html");
        write(&path, "old").expect("written");
        let mut draft = AtomicFile::new(&path, Links::Followed).expect("begun");
        draft.write_all(b"ne").expect("written");
        assert_eq!(text(&path), "old");
        draft.write_all(b"w").expect("written");
        draft.finish().expect("finished");
        assert_eq!(text(&path), "new");
        assert_eq!(names(folder.path()), ["report.html"]);
        drop(AtomicFile::new(&path, Links::Followed).expect("begun"));
        assert_eq!(names(folder.path()), ["report.html"], "nothing is left");
    }

    #[test]
    fn a_file_keeps_its_permissions() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        write(&path, "old").expect("written");
        fs::set_permissions(&path, Permissions::from_mode(0o640)).expect("set");
        write(&path, "new").expect("written");
        let mode = fs::metadata(&path).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
    }

    #[test]
    fn links_to_named_files_are_followed_and_others_are_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("elsewhere")).expect("made");
        fs::write(at("elsewhere/target"), "old").expect("written");
        symlink("elsewhere/target", at("link")).expect("linked");
        symlink("link", at("again")).expect("linked");
        write(&at("again"), "new").expect("written");
        assert_eq!(text(&at("elsewhere/target")), "new");
        assert!(at("again").is_symlink() && at("link").is_symlink());
        symlink("elsewhere/nothing", at("dangling")).expect("linked");
        write(&at("dangling"), "made").expect("written");
        assert_eq!(text(&at("elsewhere/nothing")), "made");
        write_own(&at("link"), "own").expect("written");
        assert!(!at("link").is_symlink());
        assert_eq!(
            (text(&at("link")), text(&at("elsewhere/target"))),
            ("own".into(), "new".into())
        );
        symlink("round", at("round")).expect("linked");
        assert!(write(&at("round"), "").is_err());
    }

    #[test]
    fn irregular_files_are_written_directly() {
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = folder.path().join("pipe");
        let made = Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs");
        assert!(made.success());
        let reader = thread::spawn({
            let pipe = pipe.clone();
            move || {
                let mut read = String::new();
                File::open(pipe).and_then(|mut file| file.read_to_string(&mut read)).map(|_| read)
            }
        });
        write(&pipe, "through").expect("written");
        assert_eq!(reader.join().expect("no panic").expect("read"), "through");
        assert_eq!(names(folder.path()), ["pipe"]);
        write(Path::new("/dev/null"), "nothing").expect("written");
        assert!(!fs::metadata("/dev/null").expect("there").is_file());
        assert!(write(folder.path(), "").is_err());
        assert!(write_own(folder.path(), "").is_err());
    }

    #[test]
    fn abandoned_drafts_are_removed_and_active_ones_are_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        for left in [".page.html.a1b2.draft", ".other.html.a1b2.draft", ".page.html.txt"] {
            fs::write(at(left), "half").expect("written");
        }
        let other = AtomicFile::new(&at("page.html"), Links::Followed).expect("begun");
        assert_eq!(names(folder.path()).len(), 3, "one was left, one is being written");
        write(&at("page.html"), "whole").expect("written");
        other.finish().expect("finished");
        let expected = [".other.html.a1b2.draft", ".page.html.txt", "page.html"];
        assert_eq!(names(folder.path()), expected);
    }

    #[test]
    fn where_nothing_can_be_written_nothing_changes() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(write(&folder.path().join("no/such/file"), "").is_err());
        assert!(names(folder.path()).is_empty());
    }
}
