//! The store of runs on full and on read-only disks.
//!
//! Small file systems in memory are mounted for it where that is allowed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{finished, folder, row};
use reports::history::{Added, Filter, HistoryError, Store, Unfinished};
use reports::record::RunRecord;
use reports::store::RunFolder;

/// A mounted file system, until it is dropped.
struct Disk {
    folder: tempfile::TempDir,
}

impl Disk {
    /// Mounts it; `None`, with a message, if mounting is not allowed.
    fn mount(options: &str) -> Option<Self> {
        let disk = Disk { folder: folder() };
        if !mount(&["-t", "tmpfs", "-o", options, "recobench"], disk.path()) {
            eprintln!("skipped: file systems can't be mounted here");
            return None;
        }
        Some(disk)
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.path()).output();
    }
}

fn mount(arguments: &[&str], folder: &Path) -> bool {
    let output = Command::new("mount").args(arguments).arg(folder).output();
    output.is_ok_and(|output| output.status.success())
}

/// A finished run whose notes take `bytes` bytes.
fn write_run(folder: &Path, seed: u64, bytes: usize) -> PathBuf {
    let path = folder.join(format!("run-{seed}"));
    let record = RunRecord { notes: vec!["x".repeat(bytes)], ..finished(seed) };
    let mut run = RunFolder::create(&path, &record).expect("created");
    run.append_summary(&[row("")]).expect("written");
    path
}

fn listed(store: &Store) -> usize {
    let entries = store.list(&Filter::default()).expect("listed");
    let whole = entries.iter().filter(|entry| entry.run.problem.is_none());
    assert_eq!(whole.count(), entries.len());
    entries.len()
}

#[test]
fn a_full_disk_keeps_stored_runs_and_accepts_more_after_freeing_space() {
    let Some(disk) = Disk::mount("size=512k") else {
        return;
    };
    let sources = folder();
    let store = Store::create_or_open(&disk.path().join("store")).expect("made");
    let mut stored = 0;
    let (source, error) = loop {
        let source = write_run(sources.path(), stored, 50_000);
        match store.add(&source, Unfinished::Refuse) {
            Ok(_) => stored += 1,
            Err(error) => break (source, error),
        }
    };
    let text = error.to_string();
    assert!(matches!(error, HistoryError::NotStored { .. }), "{text}");
    assert!(text.contains("No space left") && text.contains("free space"), "{text}");
    assert!(text.contains(&source.display().to_string()), "{text}");
    assert!(stored >= 3 && listed(&store) as u64 == stored, "{stored}");
    assert!(!store.root().join("incoming").exists());
    assert!(mount(&["-o", "remount,size=2m"], disk.path()), "more room");
    let added = store.add(&source, Unfinished::Refuse).expect("added");
    assert!(matches!(added, Added::New(_)));
}

#[test]
fn a_read_only_store_is_listed_and_takes_nothing() {
    let Some(disk) = Disk::mount("size=1m") else {
        return;
    };
    let sources = folder();
    let store = Store::create_or_open(&disk.path().join("store")).expect("made");
    let first = write_run(sources.path(), 1, 0);
    let first = store.add(&first, Unfinished::Refuse).expect("added");
    assert!(mount(&["-o", "remount,ro"], disk.path()), "read-only");
    assert_eq!(listed(&store), 1);
    let second = write_run(sources.path(), 2, 0);
    let refusals = [
        store.add(&second, Unfinished::Refuse).map(drop),
        store.accept(first.id(), ""),
        Store::create_or_open(&disk.path().join("other")).map(drop),
    ];
    for refusal in refusals {
        let text = refusal.expect_err("read-only").to_string();
        assert!(text.contains("make the store writable"), "{text}");
    }
}

#[test]
fn a_file_instead_of_a_folder_is_named() {
    let folder = folder();
    let store = Store::create_or_open(&folder.path().join("store")).expect("made");
    fs::remove_dir(store.root().join("runs")).expect("removed");
    fs::write(store.root().join("runs"), "").expect("written");
    let source = write_run(folder.path(), 1, 0);
    let error = store.add(&source, Unfinished::Refuse).expect_err("no folder");
    let text = error.to_string();
    assert!(text.contains("store/runs"), "{text}");
    assert!(text.contains("run-1"), "{text}");
}
