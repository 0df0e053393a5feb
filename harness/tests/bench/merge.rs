//! `bench merge`: measured on generated slice tracks, and on those of a file.

use std::collections::BTreeSet;

use crate::common::{Run, cells, folder, measuring, stages};

const QUICK: &str = "--samples 3..4 --max-time 1s";
const HEADER: &str = "q_over_pt,zt_min,zt_max,n_clusters,segment_prev,segment_next,\
    neighbour_lower,neighbour_upper,link";

#[test]
fn every_variant_has_a_valid_row_with_stages_and_charts() {
    let Some(folder) = measuring() else { return };
    let line = format!("merge --tracks 3k --device cpu --threads 2 {QUICK}");
    let rows = folder.measure(line);
    let all = BTreeSet::from(["total", "setup", "hook", "jump", "order", "resolve"]);
    for variant in ["components", "petgraph", "shares"] {
        assert_eq!(stages(&rows, variant), all, "{variant}");
    }
    assert_eq!(stages(&rows, "sequential"), BTreeSet::from(["total"]));
    folder.has("r/bars.svg r/bars.png r/stages.svg r/stages.png");
}

#[test]
fn slice_tracks_of_a_file_are_merged() {
    for name in ["t.csv", "t.bin.gz"] {
        let Some(folder) = measuring() else { return };
        let line = format!("generate tracks --tracks 500 --ids shuffled --out {name}");
        folder.bench(line).exits(0);
        let rows = folder.measure(format!("merge --input {name} --device cpu --no-charts {QUICK}"));
        assert!(rows.iter().all(|row| row.items == 500));
    }
}

/// Runs `bench merge` on slice tracks with these relations and links, after the common
/// kinematics.
fn refusal(others: &str) -> Run {
    let folder = folder();
    let lines = others.split_whitespace();
    let lines = lines.map(|others| format!("1,0,1,5,{others}\n"));
    folder.write("t.csv", format!("{HEADER}\n{}", lines.collect::<String>()));
    let run = folder.bench("merge --input t.csv --device cpu --out r");
    assert!(!folder.join("r").exists(), "nothing was measured");
    run.exits(1)
}

#[test]
fn tracks_that_can_not_be_merged_are_refused_with_index_and_reason() {
    // A slice track that nothing holds together with others is -1,-1,-1,-1,-1.
    for case in [
        "-1,-1,-1,-1,-1 -1,-1,-1,-1,2 | slice track 1: link 2 is none of the 2",
        "-1,-1,-1,-1,-1 -1,-1,-1,-1,1 | slice track 1: link is the slice track itself",
        "-1,2,-1,-1,-1 -1,2,-1,-1,-1 0,-1,-1,-1,-1 \
         | slice track 2 is segment_next of both 0 and 1",
        "-1,-1,-1,1,-1 -1,-1,-1,-1,-1 \
         | slice track 0: neighbour_upper is 1, but neighbour_lower of 1 is not 0",
        "1,1,-1,-1,-1 0,0,-1,-1,-1 | slice track 0: following segment_prev leads back to it",
        "-1,-1,1,1,-1 -1,-1,0,0,-1 | slice track 0: following neighbour_lower leads back to it",
        "-1,1,-1,-1,-1 0,-1,-1,2,-1 -1,-1,1,-1,-1 \
         | slice track 1 has a neighbour_upper, but is not the head",
        " | holds no slice tracks",
    ] {
        let [others, reason] = cells(case);
        refusal(others).says("t.csv").says(reason);
    }
}

#[test]
fn numbers_of_slice_tracks_that_can_not_be_are_refused() {
    folder().check(
        "
            2 | generate tracks --tracks 0 --out t.csv | --tracks
            2 | generate tracks --tracks 10 --ids sorted --out t.csv | shuffled
            2 | merge --tracks 0 --device cpu | --tracks
            1 | merge --input none.csv | none.csv
        ",
    );
}
