//! Comparison with fragments of the experiment's code.

use std::fs;

use algorithms::tpc_decode::{FragmentOfFrame, Fragments};

use crate::experiments::fixtures;

/// `FRAME,LENGTH,INDEX,START,TIME_BINS,HAS_ONE_BEFORE,HAS_ONE_BEHIND,FIRST_OWN,END_OF_OWN`
fn row(line: &str) -> [u32; 9] {
    let numbers: Vec<_> = line.split(',').map(|word| word.parse().expect("a number")).collect();
    numbers.try_into().expect("nine columns")
}

/// Checks the rows of a frame.
fn check(rows: &[[u32; 9]]) {
    let [frame, length, ..] = rows[0];
    let made: Vec<_> = Fragments::new(length).of_frame(frame).collect();
    assert_eq!(made.len(), rows.len(), "{frame} {length}");
    let last = rows.len() as u32 - 1;
    for (part, &row) in made.into_iter().zip(rows) {
        let [_, _, index, start, time_bins, before, after, first_own, end_of_own] = row;
        let expected =
            FragmentOfFrame { time_bins: start..start + time_bins, own: first_own..end_of_own };
        assert_eq!(part, expected, "{frame} {length}");
        assert_eq!([before, after], [index > 0, index < last].map(u32::from));
    }
}

#[test]
fn fragments_are_those_of_the_experiment() {
    let file = fixtures("tpc-clusters").join("fragments.csv");
    let table = fs::read_to_string(file).expect("a fixture");
    let rows: Vec<_> = table.lines().skip(1).map(row).collect();
    assert_eq!(rows.len(), 94);
    rows.chunk_by(|one, next| one[..2] == next[..2]).for_each(check);
}
