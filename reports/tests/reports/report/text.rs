//! The text for a merge request.

use reports::report::markdown;

use super::fixture::{Fixture, large};

#[test]
fn all_lines_of_a_table_have_the_same_columns() {
    let text = markdown(&Fixture::new().input());
    let mut columns = None;
    for line in text.lines() {
        let bars = line.replace("\\|", "").matches('|').count();
        match columns {
            _ if !line.starts_with('|') => columns = None,
            None => columns = Some(bars),
            Some(columns) => assert_eq!(bars, columns, "{line}"),
        }
    }
    assert!(!text.contains("<script"));
    assert!(!text.contains("SAME** |"), "what is the same is only counted");
}

#[test]
fn a_large_run_stays_short() {
    let fixture = Fixture::new();
    let run = large();
    let mut input = fixture.input();
    input.run = &run;
    let text = markdown(&input);
    assert!(text.lines().count() < 150, "{text}");
    assert!(text.contains("and 92 more settings"), "{text}");
}
