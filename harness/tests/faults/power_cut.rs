//! A power cut after each operation of a command: synced data are there, and the rest is lost in
//! different combinations. The same command then resumes.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::disk::{Cut, Disk};
use super::library::{Operation, can_inject};
use super::reference::{Reference, rows_kept};
use super::scenario::{SCENARIOS, Scenario, planted};
use super::tree::{Tree, of_interest};
use super::tried::Tried;
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
