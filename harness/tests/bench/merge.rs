//! `bench merge`: measured on generated slice tracks, and on those of a file.

use std::collections::BTreeSet;
use std::fs;

use crate::common::{bench_in, can_measure, folder};
use reports::record::YesNo;
use reports::store::read_summary;

const QUICK: &str = "--samples 3..4 --max-time 1s";
const HEADER: &str = "q_over_pt,zt_min,zt_max,n_clusters,segment_prev,segment_next,\
    neighbour_lower,neighbour_upper,link";

#[test]
fn every_variant_has_a_valid_row_with_stages_and_charts() {
    if !can_measure() {
        return;
    }
    let folder = folder();
    let line = format!("merge --tracks 3k --device cpu --threads 2 --out r {QUICK}");
    let run = bench_in(folder.path(), &line);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let rows = read_summary(&folder.path().join("r")).expect("readable");
    assert!(rows.iter().all(|row| row.valid == YesNo::Yes), "{rows:?}");
    let stages = |variant: &str| -> BTreeSet<&str> {
        let rows = rows.iter().filter(|row| row.variant == variant);
        rows.map(|row| row.stage.as_str()).collect()
    };
    let all = BTreeSet::from(["total", "setup", "hook", "jump", "order", "resolve"]);
    for variant in ["components", "petgraph", "shares"] {
        assert_eq!(stages(variant), all, "{variant}");
    }
    assert_eq!(stages("sequential"), BTreeSet::from(["total"]));
    for chart in ["bars.svg", "bars.png", "stages.svg", "stages.png"] {
        assert!(folder.path().join("r").join(chart).is_file(), "{chart}");
    }
}

#[test]
fn slice_tracks_of_a_file_are_merged() {
    if !can_measure() {
        return;
    }
    let folder = folder();
    for name in ["t.csv", "t.bin.gz"] {
        let line = format!("generate tracks --tracks 500 --ids shuffled --out {name}");
        let run = bench_in(folder.path(), &line);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let line = format!("merge --input {name} --device cpu --no-charts --out {name}.r {QUICK}");
        let run = bench_in(folder.path(), &line);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let rows = read_summary(&folder.path().join(format!("{name}.r"))).expect("readable");
        assert!(rows.iter().all(|row| row.valid == YesNo::Yes));
        assert!(rows.iter().all(|row| row.items == 500));
    }
}

/// What `bench merge` says of slice tracks with these relations and links, after the
/// kinematics that all have.
fn refusal(others: &[&str]) -> String {
    let folder = folder();
    let lines = others.iter().map(|others| format!("1,0,1,5,{others}\n"));
    let text = format!("{HEADER}\n{}", lines.collect::<String>());
    fs::write(folder.path().join("t.csv"), text).expect("written");
    let run = bench_in(folder.path(), "merge --input t.csv --device cpu --out r");
    assert_eq!(run.code, Some(1), "{others:?}: {}", run.stderr);
    assert!(run.stderr.contains("t.csv"), "{}", run.stderr);
    assert!(!folder.path().join("r").exists(), "nothing was measured");
    run.stderr
}

#[test]
fn what_can_not_be_merged_is_refused_with_the_slice_track_and_the_reason() {
    const ALONE: &str = "-1,-1,-1,-1,-1";
    let cases: [(&[&str], &str); 8] = [
        (
            &[ALONE, "-1,-1,-1,-1,2"],
            "slice track 1: link 2 is none of the 2",
        ),
        (
            &[ALONE, "-1,-1,-1,-1,1"],
            "slice track 1: link is the slice track itself",
        ),
        (
            &["-1,2,-1,-1,-1", "-1,2,-1,-1,-1", "0,-1,-1,-1,-1"],
            "slice track 2 is segment_next of both 0 and 1",
        ),
        (
            &["-1,-1,-1,1,-1", ALONE],
            "slice track 0: neighbour_upper is 1, but neighbour_lower of 1 is not 0",
        ),
        (
            &["1,1,-1,-1,-1", "0,0,-1,-1,-1"],
            "slice track 0: following segment_prev leads back to it",
        ),
        (
            &["-1,-1,1,1,-1", "-1,-1,0,0,-1"],
            "slice track 0: following neighbour_lower leads back to it",
        ),
        (
            &["-1,1,-1,-1,-1", "0,-1,-1,2,-1", "-1,-1,1,-1,-1"],
            "slice track 1 has a neighbour_upper, but is not the head",
        ),
        (&[], "holds no slice tracks"),
    ];
    for (others, reason) in cases {
        let said = refusal(others);
        assert!(said.contains(reason), "{others:?}: {said}");
    }
}

#[test]
fn numbers_of_slice_tracks_that_can_not_be_are_refused() {
    let folder = folder();
    for (line, what) in [
        ("generate tracks --tracks 0 --out t.csv", "--tracks"),
        (
            "generate tracks --tracks 10 --ids sorted --out t.csv",
            "shuffled",
        ),
        ("merge --tracks 0 --device cpu", "--tracks"),
        ("merge --input none.csv", "none.csv"),
    ] {
        let run = bench_in(folder.path(), line);
        assert!(matches!(run.code, Some(1 | 2)), "{line}: {:?}", run.code);
        assert!(run.stderr.contains(what), "{line}: {}", run.stderr);
    }
}
