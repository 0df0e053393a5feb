//! Concurrent writers of a store of runs that are killed at any moment: they lose nothing that they
//! reported, and leave nothing incomplete.
//!
//! The writers are this test program, started again with a task in its environment. Each writes a
//! journal, one line per write: what it is about to do, and what was done.

use std::collections::BTreeSet;
use std::error::Error;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::common::{finished, row};
use reports::history::{Added, Entry, Filter, Retention, Store, Unfinished};
use reports::record::SampleRow;
use reports::store::{Run, RunFolder};
use statistics::synthetic::Noise;

/// Lifetime of a writer: some adds, the last of them interrupted.
const LIFE: Duration = Duration::from_millis(30);
/// Maximum lifetime of a writer whose test was killed itself.
const MAX_LIFE: Duration = Duration::from_secs(300);
/// Maximum number of runs that a writer adds: otherwise slow checks would lead to ever more runs to
/// check.
const MAX_ADDED: u64 = 10;
/// Number of runs that are kept when old ones are deleted.
const KEEP: usize = 30;
const FILES: [&str; 3] = ["run.json", "samples.csv", "summary.csv"];

const TASK: &str = "RECOBENCH_TEST_TASK";
const FOLDER: &str = "RECOBENCH_TEST_FOLDER";
const NUMBER: &str = "RECOBENCH_TEST_NUMBER";

/// Task of a writer until it is killed.
#[derive(Clone, Copy, Debug)]
enum Task {
    Add,
    Accept,
    Prune,
}

/// A folder with a store, the runs that were added to it, and journals.
struct Range {
    _folder: tempfile::TempDir,
    path: PathBuf,
    store: Store,
    started: usize,
}

/// A running writer.
struct Writer {
    task: Task,
    /// File of its standard error.
    errors: PathBuf,
    child: Child,
    ends: Instant,
}

#[test]
fn kills_lose_and_corrupt_nothing() {
    kills_while_runs_are_added(80);
}

#[test]
fn kills_while_old_runs_are_deleted_lose_no_others() {
    kills_while_runs_are_deleted(80);
}

#[test]
#[ignore = "takes minutes; .ci/nightly runs it"]
fn a_thousand_kills() {
    kills_while_runs_are_added(500);
    kills_while_runs_are_deleted(500);
}

fn kills_while_runs_are_added(kills: usize) {
    use Task::{Accept, Add};
    let range = siege(&[Add, Add, Add, Accept], kills);
    let stored: BTreeSet<String> = range.list().into_iter().map(|entry| entry.run.id).collect();
    for number in 0..=range.started {
        for id in range.lines(&format!("added-{number}")) {
            assert!(stored.contains(&id), "reported as stored: {id}");
        }
    }
}

fn kills_while_runs_are_deleted(kills: usize) {
    use Task::{Accept, Add, Prune};
    siege(&[Add, Add, Accept, Prune], kills);
}

/// Runs writers, one of which is killed and replaced `kills` times, and on a slow machine until
/// there are enough runs.
fn siege(tasks: &[Task], kills: usize) -> Range {
    let mut range = Range::new();
    // The same sequence of times in each test run, as far as possible.
    let mut random = Noise::new(1);
    let mut writers: Vec<Writer> =
        tasks.iter().map(|task| range.start(*task, &mut random)).collect();
    let mut killed = 0;
    while killed < kills || range.list().len() < KEEP {
        let next = writers.iter_mut().min_by_key(|writer| writer.ends);
        let writer = next.expect("there are writers");
        writer.kill();
        killed += 1;
        match killed {
            it if it % 40 == 0 => range.check_thoroughly(),
            it if it % 5 == 0 => range.check_quickly(),
            _ => {}
        }
        *writer = range.start(writer.task, &mut random);
    }
    drop(writers);
    range.check_thoroughly();
    range.check_that_nothing_is_left();
    range
}

#[test]
fn eight_writers_at_once_add_everything_once() {
    const WRITERS: usize = 8;
    const RUNS: u64 = 20;
    let range = Range::new();
    for seed in 0..RUNS {
        write_run(&range.path, seed);
    }
    let added: Vec<Added> = thread::scope(|scope| {
        let add_all = || {
            let store = Store::create_or_open(range.store.root()).expect("opened");
            (0..RUNS)
                .map(|seed| {
                    let source = source(&range.path, seed);
                    store.add(&source, Unfinished::Refuse).expect("added")
                })
                .collect::<Vec<_>>()
        };
        let writers: Vec<_> = (0..WRITERS).map(|_| scope.spawn(add_all)).collect();
        let added = writers.into_iter().map(|it| it.join().expect("no panic"));
        added.flatten().collect()
    });
    let new = added.iter().filter(|it| matches!(it, Added::New(_))).count();
    let repaired = added.iter().filter(|it| matches!(it, Added::Repaired(_))).count();
    assert_eq!((new as u64, repaired), (RUNS, 0));
    assert_eq!(range.list().len() as u64, RUNS);
    range.check_thoroughly();
    range.check_that_nothing_is_left();
}

/// Not a test by itself: the main function of a writer.
#[test]
fn writer() {
    let Ok(task) = std::env::var(TASK) else {
        return;
    };
    thread::spawn(|| {
        thread::sleep(MAX_LIFE);
        std::process::exit(1);
    });
    let folder = PathBuf::from(std::env::var(FOLDER).expect("a folder"));
    let number: u64 = std::env::var(NUMBER).expect("given").parse().expect("a number");
    let store = Store::create_or_open(&folder.join("store")).expect("opened");
    match task.as_str() {
        "Add" => add(&store, &folder, number),
        "Accept" => accept(&store, &folder),
        _ => loop {
            let retention = Retention { keep_runs: Some(KEEP), ..Retention::default() };
            store.prune(retention).expect("pruned");
        },
    }
}

fn add(store: &Store, folder: &Path, number: u64) {
    let journal = folder.join(format!("added-{number}"));
    for count in 0..MAX_ADDED {
        let seed = number * 1000 + count;
        let source = write_run(folder, seed);
        let added = store.add(&source, Unfinished::Refuse).expect("added");
        note(&journal, added.id());
    }
    // Waits to be killed.
    thread::sleep(MAX_LIFE);
}

fn accept(store: &Store, folder: &Path) {
    let last = Filter { last: Some(1), ..Filter::default() };
    for entry in std::iter::repeat_with(|| store.list(&last).expect("listed").pop()) {
        // It may have been deleted meanwhile, but not partially.
        let Some(entry) = entry else { continue };
        note(&folder.join("accepting"), &entry.run.id);
        if store.accept(&entry.run.id, "").is_ok() {
            note(&folder.join("accepted"), &entry.run.id);
        }
    }
}

/// Appends a line in one write.
fn note(journal: &Path, line: &str) {
    let file = File::options().create(true).append(true).open(journal);
    let mut file = file.expect("a journal");
    file.write_all(format!("{line}\n").as_bytes()).expect("noted");
}

fn source(folder: &Path, seed: u64) -> PathBuf {
    folder.join("sources").join(seed.to_string())
}

/// A small finished run.
fn write_run(folder: &Path, seed: u64) -> PathBuf {
    let path = source(folder, seed);
    let row = row("");
    let sample = SampleRow::new(&row.point(), "total", 0, 0, 0.5);
    let mut run = RunFolder::create(&path, &finished(seed)).expect("created");
    run.append_samples(&vec![sample; 20]).expect("written");
    run.append_summary(&[row]).expect("written");
    path
}

impl Range {
    /// In memory if there is such a folder: the test is of kills, not of a disk.
    fn new() -> Self {
        let memory = Path::new("/dev/shm");
        let folder = tempfile::tempdir_in(memory).or_else(|_| tempfile::tempdir());
        let folder = folder.expect("a temporary folder");
        let path = folder.path().to_owned();
        fs::create_dir(path.join("sources")).expect("made");
        let store = Store::create_or_open(&path.join("store")).expect("made");
        Range { _folder: folder, path, store, started: 0 }
    }

    fn start(&mut self, task: Task, random: &mut Noise) -> Writer {
        self.started += 1;
        let errors = self.path.join(format!("errors-{}", self.started));
        let program = std::env::current_exe().expect("this program");
        let mut command = Command::new(program);
        let command = command
            .args(["--exact", "history_kill::writer", "--nocapture"])
            .env(TASK, format!("{task:?}"))
            .env(FOLDER, &self.path)
            .env(NUMBER, self.started.to_string());
        let child =
            command.stdout(Stdio::null()).stderr(File::create(&errors).expect("made")).spawn();
        Writer {
            task,
            errors,
            child: child.expect("started"),
            ends: Instant::now() + LIFE.mul_f64(random.uniform()),
        }
    }

    /// The store can be read, all runs in it are complete, and the mark is one that was set: the
    /// last one that was reported, or a later one.
    fn check_quickly(&self) {
        let before = self.lines("accepted").pop();
        let entries = self.list();
        for entry in &entries {
            assert_eq!(entry.run.problem, None, "{}", entry.run.id);
        }
        let mut marked = entries.iter().filter(|entry| entry.accepted);
        let mark = marked.next();
        let second = marked.next();
        assert_eq!(second, None, "a series has one baseline");
        let Some(before) = before else { return };
        let mark = &mark.expect("what was accepted is there").run.id;
        let tried = self.lines("accepting");
        let last = tried.iter().rposition(|id| *id == before);
        assert!(tried[last.unwrap_or(0)..].contains(mark), "{mark} was not accepted");
    }

    /// Every run in the store is equal to its source.
    fn check_thoroughly(&self) {
        for entry in self.list() {
            let folder = self.store.root().join("runs").join(&entry.run.id);
            let check = || -> Result<(), Box<dyn Error>> {
                let seed = Run::read(&folder)?.record.seed;
                for name in FILES {
                    let source = fs::read(source(&self.path, seed).join(name))?;
                    assert_eq!(fs::read(folder.join(name))?, source, "{}/{name}", entry.run.id);
                }
                Ok(())
            };
            // It may have been deleted a moment ago.
            check().unwrap_or_else(|error| assert!(!folder.exists(), "{error}"));
        }
    }

    fn list(&self) -> Vec<Entry> {
        let store = Store::open(self.store.root()).expect("opened");
        store.list(&Filter::default()).expect("listed")
    }

    /// The next writer removes the leftovers of killed ones.
    fn check_that_nothing_is_left(&self) {
        let source = write_run(&self.path, u64::MAX);
        self.store.add(&source, Unfinished::Refuse).expect("added");
        for name in ["incoming", "trash"] {
            assert!(!self.store.root().join(name).exists(), "{name}");
        }
    }

    fn lines(&self, journal: &str) -> Vec<String> {
        let text = fs::read_to_string(self.path.join(journal)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}

impl Writer {
    /// Waits for a time, and kills.
    fn kill(&mut self) {
        thread::sleep(self.ends.saturating_duration_since(Instant::now()));
        if let Some(status) = self.child.try_wait().expect("a child") {
            let errors = fs::read_to_string(&self.errors).unwrap_or_default();
            panic!("a writer ended by itself, {status}: {errors}");
        }
        self.child.kill().expect("killed");
        self.child.wait().expect("gone");
    }
}

impl Drop for Writer {
    /// A failed test leaves no writers running.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
