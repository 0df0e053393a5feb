//! A power cut after each operation of a command: synced data are there, and the rest is lost in
//! different combinations. The same command then resumes.
//!
//! State of a disk after a power cut, derived from the operations of a program.
//!
//! The system may write anything at any time; only synced data must be on the disk: the content of
//! a file after a sync of the file, and the names in a folder after a sync of the folder. So a
//! power cut leaves one of many states. Checked are those that differ the most from the state that
//! the program has seen (see [`Cut`]).

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use super::library::{Operation, can_inject};
use super::scenario::{Reference, SCENARIOS, Scenario, planted, rows_kept};
use super::tree::{Tree, of_interest};
use super::trials::Tried;
use crate::common::can_measure;

/// Disk after a power cut.
struct DiskState {
    /// Number of operations before the cut.
    after: usize,
    cut: Cut,
    tree: Tree,
}

#[test]
fn a_few_power_cuts_lose_nothing_that_was_announced() {
    cut_the_power(|left, number| left.into_iter().skip(number).step_by(97).collect());
}

#[test]
#[ignore = "takes minutes: at night"]
fn a_power_cut_after_every_operation_loses_nothing_that_was_announced() {
    cut_the_power(|left, _| left);
}

/// Tries those of the disks after power cuts that are chosen, by the number of the command.
fn cut_the_power(choose: fn(Vec<DiskState>, usize) -> Vec<DiskState>) {
    if !can_inject() || !can_measure() {
        return;
    }
    let mut tried = Tried::default();
    for (number, scenario) in SCENARIOS.iter().enumerate() {
        let reference = Reference::record(scenario);
        announced_is_durable(scenario, &reference);
        let chosen = choose(all_left(&reference), number);
        tried.add(Tried::all(&chosen, |left| check(scenario, &reference, left)));
    }
    tried.assert_none_failed("power cuts");
}

/// Each disk once that a power cut can leave.
fn all_left(reference: &Reference) -> Vec<DiskState> {
    let mut disk = Disk::from_tree(&reference.beginning);
    let mut seen = HashSet::new();
    let mut all = Vec::new();
    for (number, operation) in reference.operations.iter().enumerate() {
        disk.apply(operation);
        for cut in Cut::LOSSES.into_iter().filter(|_| operation.changes()) {
            let tree = disk.left(cut);
            if seen.insert(hash(&tree)) {
                all.push(DiskState { after: number + 1, cut, tree });
            }
        }
    }
    all
}

fn hash(tree: &Tree) -> u64 {
    let mut hasher = DefaultHasher::new();
    tree.hash(&mut hasher);
    hasher.finish()
}

fn check(scenario: &Scenario, reference: &Reference, left: &DiskState) {
    let DiskState { after, cut, tree } = left;
    let last = &reference.operations[after - 1];
    let last = format!("{last:?}").chars().take(200).collect::<String>();
    let story = format!("{}, {after} operations, cut {cut:?}, the last {last}", scenario.name);
    reference.goes_on(scenario, &planted(tree), &story);
}

/// A command that has ended has left all of it on the disk, and so has a run each point that it has
/// done.
fn announced_is_durable(scenario: &Scenario, reference: &Reference) {
    let mut disk = Disk::from_tree(&reference.beginning);
    for operation in &reference.operations {
        disk.apply(operation);
        if *operation == Operation::Sync("r/summary.csv".into()) {
            let rows = |cut| rows_kept(&planted(&disk.left(cut)).join("r"));
            let there = rows(Cut::All);
            let durable = rows(Cut::Nothing);
            assert_eq!(there, durable, "{}: points that were done", scenario.name);
        }
    }
    let there = of_interest(disk.left(Cut::All));
    let durable = of_interest(disk.left(Cut::Nothing));
    for (path, content) in &there {
        let is_durable = durable.get(path) == Some(content);
        assert!(is_durable, "{}: {} is not on the disk", scenario.name, path.display());
    }
    let back: Vec<_> = durable.keys().filter(|path| !there.contains_key(*path)).collect();
    assert!(back.is_empty(), "{}: back after a power cut: {back:?}", scenario.name);
}

/// State of unsynced data after a power cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Nothing.
    Nothing,
    /// All names, with contents as they were synced: files that never were are empty.
    Names,
    /// All names and lengths: where something was to be written there are zeros.
    Lengths,
    /// All of it, as after a kill.
    All,
}

impl Cut {
    /// Those that lose something.
    pub const LOSSES: [Cut; 3] = [Cut::Nothing, Cut::Names, Cut::Lengths];
}

/// A file or folder: as the program sees it, and as it was synced.
enum Object {
    File { now: Vec<u8>, synced: Vec<u8> },
    Folder { now: Names, synced: Names },
}

/// Numbers of objects.
type Names = BTreeMap<OsString, usize>;

/// A disk that is written to.
pub struct Disk {
    /// The first is the folder that all is in.
    objects: Vec<Object>,
}

impl Disk {
    /// A disk with a tree, all of which was synced.
    pub fn from_tree(tree: &Tree) -> Self {
        let mut disk = Disk { objects: vec![Object::folder()] };
        for (path, content) in tree {
            match content {
                None => disk.make(path, Object::folder()),
                Some(bytes) => {
                    disk.make(path, Object::File { now: bytes.clone(), synced: bytes.clone() });
                }
            }
        }
        for object in &mut disk.objects {
            object.sync();
        }
        disk
    }

    /// Does what a program did.
    pub fn apply(&mut self, operation: &Operation) {
        match operation {
            Operation::Create(path) => self.make(path, Object::file()),
            Operation::Folder(path) => self.make(path, Object::folder()),
            Operation::Write { path, offset, bytes } => {
                let content = self.content(path);
                content.resize(content.len().max(offset + bytes.len()), 0);
                content[*offset..offset + bytes.len()].copy_from_slice(bytes);
            }
            Operation::Truncate { path, length } => self.content(path).resize(*length, 0),
            Operation::Copy(path) => *self.content(path) = b"from outside".to_vec(),
            Operation::Sync(path) => {
                let number = self.find(path);
                self.objects[number].sync();
            }
            Operation::Rename { from, to } => {
                let number = self.find(from);
                self.names(from).remove(from.file_name().expect("a name"));
                self.names(to).insert(to.file_name().expect("a name").to_owned(), number);
            }
            Operation::Remove(path) => {
                self.names(path).remove(path.file_name().expect("a name"));
            }
            Operation::Mode | Operation::Read => {}
        }
    }

    /// Returns the files after the power cut.
    pub fn left(&self, cut: Cut) -> Tree {
        let mut tree = Tree::new();
        self.gather(0, Path::new(""), cut, &mut tree);
        tree
    }

    fn gather(&self, folder: usize, below: &Path, cut: Cut, tree: &mut Tree) {
        let Object::Folder { now, synced } = &self.objects[folder] else { return };
        let names = if cut == Cut::Nothing { synced } else { now };
        for (name, &number) in names {
            let path = below.join(name);
            match &self.objects[number] {
                Object::File { now, synced } => {
                    tree.insert(path, Some(content_left(now, synced, cut)));
                }
                Object::Folder { .. } => {
                    tree.insert(path.clone(), None);
                    self.gather(number, &path, cut, tree);
                }
            }
        }
    }

    fn make(&mut self, path: &Path, object: Object) {
        let number = self.objects.len();
        self.objects.push(object);
        self.names(path).insert(path.file_name().expect("a name").to_owned(), number);
    }

    /// The number of the object at a path.
    fn find(&self, path: &Path) -> usize {
        path.iter().fold(0, |folder, name| match &self.objects[folder] {
            Object::Folder { now, .. } => {
                *now.get(name).unwrap_or_else(|| panic!("no {}", path.display()))
            }
            Object::File { .. } => panic!("{} is below a file", path.display()),
        })
    }

    /// The names in the folder that something is in.
    fn names(&mut self, path: &Path) -> &mut Names {
        let folder: PathBuf = path.parent().expect("a folder").to_owned();
        let number = self.find(&folder);
        match &mut self.objects[number] {
            Object::Folder { now, .. } => now,
            Object::File { .. } => panic!("{} is a file", folder.display()),
        }
    }

    fn content(&mut self, path: &Path) -> &mut Vec<u8> {
        let number = self.find(path);
        match &mut self.objects[number] {
            Object::File { now, .. } => now,
            Object::Folder { .. } => panic!("{} is a folder", path.display()),
        }
    }
}

impl Object {
    fn file() -> Self {
        Object::File { now: Vec::new(), synced: Vec::new() }
    }

    fn folder() -> Self {
        Object::Folder { now: Names::new(), synced: Names::new() }
    }

    fn sync(&mut self) {
        match self {
            Object::File { now, synced } => synced.clone_from(now),
            Object::Folder { now, synced } => synced.clone_from(now),
        }
    }
}

fn content_left(now: &[u8], synced: &[u8], cut: Cut) -> Vec<u8> {
    let mut content = if cut == Cut::All { now } else { synced }.to_vec();
    if cut == Cut::Lengths {
        content.resize(now.len(), 0);
    }
    content
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(tree: &Tree, path: &str) -> Option<String> {
        let content = tree.get(Path::new(path))?.clone()?;
        Some(String::from_utf8(content).expect("a text"))
    }

    #[test]
    fn unsynced_data_are_lost() {
        let old = Tree::from([("a".into(), Some(b"old".to_vec()))]);
        let mut disk = Disk::from_tree(&old);
        let written = |path: &str, bytes: &[u8]| Operation::Write {
            path: path.into(),
            offset: 0,
            bytes: bytes.to_vec(),
        };
        disk.apply(&Operation::Create("b".into()));
        disk.apply(&written("b", b"new"));
        disk.apply(&Operation::Rename { from: "b".into(), to: "a".into() });
        assert_eq!(text(&disk.left(Cut::Nothing), "a").as_deref(), Some("old"));
        assert_eq!(text(&disk.left(Cut::Names), "a").as_deref(), Some(""));
        assert_eq!(text(&disk.left(Cut::Lengths), "a").as_deref(), Some("\0\0\0"));
        assert_eq!(text(&disk.left(Cut::All), "a").as_deref(), Some("new"));
        disk.apply(&Operation::Sync("a".into()));
        assert_eq!(text(&disk.left(Cut::Nothing), "a").as_deref(), Some("old"));
        assert_eq!(text(&disk.left(Cut::Names), "a").as_deref(), Some("new"));
        disk.apply(&Operation::Sync("".into()));
        assert_eq!(disk.left(Cut::Nothing), disk.left(Cut::All));
    }
}
