//! Comparisons of both sides of a paired run.

use std::path::Path;

use reports::compare::{Comparison, Verdict};
use reports::record::{RunRecord, SampleRow};
use reports::store::RunFolder;
use statistics::ROUNDS_PER_RESTART;

use crate::common::{folder, record};
use crate::compare::{BLOCK, compared, point, read, samples};

/// A paired run with rounds of one block each by base and new, two by the same processes. Each
/// round has a drift of its own, which both sides share; the new side takes `change` times as long.
fn paired_run(folder: &Path, rounds: usize, change: f64) -> Comparison {
    paired_run_by(folder, rounds, change, [("code:1", "build:1"); 2])
}

/// A paired run with these machine codes in these executables.
fn paired_run_by(
    folder: &Path,
    rounds: usize,
    change: f64,
    [of_base, of_new]: [(&str, &str); 2],
) -> Comparison {
    let side = |name: &str, factor: f64, (code, executable): (&str, &str)| {
        let mut record = RunRecord { pair: Some("a pair".into()), ..record() };
        record.software.fingerprint = executable.to_owned();
        let row = point("a", code);
        let mut run = RunFolder::create(&folder.join(name), &record).expect("created");
        for round in 0..rounds {
            let drift = 1.0 + 0.1 * ((round * 7919) % 101) as f64 / 101.0;
            let block = samples(&row, factor * drift, round + name.len());
            let block = block[..BLOCK].iter().cloned();
            let round = round / 2 * ROUNDS_PER_RESTART + round % 2;
            let block: Vec<_> = block.map(|row| SampleRow { round, ..row }).collect();
            run.append_samples(&block).expect("written");
        }
        run.append_summary(&[row]).expect("written");
        read(&folder.join(name))
    };
    let base = side("base", 1.0, of_base);
    let new = side("newer", change, of_new);
    assert!(base.is_paired_with(&new));
    compared(&base, &new)
}

#[test]
fn randomised_addresses_are_noted_and_recorded() {
    let folder = folder();
    paired_run(folder.path(), 20, 1.03);
    for random in [false, true] {
        let mut runs = ["base", "newer"].map(|name| read(&folder.path().join(name)));
        for run in &mut runs {
            run.record.environment.aslr = Some(random);
        }
        let comparison = compared(&runs[0], &runs[1]);
        assert_eq!(comparison.points[0].verdict, Verdict::Slower);
        assert_eq!(comparison.aslr, Some(random));
        let notes = comparison.notes.join("\n");
        assert_eq!(notes.contains("addresses were randomised"), random, "{notes}");
    }
}

#[test]
fn a_drift_between_rounds_neither_hides_a_change_nor_makes_one() {
    let judged = |change: f64| paired_run(folder().path(), 20, change).points.remove(0);
    let slower = judged(1.02);
    assert_eq!(slower.verdict, Verdict::Slower, "{}", slower.reason);
    assert!(slower.reason.contains("in 20 paired rounds"), "{}", slower.reason);
    assert!((slower.ratio - 1.02).abs() < 0.002, "{}", slower.ratio);
    assert_eq!(judged(1.0).verdict, Verdict::Same);
    assert_eq!(judged(0.98).verdict, Verdict::Faster);
}

/// Any change to a program moves the rest of it, which may cost more than the change.
#[test]
fn the_same_code_in_another_executable_raises_no_alarm() {
    let folder = folder();
    let judged = |name: &str, new: (&str, &str)| {
        let at = folder.path().join(name);
        std::fs::create_dir(&at).expect("created");
        let by = [("code:1", "build:1"), new];
        paired_run_by(&at, 20, 1.05, by).points.remove(0)
    };
    let moved = judged("moved", ("code:1", "build:2"));
    assert_eq!(moved.verdict, Verdict::Inconclusive, "{}", moved.reason);
    assert!(moved.reason.contains("the machine code is the same"), "{}", moved.reason);
    assert_eq!(moved.next, None);
    for changed in [("code:2", "build:2"), ("code:1", "build:1"), ("", "build:2")] {
        let point = judged(&[changed.0, changed.1].concat(), changed);
        assert_eq!(point.verdict, Verdict::Slower, "{}", point.reason);
    }
}

#[test]
fn few_rounds_are_not_clear() {
    let comparison = paired_run(folder().path(), 6, 1.5);
    let point = &comparison.points[0];
    assert_eq!(point.verdict, Verdict::Inconclusive);
    assert!(point.reason.contains("fewer than 4 processes"), "{}", point.reason);
}
