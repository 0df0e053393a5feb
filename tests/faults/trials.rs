//! Every fault in every operation of a command, and kills at any time.
//!
//! After each fault, earlier files are complete, the same command resumes with the same result as
//! without a fault, and no other files are left.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use super::library::{Fault, Kind, can_inject, run_with};
use super::scenario::{Product, Reference, SCENARIOS, Scenario, done, planted, rows_kept};
use super::tree::{Tree, names, of_interest, tree};
use crate::common::{Run, can_measure};

#[test]
fn a_few_operations_of_each_command_go_wrong() {
    walk(|faults, product| {
        let few = if product == Product::Run { 1 } else { 3 };
        let step = faults.len().div_ceil(few).max(1);
        // Others each: what one command does not try, the next one may.
        faults.into_iter().skip(few % step).step_by(step).collect()
    });
}

#[test]
#[ignore = "takes minutes: at night"]
fn every_operation_of_every_command_goes_wrong_in_every_way() {
    walk(|faults, _| faults);
}

/// Tries those faults of each command that are chosen.
fn walk(choose: fn(Vec<Fault>, Product) -> Vec<Fault>) {
    if !can_inject() || !can_measure() {
        return;
    }
    let mut tried = Tried::default();
    for scenario in &SCENARIOS {
        let reference = Reference::record(scenario);
        let faults = choose(faults(&reference), scenario.product);
        tried.add(Tried::all(&faults, |fault| check(scenario, &reference, *fault)));
    }
    tried.assert_none_failed("faults");
}

/// All that can go wrong in a command.
fn faults(reference: &Reference) -> Vec<Fault> {
    let changes = reference.operations.iter().filter(|operation| operation.changes()).count();
    let reads = reference.operations.len() - changes;
    let of_changes = Kind::OF_CHANGES.map(|kind| (kind, changes));
    let kinds = of_changes.into_iter().chain([(Kind::Read, reads)]);
    kinds.flat_map(|(kind, count)| (1..=count).map(move |at| Fault { kind, at })).collect()
}

/// Lets something go wrong, and then does the same again.
fn check(scenario: &Scenario, reference: &Reference, fault: Fault) {
    let folder = planted(&reference.beginning);
    let before = done(&folder.join("r"));
    let faulty = run_with(fault, &folder, scenario.line);
    let story = format!("{} with {fault:?}: {}", scenario.name, faulty.story());
    ended_well(&faulty, fault, &story);
    if faulty.code == Some(0) {
        says_that_all_is_well(reference, tree(&folder), fault, &story);
    }
    let kept = rows_kept(&folder.join("r"));
    assert!(kept.starts_with(&before), "rows are lost; {story}");
    reference.goes_on(scenario, &folder, &story);
}

/// Asserts that a command that reports success has written all its files.
fn says_that_all_is_well(reference: &Reference, now: Tree, fault: Fault, story: &str) {
    let mut now = names(&of_interest(now));
    let end = names(&of_interest(reference.end.clone()));
    // Files that can't be removed stay until the next command,
    now.retain(|name| !name.ends_with(".draft"));
    // and a run that can't be read is not deleted.
    let stays = fault.kind == Kind::Read && end.iter().all(|name| now.contains(name));
    assert!(stays || now == end, "it says that all is well, but has {now:?}; {story}");
}

/// Asserts that a process that survives a relevant fault reports it.
fn ended_well(run: &Run, fault: Fault, story: &str) {
    let panicked = run.stderr.contains("panicked");
    if fault.kind.survives() {
        assert!(matches!(run.code, Some(0 | 1 | 4)) && !panicked, "{story}");
        assert!(run.code != Some(1) || run.stderr.contains("bench: "), "{story}");
    } else {
        assert_eq!(run.code, None, "{story}");
    }
}

/// Commands that are killed.
const KILLED: [&str; 3] = ["run-start", "report", "export"];
/// Times of kills are spread evenly over what a command takes, however many there are: multiples of
/// the golden section.
const GOLDEN: f64 = 0.618_033_988_749_895;

#[test]
fn commands_that_are_killed_resume() {
    kill(2);
}

#[test]
#[ignore = "takes minutes: at night"]
fn commands_that_are_killed_five_hundred_times_resume() {
    kill(500);
}

fn kill(times: u32) {
    if !can_inject() || !can_measure() {
        return;
    }
    let mut tried = Tried::default();
    for scenario in SCENARIOS.iter().filter(|scenario| KILLED.contains(&scenario.name)) {
        let reference = Reference::record(scenario);
        let start = Instant::now();
        planted(&reference.beginning).bench(scenario.line);
        let whole = start.elapsed();
        let times: Vec<_> = (1..=times).map(|number| at(number, whole)).collect();
        tried.add(Tried::all(&times, |&time| check_kill(scenario, &reference, time)));
    }
    tried.assert_none_failed("kills");
}

fn at(number: u32, whole: Duration) -> Duration {
    whole.mul_f64((GOLDEN * f64::from(number)).fract())
}

fn check_kill(scenario: &Scenario, reference: &Reference, time: Duration) {
    let folder = planted(&reference.beginning);
    let mut child = folder.start(scenario.line);
    sleep(time);
    // It may have ended.
    let _ = child.kill();
    child.wait().expect("ended");
    reference.goes_on(scenario, &folder, &format!("{} killed after {time:?}", scenario.name));
}

/// Number of trials and of failures; each failure prints its reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tried {
    pub all: usize,
    pub failed: usize,
}

impl Tried {
    /// Tries all things, on all CPUs.
    pub fn all<T: Sync>(things: &[T], check: impl Fn(&T) + Sync) -> Self {
        let next = AtomicUsize::new(0);
        let failed = AtomicUsize::new(0);
        let work = || {
            while let Some(thing) = things.get(next.fetch_add(1, Relaxed)) {
                if catch_unwind(AssertUnwindSafe(|| check(thing))).is_err() {
                    failed.fetch_add(1, Relaxed);
                }
            }
        };
        let workers = thread::available_parallelism().map_or(1, usize::from);
        thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(work))));
        Tried { all: things.len(), failed: failed.into_inner() }
    }

    pub fn add(&mut self, other: Tried) {
        self.all += other.all;
        self.failed += other.failed;
    }

    /// Prints the numbers, and fails if a trial failed.
    #[track_caller]
    pub fn assert_none_failed(self, what: &str) {
        let Tried { all, failed } = self;
        assert_eq!(failed, 0, "of {all} {what}");
        eprintln!("{all} {what}");
    }
}
